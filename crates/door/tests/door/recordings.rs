//! The recorded requests through a real socket: the same facts as without one.

use std::path::Path;

use steady_conformance::{
    HttpRequest, HttpResponse, KubectlOutput, Setup, System, Write, api, default_dir, simulator, wiring,
};
use steady_door::{Options, Running, Time};

use crate::client::Connection;

/// A cluster behind a door.
struct Behind(Running);

/// A path or query as a request can have it: all but visible ASCII is escaped.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|b| match b {
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | b'#' => format!("%{b:02X}"),
            b'!'..=b'~' => char::from(b).to_string(),
            b => format!("%{b:02X}"),
        })
        .collect()
}

impl System for Behind {
    fn kubectl(&mut self, _: &str, _: &Path, _: Option<&str>) -> KubectlOutput {
        KubectlOutput::default()
    }

    fn token(&mut self, user: &str) -> Option<String> {
        Some(simulator::token_of(user))
    }

    fn http(&mut self, r: &HttpRequest) -> HttpResponse {
        let mut headers = String::from("User-Agent: conformance/1.0\r\n");
        for (name, value) in [("Content-Type", &r.content_type), ("Accept", &r.accept)] {
            if let Some(value) = value {
                headers.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        for (name, value) in simulator::identity(&r.headers) {
            headers.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut target = escaped(&r.path);
        if !r.query.is_empty() {
            target.push('?');
            target.push_str(&escaped(&r.query));
        }
        let mut connection = Connection::open(self.0.address());
        connection.send(&r.method, &target, &headers, r.body.as_deref().unwrap_or_default().as_bytes());
        let mut answer = connection.head().unwrap();
        if answer.header("transfer-encoding").is_some() {
            // A watch continues until its time is over.
            let mut other = Connection::open(self.0.address());
            assert_eq!(other.ask("POST", "/steady/advance?seconds=1", "").status, 200);
            while let Some(chunk) = connection.chunk() {
                answer.body.extend(chunk);
            }
        } else {
            let size = answer.header("content-length").map_or(0, |n| n.parse().unwrap());
            answer.body = vec![0; size];
            std::io::Read::read_exact(&mut connection.stream, &mut answer.body).unwrap();
        }
        // The recorder repeated a request until what kube-apiserver's own controllers do for a definition was done.
        let mut other = Connection::open(self.0.address());
        assert_eq!(other.ask("POST", "/steady/advance?seconds=0", "").status, 200);
        let warnings = answer.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case("warning"));
        HttpResponse {
            status: answer.status,
            content_type: answer.header("content-type").unwrap_or_default().into(),
            warnings: warnings.map(|(_, v)| v.clone()).collect(),
            body: answer.text(),
            ignored: Vec::new(),
        }
    }

    fn wait(&mut self, _: f64) {}
    fn settle(&mut self) {}
    fn add_node(&mut self, _: &str) {}
    fn writes(&self) -> &[Write] {
        &[]
    }
    fn now(&self) -> f64 {
        0.0
    }
}

#[test]
fn the_recorded_requests_get_the_same_answers_through_a_socket() {
    let folder = default_dir().join("api");
    let behind = |setup: &Setup| -> Box<dyn System> {
        let setup = setup.clone();
        let options = Options { time: Time::Stepped, ..Options::default() };
        Box::new(Behind(Running::start(options, move || simulator::cluster(&setup)).unwrap()))
    };
    let without = api::run(&folder, "", &wiring::system).unwrap();
    let with = api::run(&folder, "", &behind).unwrap();
    assert!(without.len() > 400, "{}", without.len());
    assert_eq!(with.len(), without.len());
    let mut lost = Vec::new();
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with.name, without.name);
        for (a, b) in with.facts.iter().zip(&without.facts) {
            if a.met() != b.met() || with.facts.len() != without.facts.len() {
                lost.push(format!("{} {} {}: {:?}", with.name, a.part, a.name, a.difference));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
