//! HTTP/1.1 by hand, so that a test decides exactly which bytes are sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use steady::cluster::{Cluster, Config};
use steady_door::{Options, Running, Time};

/// No response takes this long; without it a test that fails would hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// A door to a new cluster in stepped time.
pub fn stepped() -> Running {
    let options = Options { time: Time::Stepped, ..Options::default() };
    Running::start(options, || Cluster::new(&Config::nodes(3))).unwrap()
}

/// A response.
#[derive(Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }
}

/// A connection.
pub struct Connection {
    pub stream: BufReader<TcpStream>,
}

impl Connection {
    pub fn open(at: SocketAddr) -> Connection {
        let stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Connection { stream: BufReader::new(stream) }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        // The other end may have closed already; then its response is read.
        let _ = self.stream.get_mut().write_all(bytes);
    }

    /// Sends a request. Each of `headers` ends with a line break.
    pub fn send(&mut self, method: &str, target: &str, headers: &str, body: &[u8]) {
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        self.write(&[head.as_bytes(), body].concat());
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Reads the head of a response; `None` if the connection has ended.
    pub fn head(&mut self) -> Option<Answer> {
        let first = self.line();
        let status = first.split(' ').nth(1)?.parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        Some(Answer { status, headers, body: Vec::new() })
    }

    /// The next chunk of a chunked body; `None` at its end.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(&self.line(), 16).ok()?;
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        (size > 0).then_some(chunk)
    }

    /// Reads a response to its end.
    pub fn answer(&mut self) -> Answer {
        let mut answer = self.head().expect("an answer");
        if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                answer.body.extend(chunk);
            }
        } else {
            let size = answer.header("content-length").map_or(0, |n| n.parse().unwrap());
            answer.body = vec![0; size];
            self.stream.read_exact(&mut answer.body).unwrap();
        }
        answer
    }

    pub fn ask(&mut self, method: &str, target: &str, body: &str) -> Answer {
        self.send(method, target, "", body.as_bytes());
        self.answer()
    }
}

/// Sends one request on a connection of its own.
pub fn ask(door: &Running, method: &str, target: &str, body: &str) -> Answer {
    Connection::open(door.address()).ask(method, target, body)
}
