//! A static file server for one directory on this machine: plain HTTP on 127.0.0.1.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::run::Result;

/// The first port that is tried.
const PORT: u16 = 8080;
/// The most bytes of a request's head; no browser sends that many for a file.
const MAX_HEAD: u64 = 64 * 1024;

/// A server that is bound but does not answer yet.
pub struct Server {
    listener: TcpListener,
    dir: Arc<Path>,
    /// The path under which the directory is served. It begins and ends with `/`.
    prefix: Arc<str>,
}

impl Server {
    /// Binds `port`, or the first free port from 8080 on.
    pub fn bind(port: Option<u16>, dir: PathBuf, prefix: &str) -> Result<Server> {
        let candidates: Vec<u16> = match port {
            Some(port) => vec![port],
            None => (PORT..PORT + 20).chain([0]).collect(),
        };
        let mut why = String::new();
        for port in candidates {
            match TcpListener::bind(("127.0.0.1", port)) {
                Ok(listener) => return Ok(Server { listener, dir: dir.into(), prefix: prefix.into() }),
                Err(e) => why = format!("port {port} of 127.0.0.1: {e}"),
            }
        }
        Err(why)
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        let port = self.listener.local_addr().map_or(0, |addr| addr.port());
        format!("http://127.0.0.1:{port}{}", self.prefix)
    }

    /// Answers requests until the process ends.
    pub fn run(self) {
        for stream in self.listener.incoming().flatten() {
            let (dir, prefix) = (Arc::clone(&self.dir), Arc::clone(&self.prefix));
            // A browser that closes the connection early is no error.
            std::thread::spawn(move || answer(stream, &dir, &prefix).ok());
        }
    }
}

fn answer(stream: TcpStream, dir: &Path, prefix: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut head = BufReader::new(stream.try_clone()?.take(MAX_HEAD));
    let mut request = String::new();
    head.read_line(&mut request)?;
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (status, kind, body) = if method != "GET" && method != "HEAD" {
        ("405 Method Not Allowed", "text/plain", b"only GET".to_vec())
    } else {
        match file(dir, prefix, target).and_then(|path| fs::read(&path).ok().map(|body| (path, body))) {
            Some((path, body)) => ("200 OK", content_type(&path), body),
            None => ("404 Not Found", "text/plain", b"not found".to_vec()),
        }
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == "GET" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The file that a request's target names; `None` if that is not in the directory.
fn file(dir: &Path, prefix: &str, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix(prefix)?;
    let mut file = dir.to_owned();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // Names in dist/ have no escapes, no dots at the start and no separators of other systems.
        if part.starts_with('.') || part.contains(['\\', ':', '%', '\0']) {
            return None;
        }
        file.push(part);
    }
    Some(if path.is_empty() || path.ends_with('/') { file.join("index.html") } else { file })
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "yaml" | "yml" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_names_a_file_of_the_directory_or_none() {
        let name = |target| file(Path::new("d"), "/steady/", target);
        assert_eq!(name("/steady/"), Some(PathBuf::from("d/index.html")));
        assert_eq!(name("/steady/a/b.js?x=1"), Some(PathBuf::from("d/a/b.js")));
        assert_eq!(name("/b.js"), None);
        for outside in
            ["/steady/../x", "/steady/a/../../x", "/steady/%2e%2e/x", "/steady/..\\x", "/steady/c:/x"]
        {
            assert_eq!(name(outside), None, "{outside}");
        }
    }
}
