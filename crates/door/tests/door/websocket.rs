//! Watches over WebSocket, and who may open one.

use std::io::Read as _;

use serde_json::Value;
use steady_door::Running;

use crate::client::{Connection, ask, stepped};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const WATCH: &str =
    "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt";
/// The key in the example of RFC 6455, and the answer to it.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

fn upgrade(door: &Running, target: &str, headers: &str) -> Connection {
    let mut c = Connection::open(door.address());
    let head = format!(
        "GET {target} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: {KEY}\r\n{headers}\r\n",
        door.address()
    );
    c.write(head.as_bytes());
    c
}

/// A frame: its opcode and its content. A server does not mask frames.
fn frame(c: &mut Connection) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    c.stream.read_exact(&mut head).unwrap();
    assert_eq!(head[0] & 0x80, 0x80, "an event is one frame");
    assert_eq!(head[1] & 0x80, 0, "masked");
    let size = match head[1] {
        126 => {
            let mut size = [0; 2];
            c.stream.read_exact(&mut size).unwrap();
            usize::from(u16::from_be_bytes(size))
        }
        127 => panic!("too large for this test"),
        size => usize::from(size),
    };
    let mut text = vec![0; size];
    c.stream.read_exact(&mut text).unwrap();
    (head[0] & 0xf, text)
}

#[test]
fn every_event_is_a_frame() {
    let door = stepped();
    for name in ["a", "b"] {
        assert_eq!(ask(&door, "POST", MAPS, &format!(r#"{{"metadata":{{"name":"{name}"}}}}"#)).status, 201);
    }
    let origin = format!("Origin: {}\r\nSec-WebSocket-Version: 13\r\n", door.url());
    let mut c = upgrade(&door, &format!("{WATCH}&timeoutSeconds=60"), &origin);
    let head = c.head().unwrap();
    assert_eq!((head.status, head.header("sec-websocket-accept")), (101, Some(ACCEPT)));
    assert_eq!(head.header("sec-websocket-protocol"), None);
    let mut event = || {
        let (opcode, text) = frame(&mut c);
        assert_eq!(opcode, 1);
        assert!(text.ends_with(b"\n"));
        let event: Value = serde_json::from_slice(&text).unwrap();
        (event["type"].as_str().unwrap().to_owned(), event["object"]["metadata"]["name"].to_string())
    };
    assert_eq!(event(), ("ADDED".into(), "\"a\"".into()));
    assert_eq!(event(), ("ADDED".into(), "\"b\"".into()));
    assert_eq!(ask(&door, "DELETE", &format!("{MAPS}/a"), "").status, 200);
    assert_eq!(event(), ("DELETED".into(), "\"a\"".into()));
    assert_eq!(ask(&door, "POST", "/steady/advance?seconds=60", "").status, 200);
    // The watch's time is over: it is closed with code 1000.
    assert_eq!(frame(&mut c), (8, vec![3, 232]));
}

#[test]
fn the_handshake_is_that_of_kubernetes() {
    let door = stepped();
    let (good, version) = (format!("Origin: {}\r\n", door.url()), "Sec-WebSocket-Version: 13\r\n");
    let bearer = "base64url.bearer.authorization.k8s.io.dG9rZW4";
    for (headers, status, protocol) in [
        (format!("{good}{version}"), 101, None),
        (
            format!("{good}{version}Sec-WebSocket-Protocol: {bearer}, base64.binary.k8s.io\r\n"),
            101,
            Some("base64.binary.k8s.io"),
        ),
        (format!("{good}{version}Sec-WebSocket-Protocol: one, two\r\n"), 400, None),
        (good.clone(), 400, None),
        (format!("{good}Sec-WebSocket-Version: 8\r\n"), 400, None),
        (version.to_owned(), 403, None),
        (format!("Origin: http://example.com\r\n{version}"), 403, None),
    ] {
        let head = upgrade(&door, WATCH, &headers).head().unwrap();
        assert_eq!((head.status, head.header("sec-websocket-protocol")), (status, protocol), "{headers}");
    }
    // A request that is not a watch is answered as usual: the pod does not exist.
    let headers = format!("{good}{version}Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n");
    let exec = upgrade(&door, "/api/v1/namespaces/default/pods/p/exec?command=ls", &headers).answer();
    assert_eq!((exec.status, &exec.json()["reason"]), (404, &"NotFound".into()));
}

#[test]
fn a_client_that_goes_makes_room() {
    let door = stepped();
    let headers = format!("Origin: {}\r\nSec-WebSocket-Version: 13\r\n", door.url());
    for _ in 0..3 {
        let mut c = upgrade(&door, WATCH, &headers);
        assert_eq!(c.head().unwrap().status, 101);
        // A close frame, masked with zeros, is answered by another one.
        c.write(&[0x88, 0x82, 0, 0, 0, 0, 3, 232]);
        assert_eq!(frame(&mut c).0, 8);
        assert_eq!(c.stream.read(&mut [0]).unwrap(), 0);
    }
}

/// The address at which a command is executed in the pod `p`.
fn exec(words: &[&str], more: &str) -> String {
    let encoded =
        |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02X}", c as u32) };
    let command: Vec<String> =
        words.iter().map(|w| format!("command={}", w.chars().map(encoded).collect::<String>())).collect();
    format!("/api/v1/namespaces/default/pods/p/exec?{}&stdout=true&stderr=true{more}", command.join("&"))
}

/// A door whose cluster has a pod `p` that runs.
fn with_pod() -> Running {
    let door = stepped();
    let spec = r#"{"containers":[{"name":"c","image":"busybox","command":["sleep","infinity"]}]}"#;
    let pod = format!(r#"{{"metadata":{{"name":"p"}},"spec":{spec}}}"#);
    assert_eq!(ask(&door, "POST", "/api/v1/namespaces/default/pods", &pod).status, 201);
    assert_eq!(ask(&door, "POST", "/steady/advance?seconds=20", "").status, 200);
    door
}

#[test]
fn a_command_is_executed_in_a_container() {
    let door = stepped();
    let spec = r#"{"containers":[{"name":"c","image":"busybox","command":["sleep","infinity"]}]}"#;
    let pod = format!(r#"{{"metadata":{{"name":"p"}},"spec":{spec}}}"#);
    assert_eq!(ask(&door, "POST", "/api/v1/namespaces/default/pods", &pod).status, 201);
    let headers = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n";
    let refused = upgrade(&door, &exec(&["true"], ""), headers).answer();
    assert_eq!(refused.status, 400, "the pod has no node yet");
    assert_eq!(ask(&door, "POST", "/steady/advance?seconds=20", "").status, 200);

    let target = exec(&["sh", "-c", "echo out; echo err >&2; exit 3"], "");
    let mut c = upgrade(&door, &target, headers);
    let head = c.head().unwrap();
    assert_eq!((head.status, head.header("sec-websocket-protocol")), (101, Some("v5.channel.k8s.io")));
    assert_eq!(frame(&mut c), (2, b"\x01out\n".to_vec()));
    assert_eq!(frame(&mut c), (2, b"\x02err\n".to_vec()));
    let (_, status) = frame(&mut c);
    let status: Value = serde_json::from_slice(&status[1..]).unwrap();
    assert_eq!(
        (&status["reason"], &status["details"]["causes"][0]["message"]),
        (&"NonZeroExitCode".into(), &"3".into())
    );
    assert_eq!(frame(&mut c), (8, vec![3, 232]));

    // What is typed into it, up to where the client closes channel 0. Frames of a client are masked, here with zeros.
    let mut c = upgrade(&door, &exec(&["sh"], "&stdin=true"), headers);
    assert_eq!(c.head().unwrap().status, 101);
    c.write(b"\x82\x89\0\0\0\0\x00echo hi\n");
    c.write(b"\x82\x82\0\0\0\0\xff\x00");
    assert_eq!(frame(&mut c), (2, b"\x01hi\n".to_vec()));

    for (target, headers, code) in [
        (exec(&["sh"], "&stdin=true&tty=true"), headers, 501),
        (exec(&["true"], ""), "Sec-WebSocket-Version: 13\r\n", 400),
        (exec(&["true"], "&container=none"), headers, 400),
    ] {
        assert_eq!(upgrade(&door, &target, headers).answer().status, code, "{target}");
    }
    let refused = ask(&door, "POST", &exec(&["true"], ""), "");
    assert_eq!((refused.status, &refused.json()["message"]), (400, &"Upgrade request required".into()));
}

#[test]
fn a_refusal_reaches_a_client_that_falls_back_to_spdy() {
    let door = with_pod();
    let spdy = |target: &str| {
        let mut c = Connection::open(door.address());
        c.send("POST", target, "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n", b"");
        let answer = c.answer();
        (answer.status, answer.json()["message"].as_str().unwrap().to_owned())
    };
    let (code, why) = spdy(&exec(&["sh"], "&stdin=true&tty=true"));
    assert!(code == 501 && why.contains("no terminal"), "{code} {why}");
    let (code, why) = spdy(&exec(&["sh"], ""));
    assert!(code == 501 && why.contains("SPDY is not built"), "{code} {why}");
}

#[test]
fn a_shell_answers_line_by_line() {
    let door = with_pod();
    for protocol in ["v4.channel.k8s.io", "v5.channel.k8s.io"] {
        let headers = format!("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {protocol}\r\n");
        let mut c = upgrade(&door, &exec(&["sh"], "&stdin=true"), &headers);
        assert_eq!(c.head().unwrap().status, 101);
        c.write(b"\x82\x89\0\0\0\0\x00echo hi\n");
        assert_eq!(frame(&mut c), (2, b"\x01hi\n".to_vec()), "{protocol}");
        c.write(b"\x82\x89\0\0\0\0\x00echo ho\n");
        assert_eq!(frame(&mut c), (2, b"\x01ho\n".to_vec()), "{protocol}");
        c.write(b"\x82\x88\0\0\0\0\x00exit 4\n");
        let (_, status) = frame(&mut c);
        let status: Value = serde_json::from_slice(&status[1..]).unwrap();
        assert_eq!(
            status["message"],
            "command terminated with non-zero exit code: error executing command [sh], exit code 4"
        );
        assert_eq!(frame(&mut c), (8, vec![3, 232]));
    }
}

#[test]
fn a_program_that_is_not_built_is_not_found() {
    let door = with_pod();
    let headers = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n";
    for program in ["nosuch", "/opt/nosuch"] {
        let mut c = upgrade(&door, &exec(&[program, "-x"], ""), headers);
        assert_eq!(c.head().unwrap().status, 101);
        let (_, status) = frame(&mut c);
        let status: Value = serde_json::from_slice(&status[1..]).unwrap();
        let message = status["message"].as_str().unwrap();
        let why = if program.contains('/') {
            "no such file or directory"
        } else {
            "executable file not found in $PATH"
        };
        assert!(status["reason"] == "InternalError" && message.ends_with(why), "{message}");
    }
    // The image has it, so a runtime would start it.
    let mut c = upgrade(&door, &exec(&["tar", "-x"], ""), headers);
    assert_eq!(c.head().unwrap().status, 101);
    let (_, said) = frame(&mut c);
    let said = String::from_utf8_lossy(&said[1..]).into_owned();
    assert_eq!(said.trim_end(), "tar: the image has this program, and it is not played here");
    let (_, status) = frame(&mut c);
    let status: Value = serde_json::from_slice(&status[1..]).unwrap();
    assert_eq!(
        (&status["reason"], &status["details"]["causes"][0]["message"]),
        (&"NonZeroExitCode".into(), &"126".into())
    );
}
