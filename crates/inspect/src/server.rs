//! A small server on the loopback address: one thread per connection, one answer per connection.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use briefing_core::Failure;
use briefing_core::shown::path_text;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};

use crate::page::page;
use crate::request::Request;
use crate::views::Views;

/// A browser opens a handful of connections; more are closed at once.
const MAX_CONNECTIONS: usize = 32;
/// A client that is slower than this is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a client may take to close its side, and how much it may send meanwhile.
const LINGER: Duration = Duration::from_secs(1);
const MAX_UNREAD: u64 = 1 << 20;

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    /// Opens the page once, in the address that is printed.
    token: String,
    /// What the browser has afterwards.
    cookie: String,
}

fn random() -> io::Result<String> {
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("there are no random numbers"))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Compares in the same time wherever the difference is.
fn is_same(given: &str, secret: &str) -> bool {
    given.len() == secret.len() && given.bytes().zip(secret.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

impl Server {
    /// Listens on this machine only. Port 0 takes a free one.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port, token: random()?, cookie: random()? })
    }

    /// Returns the address to open.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    fn cookie_name(&self) -> String {
        // Cookies do not know ports: several pages may be open.
        format!("brief-{}", self.port)
    }
}

/// Answers until the process ends.
pub fn serve(server: &Server, views: &Views<'_>) -> io::Result<()> {
    let open = AtomicUsize::new(0);
    thread::scope(|scope| {
        for stream in server.listener.incoming() {
            let Ok(stream) = stream else { continue };
            if open.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
                open.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            let open = &open;
            scope.spawn(move || {
                // A client that went away is nobody's problem.
                drop(answer(&stream, server, views).and_then(|()| close(&stream)));
                open.fetch_sub(1, Ordering::SeqCst);
            });
        }
        Ok(())
    })
}

struct Answer {
    status: &'static str,
    kind: &'static str,
    more: String,
    body: String,
}

impl Answer {
    fn text(status: &'static str, body: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", more: String::new(), body: body.into() }
    }
}

fn answer(mut stream: &TcpStream, server: &Server, views: &Views<'_>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let answer = match Request::read(stream)? {
        Some(request) => respond(&request, server, views)?,
        None => Answer::text("400 Bad Request", "not a request\n"),
    };
    let Answer { status, kind, more, body } = answer;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n{more}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// Closes a connection after the client has read the answer. What it still sends is read: closing with unread bytes would
/// reset the connection, and the client might lose the answer.
fn close(stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(LINGER))?;
    io::copy(&mut stream.take(MAX_UNREAD), &mut io::sink()).map(drop)
}

fn respond(request: &Request, server: &Server, views: &Views<'_>) -> io::Result<Answer> {
    if !request.is_ours(server.port) {
        return Ok(Answer::text("403 Forbidden", "this page answers only its own address\n"));
    }
    if request.method == "GET" && request.path == "/" && request.field("token").is_some_and(|token| is_same(&token, &server.token)) {
        let more = format!("Location: /\r\nSet-Cookie: {}={}; Path=/; HttpOnly; SameSite=Strict\r\n", server.cookie_name(), server.cookie);
        return Ok(Answer { more, ..Answer::text("303 See Other", "") });
    }
    if !request.cookie(&server.cookie_name()).is_some_and(|cookie| is_same(cookie, &server.cookie)) {
        return Ok(Answer::text("403 Forbidden", "open the address that `brief inspect` printed: it has a token\n"));
    }
    if let Some(question) = request.path.strip_prefix("/api/") {
        return Ok(json_answer(ask(question, request, views)));
    }
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => {
            let nonce = random()?;
            let more = format!(
                "Content-Security-Policy: default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
                 img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
            );
            Ok(Answer {
                kind: "text/html; charset=utf-8",
                more,
                ..Answer::text("200 OK", &page(&nonce, &json!({ "here": path_text(&views.here) })))
            })
        }
        _ => Ok(Answer::text("404 Not Found", "there is nothing here\n")),
    }
}

fn json_answer(answer: Option<Result<Value, Failure>>) -> Answer {
    let (status, value) = match answer {
        Some(Ok(value)) => ("200 OK", value),
        Some(Err(failure)) => {
            ("422 Unprocessable Content", json!({ "error": failure.to_string(), "causes": failure.causes(), "hints": failure.hints() }))
        }
        None => ("404 Not Found", json!({ "error": "there is no such question" })),
    };
    Answer { kind: "application/json", ..Answer::text(status, &value.to_string()) }
}

/// Answers a question of the page. What the user types comes in the body, so that it is in no address.
fn ask(question: &str, request: &Request, views: &Views<'_>) -> Option<Result<Value, Failure>> {
    let id = request.field("id").unwrap_or_default();
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let field = |name: &str| body[name].as_str().unwrap_or_default();
    let typed = |name: &str| Some(field(name)).filter(|text| !text.trim().is_empty());
    Some(match (request.method.as_str(), question) {
        ("GET", "sessions") => views.sessions(),
        ("GET", "session") => views.session(&id),
        ("GET", "text") => views.text(&id),
        ("GET", "report") => views.report(id.parse().ok()).map(|report| serde_json::to_value(report).unwrap_or_default()),
        ("GET", "index") => views.index(),
        ("GET", "domains") => Ok(views.domains()),
        ("POST", "select") => views.select(field("message")),
        ("POST", "why") => views.why(field("path"), typed("message"), typed("session")),
        _ => return None,
    })
}
