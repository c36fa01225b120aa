//! Requests to the API server: through the library's one function, and through a socket of the door. `cargo
//! bench --package steady-door --bench api`, or `cargo xtask bench --only api`.
//!
//! There are no controllers, scheduler or kubelets: only the API server is measured. There is no harness:
//! each figure is of one run, and nothing passes or fails by it. The library's figures are CPU time if the
//! system reports it, since other programs share the machine; those of the socket are wall time, since two
//! threads and the system take part.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::rc::Rc;
use std::time::{Duration, Instant};

use steady::apimachinery::{HttpRequest, HttpResponse};
use steady::apiserver::http::{Stream, TextCache};
use steady::cluster::{Cluster, Config};
use steady_door::{Options, Running, Time};

const PODS: usize = 10_000;
const WATCHERS: usize = 100;
const SAMPLES: usize = 2000;
const PATH: &str = "/api/v1/namespaces/default/pods";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

fn cluster() -> Cluster {
    let mut config = Config::nodes(0);
    config.controllers = Rc::new(Vec::new);
    config.scheduler = Rc::new(Vec::new);
    Cluster::new(&config)
}

fn pod(i: usize) -> String {
    format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"p{i:05}","labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"web","image":"nginx:1.27","ports":[{{"containerPort":80}}],"resources":{{"requests":{{"cpu":"10m"}}}}}}]}}}}"#
    )
}

/// A request: method, end of the path, content type, body.
type Ask = (&'static str, String, &'static str, String);

fn request((method, rest, content_type, body): Ask) -> HttpRequest {
    let target = format!("{PATH}{rest}");
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    HttpRequest {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        content_type: content_type.into(),
        user_agent: "bench/1".into(),
        body: body.into_bytes(),
        ..HttpRequest::default()
    }
}

fn create(i: usize) -> Ask {
    ("POST", String::new(), "application/json", pod(i))
}

fn get(i: usize) -> Ask {
    ("GET", format!("/p{i:05}"), "", String::new())
}

fn merge(i: usize) -> Ask {
    ("PATCH", format!("/p{i:05}"), MERGE, format!(r#"{{"metadata":{{"labels":{{"n":"{i}"}}}}}}"#))
}

fn strategic(i: usize) -> Ask {
    let body = format!(r#"{{"spec":{{"containers":[{{"name":"web","image":"nginx:{i}"}}]}}}}"#);
    ("PATCH", format!("/p{i:05}"), STRATEGIC, body)
}

fn apply(i: usize) -> Ask {
    let body = format!(
        r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"p{i:05}","annotations":{{"n":"{i}"}}}}}}"#
    );
    ("PATCH", format!("/p{i:05}?fieldManager=bench"), APPLY, body)
}

fn row(what: &str, times: &mut [Duration]) {
    let total: Duration = times.iter().sum();
    times.sort();
    let at = |p: usize| times[(times.len() * p / 100).min(times.len() - 1)].as_secs_f64() * 1e6;
    let each = times.len() as f64 / total.as_secs_f64();
    println!("| {what} | {each:.0} | {:.0} | {:.0} |", at(50), at(99));
}

/// The CPU time of this thread if the system reports it; else the time that has passed.
fn cpu() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|t| t.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Measures a request for each number below `n` in wall time.
fn wall(n: usize, mut f: impl FnMut(usize)) -> Vec<Duration> {
    let one = |i| {
        let t = Instant::now();
        f(i);
        t.elapsed()
    };
    (0..n).map(one).collect()
}

/// Measures a request for each number below `n` in CPU time. Requests are measured in groups, because some
/// systems count in milliseconds.
fn time(n: usize, mut f: impl FnMut(usize)) -> Vec<Duration> {
    let group = if n > 100 { 50 } else { 1 };
    let of_group = |g: usize| {
        let before = cpu();
        (g * group..(g + 1) * group).for_each(&mut f);
        (cpu() - before) / u32::try_from(group).unwrap()
    };
    (0..n / group).map(of_group).collect()
}

fn heading(what: &str) {
    println!("### {what}\n\n| request | per second | µs, p50 | µs, p99 |\n| --- | ---: | ---: | ---: |");
}

fn ok(cluster: &mut Cluster, ask: Ask) -> HttpResponse {
    let request = request(ask);
    let (response, _) = cluster.http(&request);
    assert!(response.status < 300, "{} {}: {}", request.method, request.path, response.body);
    response
}

fn library() {
    heading("Through the library's one function");
    let mut cluster = cluster();
    row("create a Pod (from none to 10,000)", &mut time(PODS, |i| drop(ok(&mut cluster, create(i)))));
    row("get one of 10,000", &mut time(SAMPLES, |i| drop(ok(&mut cluster, get(i)))));
    row("merge patch", &mut time(SAMPLES, |i| drop(ok(&mut cluster, merge(i)))));
    row("strategic merge patch", &mut time(SAMPLES, |i| drop(ok(&mut cluster, strategic(i)))));
    row("server-side apply", &mut time(SAMPLES, |i| drop(ok(&mut cluster, apply(i)))));
    let mut size = 0;
    let list = |query: &str| ("GET", query.to_owned(), "", String::new());
    row("list 10,000", &mut time(5, |_| size = ok(&mut cluster, list("")).body.len()));
    row("list 500 of 10,000 (`limit`)", &mut time(50, |_| drop(ok(&mut cluster, list("?limit=500")))));
    row(
        "list by label, none of 10,000",
        &mut time(50, |_| drop(ok(&mut cluster, list("?labelSelector=app%3Dx")))),
    );
    println!("\nThe list of 10,000 is {:.1} MB.\n", size as f64 / 1e6);
    fan_out(&mut cluster);
}

/// The delivery of each write to all watchers.
fn fan_out(cluster: &mut Cluster) {
    let from = cluster.api().etcd().revision();
    let query = format!("?watch=1&resourceVersion={from}");
    let begin = |_| cluster.serve(&request(("GET", query.clone(), "", String::new()))).0.stream.unwrap();
    let mut watches: Vec<Stream> = (0..WATCHERS).map(begin).collect();
    let (mut told, mut writes, mut texts) = (0, Duration::ZERO, TextCache::default());
    let begun = cpu();
    for i in 0..SAMPLES {
        let before = cpu();
        drop(ok(
            cluster,
            ("PATCH", format!("/p{i:05}"), MERGE, r#"{"metadata":{"labels":{"n":"x"}}}"#.into()),
        ));
        writes += cpu() - before;
        for w in &mut watches {
            told += usize::from(!cluster.more(w, &mut texts).is_empty());
        }
    }
    let all = cpu() - begun - writes;
    assert_eq!(told, SAMPLES * WATCHERS);
    println!(
        "{SAMPLES} writes told to {WATCHERS} watchers: {:.0} events a second, {:.1} µs each.\n",
        told as f64 / all.as_secs_f64(),
        all.as_secs_f64() * 1e6 / told as f64
    );
}

/// A connection that is kept open.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn send(&mut self, (method, rest, content_type, body): Ask) {
        let text = format!(
            "{method} {PATH}{rest} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_ascii_lowercase()
    }

    fn head(&mut self) -> usize {
        assert!(self.line().contains(" 20"));
        let mut size = 0;
        loop {
            let line = self.line();
            if line.is_empty() {
                return size;
            }
            if let Some(n) = line.strip_prefix("content-length:") {
                size = n.trim().parse().unwrap();
            }
        }
    }

    fn ok(&mut self, ask: Ask) {
        self.send(ask);
        let mut body = vec![0; self.head()];
        self.0.read_exact(&mut body).unwrap();
    }
}

fn socket() {
    heading("Through a socket of the door, one connection");
    let door = Running::start(Options { time: Time::Stepped, ..Options::default() }, cluster).unwrap();
    let connect = || {
        let stream = TcpStream::connect(door.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection(BufReader::new(stream))
    };
    let mut c = connect();
    row("create a Pod (from none to 10,000)", &mut wall(PODS, |i| c.ok(create(i))));
    row("get one of 10,000", &mut wall(SAMPLES, |i| c.ok(get(i))));
    row("merge patch", &mut wall(SAMPLES, |i| c.ok(merge(i))));
    row("list 10,000", &mut wall(5, |_| c.ok(("GET", String::new(), "", String::new()))));
    let mut watches: Vec<Connection> = (0..WATCHERS).map(|_| connect()).collect();
    for w in &mut watches {
        let query = "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
        w.send(("GET", query.into(), "", String::new()));
        w.head();
    }
    let mut times = wall(200, |i| {
        c.ok(strategic(i));
        for w in &mut watches {
            let size = usize::from_str_radix(&w.line(), 16).unwrap();
            w.0.read_exact(&mut vec![0; size + 2]).unwrap();
        }
    });
    row("a patch, until 100 watchers have read of it", &mut times);
    println!();
}

fn main() {
    library();
    socket();
}
