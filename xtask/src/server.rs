//! A static file server for one directory on this machine: plain HTTP on 127.0.0.1. It sends what a host should
//! (docs/releasing.md): files that crates/pack has compressed, and how long each may be kept.

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

/// What a worker of the page may do. A browser holds a worker to the policy of the answer that its script came with, and not to
/// that of the page that started it. `static/sw.js` keeps it with the script.
const WORKER_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; \
    require-trusted-types-for 'script'; trusted-types steady";

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
            std::thread::spawn(move || serve(stream, &dir, &prefix).ok());
        }
    }
}

/// What the server reads of a request.
#[derive(Debug, Default)]
struct Request {
    method: String,
    target: String,
    /// `Accept-Encoding`.
    encodings: String,
    /// `If-None-Match`.
    known: String,
    /// Whether the browser closes the connection.
    close: bool,
}

/// Reads a request's head; `None` at the end of the connection.
fn read(head: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if head.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut request = Request { method, target, ..Request::default() };
    loop {
        line.clear();
        if head.read_line(&mut line)? <= 2 {
            return Ok(Some(request));
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "accept-encoding" => request.encodings = value.to_owned(),
            "if-none-match" => request.known = value.to_owned(),
            "connection" => request.close = value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
}

/// Answers the requests of a connection, one after the other.
fn serve(mut stream: TcpStream, dir: &Path, prefix: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream.try_clone()?);
    while let Some(request) = read(&mut (&mut input).take(MAX_HEAD))? {
        let answer = answer(&request, dir, prefix);
        stream.write_all(answer.head(request.close).as_bytes())?;
        if request.method == "GET" {
            stream.write_all(&answer.body)?;
        }
        stream.flush()?;
        if request.close {
            break;
        }
    }
    Ok(())
}

/// An answer to a request.
#[derive(Debug)]
struct Answer {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn head(&self, close: bool) -> String {
        let mut head = format!("HTTP/1.1 {}\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        // A 304 has the length of what it stands for, or none.
        if self.status != NOT_MODIFIED {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str(if close { "Connection: close\r\n\r\n" } else { "Connection: keep-alive\r\n\r\n" });
        head
    }

    fn text(status: &'static str, text: &str) -> Answer {
        let headers = vec![("Content-Type", "text/plain".to_owned())];
        Answer { status, headers, body: text.as_bytes().to_vec() }
    }
}

const NOT_MODIFIED: &str = "304 Not Modified";

fn answer(request: &Request, dir: &Path, prefix: &str) -> Answer {
    if request.method != "GET" && request.method != "HEAD" {
        return Answer::text("405 Method Not Allowed", "only GET");
    }
    let found = file(dir, prefix, &request.target);
    let Some((path, body)) = found.and_then(|path| fs::read(&path).ok().map(|body| (path, body))) else {
        return Answer::text("404 Not Found", "not found");
    };
    let (body, encoding) = encoded(&path, body, &request.encodings);
    let tag = format!("\"{:016x}\"", fnv(&body));
    let cached = if is_hashed(&path) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut headers = vec![
        ("Content-Type", content_type(&path).to_owned()),
        ("Cache-Control", cached.to_owned()),
        ("ETag", tag.clone()),
        ("Vary", "Accept-Encoding".to_owned()),
        ("X-Content-Type-Options", "nosniff".to_owned()),
    ];
    // Of a script that starts no worker this header says nothing.
    if content_type(&path).starts_with("text/javascript") {
        headers.push(("Content-Security-Policy", WORKER_POLICY.to_owned()));
    }
    if let Some(encoding) = encoding {
        headers.push(("Content-Encoding", encoding.to_owned()));
    }
    let known = request.known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag);
    match known {
        true => Answer { status: NOT_MODIFIED, headers, body: Vec::new() },
        false => Answer { status: "200 OK", headers, body },
    }
}

/// A file's body in the best encoding that the browser accepts and that crates/pack has made, unless it is older than the
/// file: a page that was built again since is not packed yet.
fn encoded(path: &Path, body: Vec<u8>, accepted: &str) -> (Vec<u8>, Option<&'static str>) {
    let made = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        let packed = PathBuf::from(format!("{}.{ending}", path.display()));
        if accepts(accepted, encoding)
            && made(&packed) >= made(path)
            && let Ok(packed) = fs::read(&packed)
        {
            return (packed, Some(encoding));
        }
    }
    (body, None)
}

/// Whether an `Accept-Encoding` names an encoding, and not with a weight of 0.
fn accepts(header: &str, encoding: &str) -> bool {
    header.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().trim_start_matches("q=").parse::<f32>().unwrap_or(1.0);
        name.trim().eq_ignore_ascii_case(encoding) && weight > 0.0
    })
}

/// Whether a file's name has a hash of what is in the file: 12 to 16 hexadecimal digits after a `-`, and
/// then `.` or `_` (Trunk writes a hash without the zeros at its beginning).
fn is_hashed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('-').skip(1).any(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        (12..=16).contains(&digits) && part[digits..].starts_with(['.', '_'])
    })
}

/// The 64-bit FNV-1a hash of a body.
fn fnv(body: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    body.iter().fold(0xcbf2_9ce4_8422_2325, step)
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
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "yaml" | "yml" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    #[test]
    fn a_browser_gets_the_best_that_it_accepts() {
        assert!(accepts("gzip, deflate, br, zstd", "br"));
        assert!(accepts("br;q=0.5", "br"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("", "gzip"));

        let dir = std::env::temp_dir().join(format!("steady-server-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        for (name, text) in
            [("a-0123456789abcdef.js", "plain"), ("a-0123456789abcdef.js.br", "br"), ("b.js", "b")]
        {
            fs::write(dir.join(name), text).expect(name);
        }
        let ask = |target: &str, encodings: &str, known: &str| {
            let words = |word: &str| word.to_owned();
            let (method, target, encodings) = (words("GET"), words(target), words(encodings));
            let request = Request { method, target, encodings, known: words(known), close: false };
            let answer = answer(&request, &dir, "/");
            let head = answer.head(false);
            (answer.status, String::from_utf8(answer.body).expect("text"), head)
        };
        let (_, body, head) = ask("/a-0123456789abcdef.js", "gzip, br", "");
        assert_eq!(body, "br");
        for line in ["Content-Encoding: br", "Vary: Accept-Encoding", "immutable", "text/javascript"] {
            assert!(head.contains(line), "{line}: {head}");
        }
        let (_, body, plain) = ask("/a-0123456789abcdef.js", "gzip", "");
        assert_eq!(body, "plain");
        assert!(!plain.contains("Content-Encoding"), "{plain}");
        // Each form has a tag of its own.
        let tag =
            |head: &str| head.split("ETag: ").nth(1).and_then(|rest| rest.lines().next()).map(str::to_owned);
        assert_ne!(tag(&head), tag(&plain));
        let known = tag(&head).expect("a tag");
        let (status, body, head) = ask("/a-0123456789abcdef.js", "br", &known);
        assert_eq!((status, body.as_str()), (NOT_MODIFIED, ""));
        assert!(!head.contains("Content-Length"), "{head}");
        assert!(ask("/b.js", "br", "").2.contains("Cache-Control: no-cache"));
        // What was packed before the file was built again is not sent.
        let later = std::time::SystemTime::now() + Duration::from_secs(9);
        fs::File::options()
            .write(true)
            .open(dir.join("a-0123456789abcdef.js"))
            .and_then(|f| f.set_modified(later))
            .expect("a time");
        assert_eq!(ask("/a-0123456789abcdef.js", "br", "").1, "plain");
        fs::remove_dir_all(&dir).expect("gone");
    }

    #[test]
    fn a_worker_has_a_policy() {
        let dir = std::env::temp_dir().join(format!("steady-policy-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        fs::write(dir.join("worker.js"), "").expect("a file");
        fs::write(dir.join("a.css"), "").expect("a file");
        let head = |target: &str| {
            let request =
                Request { method: "GET".to_owned(), target: target.to_owned(), ..Request::default() };
            answer(&request, &dir, "/").head(false)
        };
        let said = format!("Content-Security-Policy: {WORKER_POLICY}\r\n");
        assert!(head("/worker.js?js=a").contains(&said));
        assert!(!head("/a.css").contains("Content-Security-Policy"));
        fs::remove_dir_all(&dir).expect("gone");
    }

    #[test]
    fn a_hash_in_a_name_is_known() {
        let hashed = |name: &str| is_hashed(Path::new(name));
        assert!(hashed("dist/app-9e767f31c874b499.css"));
        assert!(hashed("steady-89b1195f3e4f9644_bg.wasm"));
        assert!(hashed("steady-2a2edf54f1fba76.js"));
        assert!(!hashed("dist-9e767f31c874b499.d/boot.js"));
        assert!(!hashed("steady-worker_bg.wasm"));
        assert!(!hashed("inter-latin-wght-normal.woff2"));
    }

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
