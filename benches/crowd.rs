//! Many clients at the door at the same time: how long others wait, and what it costs. `cargo bench
//! --package steady-door --bench crowd`
//!
//! There is no harness: each figure is of one run, and nothing passes or fails by it. Times are wall times;
//! memory and CPU time are those of this program, clients included, if the system reports them.
#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use steady::apimachinery::HttpRequest;
use steady::cluster::{Cluster, Config};
use steady_door::{Options, Running, Time};

const NODES: usize = 60;
const PODS: usize = 5000;
const UNREAD: usize = 60;
const READ: usize = 200;
const LIST: &str = "/api/v1/pods";
const WATCH: &str = "/api/v1/pods?watch=1&resourceVersion=0";
/// How long `/healthz` is requested while no client reads.
const WHILE: Duration = Duration::from_secs(3);
const ADDED: &[u8] = br#""type":"ADDED""#;

fn cluster() -> Cluster {
    let mut cluster = Cluster::new(&Config::nodes(NODES));
    for i in 0..50 {
        let body = format!(
            r#"{{"kind":"Deployment","apiVersion":"apps/v1","metadata":{{"name":"web{i}"}},"spec":{{"replicas":{},"selector":{{"matchLabels":{{"app":"w{i}"}}}},"template":{{"metadata":{{"labels":{{"app":"w{i}"}}}},"spec":{{"containers":[{{"name":"web","image":"nginx:1.27","resources":{{"requests":{{"cpu":"1m"}}}}}}]}}}}}}}}"#,
            PODS / 50
        );
        let (answer, _) = cluster.http(&HttpRequest {
            method: "POST".into(),
            path: "/apis/apps/v1/namespaces/default/deployments".into(),
            body: body.into_bytes(),
            ..HttpRequest::default()
        });
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let to = cluster.now() + Duration::from_secs(60);
    let _ = cluster.run_until(to, |_, _| {});
    cluster
}

fn ask(door: SocketAddr, target: &str) -> TcpStream {
    let mut stream = TcpStream::connect(door).unwrap();
    let head = format!("GET {target} HTTP/1.1\r\nHost: {door}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

fn health(door: SocketAddr) -> Duration {
    let begun = Instant::now();
    let mut text = String::new();
    ask(door, "/healthz").read_to_string(&mut text).unwrap();
    assert!(text.ends_with("ok"), "{text}");
    begun.elapsed()
}

/// Resident memory in MiB; 0 if the system does not report it.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn row(what: &str, before: u64, mut waits: Vec<Duration>, took: Duration) {
    waits.sort();
    let ms = |d: Option<&Duration>| d.map_or(0.0, |d| d.as_secs_f64() * 1e3);
    println!(
        "| {what} | {:.0} | {:.0} | {before} → {} | {:.1} |",
        ms(waits.get(waits.len() / 2)),
        ms(waits.last()),
        memory(),
        took.as_secs_f64()
    );
}

fn unread(door: SocketAddr, what: &str, target: &str) {
    let (before, begun) = (memory(), Instant::now());
    let held: Vec<TcpStream> = (0..UNREAD).map(|_| ask(door, target)).collect();
    let mut waits = Vec::new();
    while begun.elapsed() < WHILE {
        waits.push(health(door));
    }
    row(what, before, waits, begun.elapsed());
    drop(held);
}

/// Reads a watch until it has all objects.
fn read(mut stream: TcpStream) {
    let (mut buffer, mut tail, mut found) = (vec![0; 1 << 16], Vec::new(), 0);
    while found < PODS {
        let size = stream.read(&mut buffer).unwrap();
        assert!(size > 0, "the watch ended after {found}");
        tail.extend_from_slice(&buffer[..size]);
        found += tail.windows(ADDED.len()).filter(|w| *w == ADDED).count();
        tail.drain(..tail.len().saturating_sub(ADDED.len() - 1));
    }
}

fn main() {
    let options = Options { time: Time::Stepped, ..Options::default() };
    let door = Running::start(options, cluster).unwrap();
    let at = door.address();
    // The cluster is filled before the first response.
    health(at);
    println!(
        "| {PODS} Pods | `/healthz` ms, half | at worst | MiB | s |\n| --- | ---: | ---: | ---: | ---: |"
    );
    row("nobody else", memory(), vec![health(at)], Duration::ZERO);
    unread(at, "60 watches from the beginning, never read", WATCH);
    unread(at, "60 lists, never read", LIST);
    let (before, begun) = (memory(), Instant::now());
    let readers: Vec<_> = (0..READ).map(|_| std::thread::spawn(move || read(ask(at, WATCH)))).collect();
    let mut waits = vec![health(at)];
    while readers.iter().any(|r| !r.is_finished()) {
        waits.push(health(at));
    }
    row("200 such watches, read", before, waits, begun.elapsed());
}
