//! A small loopback HTTP/1.1 server for tests: `std::net` and a thread per connection.
//!
//! A handler turns a [`Request`] into a [`Response`]. A response can misbehave (slow, silent, cut off), because most
//! tests of an HTTP client are about bad servers. There is no TLS, no compression, and no limits.

mod wire;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A received request. The names of headers are in lower case.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header, by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A response, and how it misbehaves.
#[derive(Clone, Debug)]
pub struct Response {
    status: u16,
    content_type: &'static str,
    body: Vec<u8>,
    delay: Duration,
    pace: Option<(usize, Duration)>,
    silent: bool,
    cut_after: Option<usize>,
}

impl Response {
    /// Returns status 200 with a JSON body.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "application/json", body)
    }

    /// Returns status 200 with a stream of server-sent events, all at once.
    pub fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    pub fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, body: body.into(), delay: Duration::ZERO, pace: None, silent: false, cut_after: None }
    }

    /// Returns an error status with a body in the shape `OpenAI` uses.
    #[must_use]
    pub fn status(status: u16) -> Self {
        let body = format!(r#"{{"error":{{"message":"status {status} as the test asked","type":"test"}}}}"#);
        Self::new(status, "application/json", body)
    }

    /// Returns bytes that are neither JSON nor UTF-8, under a JSON content type.
    #[must_use]
    pub fn garbage() -> Self {
        Self::json(b"\x00\xff{\"choices\": [ <html> \xc3\x28 ]".to_vec())
    }

    /// Returns a JSON string of about `bytes` bytes.
    #[must_use]
    pub fn huge(bytes: usize) -> Self {
        Self::json(format!("\"{}\"", "x".repeat(bytes)))
    }

    /// Returns a response that is never sent. The connection stays open until the server stops.
    #[must_use]
    pub fn never() -> Self {
        Self { silent: true, ..Self::json("") }
    }

    /// Waits before the first byte.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Sends the body `bytes` at a time with a pause after each piece.
    #[must_use]
    pub fn dripping(mut self, bytes: usize, pause: Duration) -> Self {
        self.pace = Some((bytes.max(1), pause));
        self
    }

    /// Closes the connection after this many bytes of the body, although its announced length is larger.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.cut_after = Some(bytes);
        self
    }
}

type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// A running server; it stops when dropped.
pub struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    served: Arc<AtomicUsize>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts on a free loopback port.
    pub fn start(handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> io::Result<Self> {
        Self::start_on(0, handler)
    }

    /// Starts on the given loopback port.
    pub fn start_on(port: u16, handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let served = Arc::new(AtomicUsize::new(0));
        let handler: Arc<Handler> = Arc::new(handler);
        let accepting = {
            let (stop, served) = (Arc::clone(&stop), Arc::clone(&served));
            thread::spawn(move || {
                for stream in listener.incoming() {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let Ok(stream) = stream else { continue };
                    let (handler, stop, served) = (Arc::clone(&handler), Arc::clone(&stop), Arc::clone(&served));
                    thread::spawn(move || {
                        // A client may close the connection at any time; that does not fail the test.
                        drop(wire::converse(&stream, &*handler, &stop, &served));
                    });
                }
            })
        };
        Ok(Self { address, stop, served, accepting: Some(accepting) })
    }

    /// Starts a server that gives every request the same answer.
    pub fn always(response: Response) -> io::Result<Self> {
        Self::start(move |_| response.clone())
    }

    /// Returns `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns how many requests came in so far.
    #[must_use]
    pub fn served(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Only a connection wakes up `accept`.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}
