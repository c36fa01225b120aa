//! What people type, paste and open never causes a panic, and a text that is refused changes nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use steady::session::{Depth, Link, Replay, Session, Start, scenario};

thread_local! {
    /// A session with some objects.
    static BASE: Session = {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest);
        for _ in 0..30 {
            s.step(Depth::Command, None);
        }
        s
    };
}

/// A text with random changes.
fn mutated(text: String) -> impl Strategy<Value = String> {
    let chars: Vec<char> = text.chars().collect();
    let piece = prop::sample::select(vec![
        "",
        "\n",
        "  ",
        ":",
        "-",
        "---\n",
        "\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        "&a",
        "*a",
        "!!int",
        "|",
        ">",
        "#",
        "0",
        "-1",
        "99999999999999999999",
        "1e99",
        "null",
        "~",
        "true",
        "\t",
        "\u{0}",
        "é",
        "\u{202e}",
        "null: null",
        "? ",
        "%",
        "<<: *a",
    ]);
    prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, piece), 1..6).prop_map(move |edits| {
        let mut out = chars.clone();
        for (at, cut, piece) in edits {
            let at = at.index(out.len() + 1);
            let end = (at + cut).min(out.len());
            out.splice(at..end, piece.chars());
        }
        out.into_iter().collect()
    })
}

fn manifests() -> impl Strategy<Value = String> {
    let all: Vec<String> = scenario::ordinary().into_iter().map(|s| s.manifest).collect();
    prop::sample::select(all)
}

fn line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "get",
        "describe",
        "delete",
        "scale",
        "rollout",
        "undo",
        "status",
        "history",
        "pause",
        "resume",
        "restart",
        "set",
        "image",
        "env",
        "label",
        "annotate",
        "patch",
        "apply",
        "create",
        "replace",
        "expose",
        "run",
        "cordon",
        "drain",
        "uncordon",
        "taint",
        "events",
        "wait",
        "explain",
        "api-resources",
        "deployment",
        "deploy/web",
        "pods",
        "po",
        "rs",
        "nodes",
        "node-1",
        "all",
        "web",
        "nginx",
        "-f",
        "manifest.yaml",
        "-o",
        "yaml",
        "json",
        "wide",
        "name",
        "jsonpath={.items[*]['metadata.name', 'x']}",
        "custom-columns=A:.a,B:.b",
        "go-template={{range .items}}{{.x}}{{end}}",
        "--replicas=3",
        "--replicas",
        "-1",
        "--all",
        "-A",
        "-n",
        "default",
        "kube-system",
        "-l",
        "app=web",
        "app in (a,b",
        "--cascade=orphan",
        "--grace-period=0",
        "--force",
        "--dry-run=server",
        "--type=merge",
        "-p",
        "{\"spec\":{}}",
        "'{\"spec\":{\"replicas\":-1}}'",
        "app=nginx:2",
        "*=x",
        "a-",
        "a=b:NoExecute",
        "--for=condition=Ready",
        "--timeout=1s",
        "--help",
        "-h",
        "--",
        "--watch=false",
        "\"",
        "'",
        "\\",
        "|",
        "$(x)",
        "-vvv",
        "--to-revision=1",
        "--sort-by=.metadata.name",
    ]);
    let word = prop_oneof![8 => word.prop_map(str::to_owned), 1 => "\\PC{0,12}"];
    prop::collection::vec(word, 0..8).prop_map(|w| w.join(" "))
}

fn unchanged(before: &Session, after: &Session) {
    assert_eq!(before.at(), after.at());
    assert_eq!(before.cluster().digest(), after.cluster().digest());
}

proptest! {
    #![proptest_config(crate::cases(400))]

    #[test]
    fn a_manifest_never_hurts(text in prop_oneof![
        4 => manifests().prop_flat_map(mutated), 1 => "\\PC{0,200}", 1 => "([ \\-a-c:{}\\[\\]\",#&*!|>\n]|kind|spec){0,60}",
    ]) {
        let base = BASE.with(Clone::clone);
        let (writes, _) = base.preview(&text);
        let mut s = base.clone();
        let out = s.apply(&text);
        if writes.is_empty() {
            unchanged(&base, &s);
        } else {
            for _ in 0..10 {
                s.step(Depth::Command, None);
            }
        }
        assert!(out.exit != 0 || out.stderr.is_empty() || out.stderr.starts_with("Warning"), "{out:?}");
    }

    #[test]
    fn a_line_never_hurts(line in prop_oneof![8 => line(), 1 => "\\PC{0,60}"], text in manifests().prop_flat_map(mutated)) {
        let base = BASE.with(Clone::clone);
        let mut s = base.clone();
        let (out, waits) = s.kubectl_or_wait(&line, &[("manifest.yaml", &text)]);
        if let Some(mut waits) = waits {
            s.step(Depth::Command, None);
            s.look_again(&mut waits);
        } else if s.at() == base.at() {
            unchanged(&base, &s);
        }
        assert!(out.exit == 0 || !out.stderr.is_empty() || !out.stdout.is_empty(), "{line}: failed without a word");
    }

    #[test]
    fn a_link_never_hurts(
        packed in prop_oneof![Just(true), Just(false)],
        seed in prop_oneof![Just(String::new()), "\\PC{0,40}"],
        edits in mutated(link_json()),
    ) {
        let text = if packed {
            let bytes = miniz_oxide::deflate::compress_to_vec(edits.as_bytes(), 6);
            format!("a{}", URL_SAFE_NO_PAD.encode(bytes))
        } else {
            format!("{seed}{edits}")
        };
        if let Ok(link) = Link::decode(&text)
            && link.start.nodes < 20
        {
            let mut replay = Replay::new(&link);
            replay.advance(60);
            replay.finish();
        }
    }

    #[test]
    fn a_mutated_link_never_hurts(text in mutated(BASE.with(|s| Link::of(s).encode()))) {
        if let Ok(link) = Link::decode(&text)
            && link.start.nodes < 20
        {
            let mut replay = Replay::new(&link);
            replay.advance(60);
            replay.finish();
        }
    }
}

fn link_json() -> String {
    BASE.with(|s| serde_json::to_string(&Link::of(s)).unwrap())
}
