//! Watches: which events are sent, and when they end.

use crate::client::{Connection, ask, stepped};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn map(name: &str) -> String {
    format!(r#"{{"metadata":{{"name":"{name}"}}}}"#)
}

fn events(chunk: &[u8]) -> Vec<(String, String)> {
    let text = std::str::from_utf8(chunk).unwrap();
    let event = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        (event["type"].as_str().unwrap().to_owned(), name)
    };
    text.lines().map(event).collect()
}

#[test]
fn events_stream_until_the_time_is_over() {
    let door = stepped();
    let mut watch = Connection::open(door.address());
    let target = format!(
        "{MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&fieldSelector=metadata.name!=kube-root-ca.crt"
    );
    watch.send("GET", &target, "", b"");
    let head = watch.head().unwrap();
    assert_eq!((head.status, head.header("transfer-encoding")), (200, Some("chunked")));
    // A watch from no version gets what there is, and a bookmark behind it (`SetListOptionsDefaults` in
    // `apimachinery/pkg/apis/meta/internalversion/defaults.go`).
    let begin = watch.chunk().unwrap();
    assert_eq!(events(&begin), [("BOOKMARK".into(), String::new())]);
    assert!(std::str::from_utf8(&begin).unwrap().contains("k8s.io/initial-events-end"));
    assert_eq!(ask(&door, "POST", MAPS, &map("a")).status, 201);
    assert_eq!(events(&watch.chunk().unwrap()), [("ADDED".into(), "a".into())]);
    let patch = r#"[{"op":"add","path":"/data","value":{"k":"v"}}]"#;
    let mut other = Connection::open(door.address());
    other.send(
        "PATCH",
        &format!("{MAPS}/a"),
        "Content-Type: application/json-patch+json\r\n",
        patch.as_bytes(),
    );
    assert_eq!(other.answer().status, 200);
    assert_eq!(events(&watch.chunk().unwrap()), [("MODIFIED".into(), "a".into())]);
    assert_eq!(other.ask("DELETE", &format!("{MAPS}/a"), "").status, 200);
    assert_eq!(events(&watch.chunk().unwrap()), [("DELETED".into(), "a".into())]);
    // A bookmark after a minute of virtual time, which passes on request.
    assert_eq!(other.ask("POST", "/steady/advance?seconds=60", "").status, 200);
    let chunk = watch.chunk().unwrap();
    assert_eq!(events(&chunk), [("BOOKMARK".into(), String::new())]);
    assert_eq!(other.ask("POST", "/steady/advance?seconds=240", "").status, 200);
    let mut last = Vec::new();
    while let Some(chunk) = watch.chunk() {
        last.extend(events(&chunk));
    }
    assert!(last.iter().all(|(t, _)| t == "BOOKMARK"), "{last:?}");
    // The connection can still be used.
    assert_eq!(watch.ask("GET", MAPS, "").status, 200);
}

#[test]
fn a_watch_of_what_is_forgotten_ends_with_an_error() {
    let door = stepped();
    let mut other = Connection::open(door.address());
    assert_eq!(other.ask("POST", MAPS, &map("a")).status, 201);
    let mut patch = |i: usize| {
        let body = format!(r#"{{"data":{{"k":"{i}"}}}}"#);
        other.send(
            "PATCH",
            &format!("{MAPS}/a"),
            "Content-Type: application/merge-patch+json\r\n",
            body.as_bytes(),
        );
        assert_eq!(other.answer().status, 200);
    };
    // etcd keeps a bounded number of revisions. A list of a revision that it no longer has is refused.
    let list = format!("{MAPS}?resourceVersion=5&resourceVersionMatch=Exact");
    let forgotten = (0..100).any(|thousand| {
        (0..1000).for_each(|i| patch(1000 * thousand + i));
        ask(&door, "GET", &list, "").status == 410
    });
    assert!(forgotten);
    let answer = other.ask("GET", &format!("{MAPS}?watch=1&resourceVersion=5"), "");
    let event: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&"ERROR".into(), &410.into()));
}

#[test]
fn all_watches_hear_of_a_write_and_end_with_the_program() {
    let door = stepped();
    let mut watches: Vec<Connection> = (0..20).map(|_| Connection::open(door.address())).collect();
    for w in &mut watches {
        w.send(
            "GET",
            &format!("{MAPS}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"),
            "",
            b"",
        );
        assert_eq!(w.head().unwrap().status, 200);
    }
    assert_eq!(ask(&door, "POST", MAPS, &map("b")).status, 201);
    for w in &mut watches {
        assert_eq!(events(&w.chunk().unwrap()), [("ADDED".into(), "b".into())]);
    }
    door.stop();
    for w in &mut watches {
        assert_eq!(w.chunk(), None);
    }
}
