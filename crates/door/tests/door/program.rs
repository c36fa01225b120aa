//! The program: what it prints, what it writes, how it ends.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::client::Connection;

fn program(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steady-door"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn refusal(args: &[&str]) -> String {
    let mut child = program(args);
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(!child.wait().unwrap().success());
    text
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()))
}

#[test]
fn it_says_where_it_is_and_ends_when_told() {
    for signal in ["-INT", "-TERM"] {
        let file = temporary("kubeconfig");
        let mut child = program(&["--port", "0", "--nodes", "1", "--kubeconfig", file.to_str().unwrap()]);
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|w| w.starts_with("http://")).unwrap().to_owned();
        assert!(std::fs::read_to_string(&file).unwrap().contains(&format!("server: {url}\n")));
        let address = url.strip_prefix("http://").unwrap().parse().unwrap();
        // A client with a watch does not keep it from ending.
        let mut watch = Connection::open(address);
        watch.send("GET", "/api/v1/nodes?watch=1", "", b"");
        assert_eq!(watch.head().unwrap().status, 200);
        let explained = Connection::open(address).ask("GET", "/openapi/v3/apis/apps/v1", "").text();
        assert!(explained.contains("Deployment enables declarative updates for Pods and ReplicaSets."));
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert!(child.wait().unwrap().success());
        // It overwrites its own file, but not a file that somebody else wrote.
        std::fs::write(&file, "mine").unwrap();
        let why = refusal(&["--port", "0", "--kubeconfig", file.to_str().unwrap()]);
        assert!(why.contains("was not written by this program"), "{why}");
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn it_must_be_told_twice_to_listen_to_others() {
    assert!(refusal(&["--address", "0.0.0.0"]).contains("--i-know-this-is-open"));
    assert!(refusal(&["--nodes", "many"]).contains("--nodes wants a number"));
}
