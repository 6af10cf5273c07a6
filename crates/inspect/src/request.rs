//! Requests of a browser: read, and judged before anything is answered.

use std::io::{self, BufRead, BufReader, Read};

/// Longer lines, and requests with more of them, are refused.
const MAX_LINE: u64 = 16 * 1024;
const MAX_LINES: usize = 100;
/// A message may be long.
const MAX_BODY: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads one request. `None`: it is not one that this server understands.
    pub(crate) fn read(stream: impl Read) -> io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let mut request = Self::default();
        let mut line = String::new();
        let mut next = |line: &mut String| -> io::Result<bool> {
            line.clear();
            let read = reader.by_ref().take(MAX_LINE).read_line(line)?;
            Ok(read > 0 && line.ends_with('\n'))
        };
        if !next(&mut line)? {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        (request.method, request.path, request.query) = (method.into(), path.into(), query.into());
        loop {
            if !next(&mut line)? || request.headers.len() > MAX_LINES {
                return Ok(None);
            }
            let header = line.trim_end();
            if header.is_empty() {
                break;
            }
            let Some((name, value)) = header.split_once(':') else { return Ok(None) };
            request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = request.header("content-length").map_or(Ok(0), str::parse::<usize>);
        let Ok(length @ ..=MAX_BODY) = length else { return Ok(None) };
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
        Ok(Some(request))
    }

    /// Returns a header that came exactly once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(header, _)| header == name);
        let (_, value) = all.next()?;
        all.next().is_none().then_some(value)
    }

    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(header, _)| header == name)
    }

    /// Returns a cookie's value.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.header("cookie")?.split(';').filter_map(|pair| pair.trim().split_once('='));
        cookies.filter(|(cookie, _)| *cookie == name).map(|(_, value)| value).next()
    }

    /// Returns a field of the query, decoded.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let mut fields = self.query.split('&').filter_map(|pair| pair.split_once('='));
        fields.find(|(field, _)| *field == name).map(|(_, value)| decoded(value))
    }

    /// Tells whether the request names us and comes from our own page, or from nobody: a foreign name is how a page on the
    /// web reaches a server on this machine.
    pub(crate) fn is_ours(&self, port: u16) -> bool {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let Some(host) = self.header("host").filter(|host| hosts.iter().any(|ours| ours == host)) else { return false };
        let is_origin = match self.header("origin") {
            Some(origin) => origin == format!("http://{host}"),
            None => !self.has("origin"),
        };
        let is_site = match self.header("sec-fetch-site") {
            Some(site) => matches!(site, "same-origin" | "none"),
            None => !self.has("sec-fetch-site"),
        };
        is_origin && is_site
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok()).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        if let (b'%', Some(byte)) = (first, hex) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(if *first == b'+' { b' ' } else { *first });
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Option<Request> {
        Request::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_request_has_a_path_fields_headers_and_a_body() {
        let read =
            request("POST /api/why?id=a%2Fb+c&x=%zz HTTP/1.1\r\nHost: h\r\nCookie: a=1; brief-1=two\r\nContent-Length: 3\r\n\r\nabcd")
                .unwrap();
        assert_eq!((read.method.as_str(), read.path.as_str(), read.body.as_slice()), ("POST", "/api/why", b"abc".as_slice()));
        assert_eq!((read.field("id").as_deref(), read.field("x").as_deref(), read.field("y")), (Some("a/b c"), Some("%zz"), None));
        assert_eq!((read.cookie("brief-1"), read.cookie("brief")), (Some("two"), None));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in
            ["", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n"]
        {
            assert!(request(text).is_none(), "{text}");
        }
        assert!(request(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000))).is_none());
    }

    #[test]
    fn only_our_own_page_and_the_address_bar_may_ask() {
        let is_ours = |headers: &str| request(&format!("GET / HTTP/1.1\r\n{headers}\r\n")).unwrap().is_ours(80);
        assert!(is_ours("Host: 127.0.0.1:80\r\n"));
        assert!(is_ours("Host: localhost:80\r\nOrigin: http://localhost:80\r\nSec-Fetch-Site: same-origin\r\n"));
        for headers in [
            "",
            "Host: evil.example:80\r\n",
            "Host: 127.0.0.1\r\n",
            "Host: 127.0.0.1:80\r\nHost: evil.example\r\n",
            "Host: 127.0.0.1:80\r\nOrigin: http://evil.example\r\n",
            "Host: 127.0.0.1:80\r\nOrigin: null\r\n",
            "Host: 127.0.0.1:80\r\nOrigin: http://127.0.0.1:80\r\nOrigin: http://127.0.0.1:80\r\n",
            "Host: 127.0.0.1:80\r\nSec-Fetch-Site: cross-site\r\n",
        ] {
            assert!(!is_ours(headers), "{headers}");
        }
    }
}
