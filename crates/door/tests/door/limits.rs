//! Requests that are refused, and connections that are closed.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use steady::cluster::{Cluster, Config};
use steady_door::{Limits, Options, Running, Time};

use crate::client::{Connection, ask, stepped};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn with(limits: Limits) -> Running {
    let options = Options { time: Time::Stepped, limits, ..Options::default() };
    Running::start(options, || Cluster::new(&Config::nodes(0))).unwrap()
}

#[test]
fn a_body_may_have_three_mebibytes() {
    let door = stepped();
    let body = |size: usize| format!(r#"{{"metadata":{{"name":"big"}},"x":"{}"}}"#, "a".repeat(size));
    // This body is read, and then refused for its content.
    assert_eq!(ask(&door, "POST", &format!("{MAPS}?fieldValidation=Strict"), &body(3_000_000)).status, 400);
    let answer = ask(&door, "POST", MAPS, &body(3 * 1024 * 1024));
    assert_eq!((answer.status, &answer.json()["reason"]), (413, &"RequestEntityTooLarge".into()));
    assert_eq!(answer.header("connection"), Some("close"));
    // A body that is larger than its headers say is cut at the same point.
    let mut c = Connection::open(door.address());
    c.write(
        format!("POST {MAPS} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes(),
    );
    let chunk = [b"100000\r\n".to_vec(), vec![b'a'; 0x10_0000], b"\r\n".to_vec()].concat();
    for _ in 0..4 {
        c.write(&chunk);
    }
    assert_eq!(c.answer().status, 413);
}

#[test]
fn headers_have_an_end() {
    let door = stepped();
    let mut c = Connection::open(door.address());
    c.send("GET", "/version", &format!("X-Long: {}\r\n", "a".repeat(300_000)), b"");
    assert_eq!(c.head().map(|a| a.status), Some(431));
    let mut c = Connection::open(door.address());
    c.send("GET", "/version", &"X: y\r\n".repeat(200), b"");
    assert_eq!(c.head().map(|a| a.status), Some(431));
    let mut c = Connection::open(door.address());
    c.write(b"\x16\x03\x01 this is no HTTP\r\n\r\n");
    assert_eq!(c.head().map(|a| a.status), Some(400));
}

#[test]
fn the_slow_and_the_idle_are_cut() {
    let short = Duration::from_millis(50);
    let door = with(Limits { head_time: short, ..Limits::default() });
    // A head that never ends, and no bytes at all.
    let mut c = Connection::open(door.address());
    c.write(b"GET /version HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    assert!(c.head().is_none_or(|a| a.status == 408));
    let mut c = Connection::open(door.address());
    assert!(c.head().is_none_or(|a| a.status == 408));
    // A body that never comes.
    let door = with(Limits { body_time: short, ..Limits::default() });
    let mut c = Connection::open(door.address());
    c.write(format!("POST {MAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n").as_bytes());
    assert_eq!(c.answer().status, 408);
}

#[test]
fn connections_and_watches_are_counted() {
    let door = with(Limits { connections: 3, watches: 1, ..Limits::default() });
    let mut first = Connection::open(door.address());
    first.send("GET", &format!("{MAPS}?watch=1"), "", b"");
    assert_eq!(first.head().unwrap().status, 200);
    let mut second = Connection::open(door.address());
    let refused = second.ask("GET", &format!("{MAPS}?watch=1"), "");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    let third = Connection::open(door.address());
    // The fourth connection waits until another one ends.
    let mut fourth = Connection::open(door.address());
    fourth.send("GET", "/healthz", "", b"");
    drop(third);
    assert_eq!(fourth.answer().status, 200);
    // A watch whose client is gone makes room for another one. When its end is noticed depends on the
    // system.
    drop(first);
    loop {
        let mut c = Connection::open(door.address());
        c.send("GET", &format!("{MAPS}?watch=1"), "", b"");
        match c.head().unwrap().status {
            429 => {}
            status => break assert_eq!(status, 200),
        }
    }
}

#[test]
fn strangers_are_refused() {
    let door = stepped();
    for headers in ["Origin: http://example.com\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
        let mut c = Connection::open(door.address());
        c.send("POST", "/steady/run", headers, b"");
        assert_eq!(c.answer().status, 403, "{headers}");
    }
    let mut c = Connection::open(door.address());
    c.write(b"GET /version HTTP/1.1\r\nHost: rebound.example.com\r\n\r\n");
    assert_eq!(c.answer().status, 403);
    let open = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
    let refused = Running::start(Options { address: open, ..Options::default() }, || unreachable!());
    assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
}

#[test]
fn large_answers_are_compressed_for_those_who_ask() {
    let door = stepped();
    let body = format!(r#"{{"metadata":{{"name":"big"}},"data":{{"k":"{}"}}}}"#, "a".repeat(200_000));
    assert_eq!(ask(&door, "POST", MAPS, &body).status, 201);
    let plain = ask(&door, "GET", MAPS, "");
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("Accept-Encoding")));
    let mut c = Connection::open(door.address());
    c.send("GET", MAPS, "Accept-Encoding: gzip, deflate\r\n", b"");
    let packed = c.answer();
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() * 10 < plain.body.len());
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed.body[..]), &mut text).unwrap();
    assert_eq!(text, plain.text());
}

#[test]
fn only_stepped_time_is_stepped() {
    let door = stepped();
    let state = ask(&door, "GET", "/steady", "").json();
    assert_eq!(
        (&state["time"], &state["steady"], &state["now"]),
        (&"stepped".into(), &true.into(), &"2026-01-01T00:00:00Z".into())
    );
    for (method, target, status) in [
        ("GET", "/steady/step", 405),
        ("POST", "/steady/digest", 405),
        ("GET", "/steady/else", 404),
        ("POST", "/steady/step?depth=deep", 400),
        ("POST", "/steady/step?count=-1", 400),
        ("POST", "/steady/advance", 400),
        ("POST", "/steady/advance?seconds=1e99", 400),
        ("POST", "/steady/fault", 400),
        // The response is exactly that of Kubernetes to an unknown path.
        ("GET", "/steadyness", 404),
    ] {
        assert_eq!(ask(&door, method, target, "").status, status, "{method} {target}");
    }
    let fault = r#"{"NodeDown":{"node":"node-1"}}"#;
    assert_eq!(ask(&door, "POST", "/steady/fault", fault).status, 200);
    assert_eq!(ask(&door, "POST", "/steady/fault", fault).status, 409);
    let clock = Running::start(Options::default(), || Cluster::new(&Config::nodes(0))).unwrap();
    assert_eq!(ask(&clock, "POST", "/steady/step", "").status, 409);
}

#[test]
fn who_asks_nothing_leaves_the_place_to_whoever_comes() {
    let door = with(Limits { connections: 4, watches: 1, ..Limits::default() });
    // A connection that is being sent something is not asked to close, however long that takes.
    let mut watch = Connection::open(door.address());
    watch.send("GET", &format!("{MAPS}?watch=1&fieldSelector=metadata.name=a"), "", b"");
    assert_eq!(watch.head().unwrap().status, 200);
    let slow: Vec<Connection> = (0..20)
        .map(|_| {
            let mut c = Connection::open(door.address());
            c.write(b"GET /version HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
            c
        })
        .collect();
    assert_eq!(ask(&door, "GET", "/healthz", "").status, 200);
    drop(slow);
    assert_eq!(ask(&door, "POST", MAPS, r#"{"metadata":{"name":"a"}}"#).status, 201);
    assert!(watch.chunk().is_some());
}

#[test]
fn http_1_0_needs_no_host() {
    let door = stepped();
    let mut c = Connection::open(door.address());
    c.write(b"GET /healthz HTTP/1.0\r\n\r\n");
    assert_eq!(c.answer().text(), "ok");
    let mut c = Connection::open(door.address());
    c.write(b"GET /healthz HTTP/1.1\r\n\r\n");
    assert_eq!(c.answer().status, 403);
}

#[test]
fn an_unread_list_holds_nobody_up() {
    let door = with(Limits::default());
    let mut other = Connection::open(door.address());
    for i in 0..200 {
        let data = "x".repeat(100_000);
        let body = format!(r#"{{"metadata":{{"name":"m{i}"}},"data":{{"k":"{data}"}}}}"#);
        assert_eq!(other.ask("POST", MAPS, &body).status, 201);
    }
    let unread: Vec<Connection> = (0..20)
        .map(|_| {
            let mut c = Connection::open(door.address());
            c.send("GET", MAPS, "", b"");
            c
        })
        .collect();
    assert_eq!(other.ask("GET", "/healthz", "").status, 200);
    // Pieces that were not read yet show the store at the moment of the request.
    assert_eq!(other.ask("DELETE", &format!("{MAPS}/m199"), "").status, 200);
    for mut c in unread {
        let list = c.answer().json();
        assert_eq!(
            list["items"].as_array().unwrap().iter().filter(|o| o["metadata"]["name"] == "m199").count(),
            1
        );
    }
}
