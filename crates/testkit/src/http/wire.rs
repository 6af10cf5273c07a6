//! The bytes of HTTP/1.1: one connection, request after request.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::{Handler, Request, Response};

/// Serves a connection until the client closes it or a response ends it.
pub(super) fn converse(stream: &TcpStream, handler: &Handler, stop: &AtomicBool, served: &AtomicUsize) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader, stream)? {
        served.fetch_add(1, Ordering::SeqCst);
        let response = handler(&request);
        thread::sleep(response.delay);
        if response.silent {
            while !stop.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            break;
        }
        write_response(stream, &response, request.method == "HEAD")?;
        if response.cut_after.is_some() {
            break;
        }
    }
    Ok(())
}

fn read_request(reader: &mut impl BufRead, mut stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut request = Request { method: words.next().unwrap_or_default(), path: words.next().unwrap_or_default(), ..Request::default() };
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((key, value)) = line.split_once(':') {
            request.headers.push((key.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = read_body(reader, &request)?;
    Ok(Some(request))
}

fn read_body(reader: &mut impl BufRead, request: &Request) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if request.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let mut chunk = vec![0; size];
            reader.read_exact(&mut chunk)?;
            body.extend_from_slice(&chunk);
            reader.read_line(&mut String::new())?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
    let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    reader.take(length).read_to_end(&mut body)?;
    Ok(body)
}

fn write_response(mut stream: &TcpStream, response: &Response, head_only: bool) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {} Test\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
        response.status,
        response.content_type,
        response.body.len()
    );
    stream.write_all(head.as_bytes())?;
    if head_only {
        return stream.flush();
    }
    let body = &response.body[..response.cut_after.unwrap_or(response.body.len()).min(response.body.len())];
    match response.pace {
        None => stream.write_all(body)?,
        Some((bytes, pause)) => {
            for piece in body.chunks(bytes) {
                stream.write_all(piece)?;
                stream.flush()?;
                thread::sleep(pause);
            }
        }
    }
    stream.flush()
}
