#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::collections::{BTreeMap, BTreeSet};

use super::*;
use steady::engine::{Answer, Ask, Begin, Engine, Input, Output, PodCause, Reason, ReasonFact};

/// Every message of a file, with the names it puts values in.
fn messages(lang: Lang) -> BTreeMap<String, BTreeSet<String>> {
    let source = lang.source();
    FluentResource::try_new(source.to_owned()).map_err(|(_, e)| e).expect("the file parses");
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut current = None;
    for line in source.lines() {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name = line.split_once(" =").expect("a message has a value").0.to_owned();
            assert!(out.insert(name.clone(), BTreeSet::new()).is_none(), "{name} stands twice");
            current = Some(name);
        }
        if line.starts_with('#') {
            continue;
        }
        for part in line.split('$').skip(1) {
            let end =
                part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(part.len());
            out.get_mut(current.as_ref().expect("a value belongs to a message"))
                .unwrap()
                .insert(part[..end].to_owned());
        }
    }
    out
}

#[test]
fn both_languages_say_the_same() {
    let (en, zh) = (messages(Lang::En), messages(Lang::Zh));
    let keys = |m: &BTreeMap<String, BTreeSet<String>>| m.keys().cloned().collect::<BTreeSet<_>>();
    let (a, b) = (keys(&en), keys(&zh));
    assert_eq!(a.difference(&b).collect::<Vec<_>>(), Vec::<&String>::new(), "missing in zh.ftl");
    assert_eq!(b.difference(&a).collect::<Vec<_>>(), Vec::<&String>::new(), "missing in en.ftl");
    for (key, names) in &en {
        assert_eq!(names, &zh[key], "{key}: other placeholders");
    }
}

/// Every text that the page asks for by a literal key is there.
#[test]
fn every_key_in_the_code_has_a_text() {
    let texts = Texts::new(Lang::En);
    let mut files = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/ui"))];
    let mut missing = Vec::new();
    while let Some(f) = files.pop() {
        if f.is_dir() {
            files.extend(std::fs::read_dir(&f).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(&f).unwrap();
        for call in ["t.get(\"", "t.with(\"", "self.get(\"", "self.with(\""] {
            for part in source.split(call).skip(1) {
                let key = part.split('"').next().unwrap();
                if !texts.has(key) && f.extension().is_some_and(|e| e == "rs") && !f.ends_with("tests.rs") {
                    missing.push(format!("{}: {key}", f.display()));
                }
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// Every text that the engine says by its key is there.
#[test]
fn every_key_of_the_engine_has_a_text() {
    let texts = Texts::new(Lang::En);
    let mut dirs = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine"))];
    let (mut missing, mut found) = (Vec::new(), 0);
    while let Some(f) = dirs.pop() {
        if f.is_dir() {
            dirs.extend(std::fs::read_dir(&f).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(&f).unwrap();
        for part in source.split("Said::key(\"").skip(1) {
            let key = part.split('"').next().unwrap();
            found += 1;
            if !texts.has(key) {
                missing.push(format!("{}: {key}", f.display()));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(found > 8, "{found}");
}

/// What can be done to an object, and what can go wrong, has a name, also where the key is put together.
#[test]
fn every_offer_has_a_text() {
    let texts = Texts::new(Lang::En);
    let mut keys = BTreeSet::new();
    let mut engine = Engine::new(|| 0.0);
    engine.handle(Input::Begin(Begin::default()));
    for id in ["01-first-deployment", "11-crash-loop", "20-etcd-members"] {
        engine.handle(Input::OpenScenario(id.to_owned()));
        if id == "20-etcd-members" {
            engine.handle(Input::Break(
                steady::engine::explorer::read(r#"{"KubeProxy":{"mode":"ipvs"}}"#).unwrap(),
            ));
        }
        let objects: Vec<_> = engine.shown().graph.nodes.iter().map(|n| n.reference.clone()).collect();
        for ask in objects.into_iter().map(Ask::Object).chain([Ask::PlaneFaults]) {
            for output in engine.handle(Input::Ask(1, ask)) {
                let Output::Answer(_, answer) = output else { continue };
                match *answer {
                    Answer::Object(view) => {
                        keys.extend(view.offers.into_iter().map(|o| o.key));
                        keys.extend(view.faults.into_iter().map(|f| f.key));
                    }
                    Answer::PlaneFaults(faults) => {
                        let with_about =
                            faults.iter().flat_map(|f| [f.key.clone(), format!("{}-about", f.key).into()]);
                        keys.extend(with_about);
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(keys.len() > 12, "{keys:?}");
    let missing: Vec<_> = keys.iter().filter(|key| !texts.has(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every rule that the library names has its sentence, with no placeholder that it does not fill.
#[test]
fn every_rule_has_a_sentence() {
    let texts = Texts::new(Lang::En);
    let mut dirs = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let (mut missing, mut found) = (BTreeSet::new(), 0);
    while let Some(f) = dirs.pop() {
        if f.is_dir() {
            if !f.ends_with("ui") {
                dirs.extend(std::fs::read_dir(&f).unwrap().map(|e| e.unwrap().path()));
            }
        } else if f.extension().is_some_and(|e| e == "rs") && !f.to_string_lossy().ends_with("tests.rs") {
            let source = std::fs::read_to_string(&f).unwrap();
            let code = source.lines().filter(|l| !l.trim_start().starts_with("//"));
            for part in code.flat_map(|line| line.split("Why::new(\"").skip(1)) {
                let rule = part.split('"').next().unwrap();
                found += 1;
                if !texts.has(&format!("why-{}", rule.replace('.', "-"))) {
                    missing.insert(rule.to_owned());
                }
            }
        }
    }
    assert!(missing.is_empty(), "rules without a sentence in src/ui/i18n: {missing:?}");
    assert!(found > 100, "{found}");
}

/// One thing has one name in Chinese: the one of Kubernetes' own documentation.
#[test]
fn chinese_has_the_terms_of_kubernetes_documentation() {
    // What is not said, and what is.
    let terms = [
        ("主人", "属主"),
        ("下属", "附属对象"),
        ("重启滚动", "滚动重启"),
        ("命名空间", "名字空间"),
        ("选择器", "选择算符"),
        ("API server", "API 服务器"),
        ("持久卷声明", "持久卷申领"),
        ("存活检查", "存活探针"),
    ];
    let mut texts = vec![("zh.ftl".to_owned(), ZH.to_owned())];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("static");
    let scenarios = std::fs::read_dir(folder.join("scenarios")).unwrap().map(|file| file.unwrap().path());
    for path in scenarios.chain([folder.join("rules.yaml"), folder.join("glossary.yaml")]) {
        let all = std::fs::read_to_string(&path).unwrap();
        let zh: Vec<_> = all.lines().filter(|l| l.trim_start().starts_with("zh:")).collect();
        texts.push((path.display().to_string(), zh.join("\n")));
    }
    assert!(texts.len() > 30, "{}", texts.len());
    for (file, text) in &texts {
        for (wrong, right) in terms {
            let line = text.lines().find(|line| !line.starts_with('#') && line.contains(wrong));
            assert_eq!(line, None, "{file}: {wrong} is {right}");
        }
    }
}

/// One of something is told as one.
#[test]
fn one_is_not_said_as_many() {
    let texts = Texts::new(Lang::En);
    let fact = |name: &'static str, value: &str| ReasonFact {
        name: name.into(),
        object: None,
        value: value.into(),
        word: false,
    };
    let why = |rule: &'static str, facts: &[(&'static str, &str)]| {
        let facts = facts.iter().map(|(name, value)| fact(name, value)).collect();
        texts.why(&Reason { rule: rule.into(), facts })
    };
    let said = why("attempt_to_delete.foreground", &[("dependents", "1")]);
    assert_eq!(said, "its owner is being deleted; its own dependent goes first");
    let said = why("attempt_to_orphan.remove_finalizer", &[("orphaned", "1")]);
    assert_eq!(said, "its dependent does not name it as its owner any more");
    let said = why("cleanup_deployment", &[("old", "1"), ("limit", "0"), ("revision", "1")]);
    assert_eq!(said, "one old ReplicaSet is kept, the limit is 0: revision 1 goes");
    let said = why("remove_oldest_jobs", &[("have", "2"), ("limit", "1")]);
    assert_eq!(said, "2 Jobs that ended are there, and one is kept");
    let rules = [
        ("service", "default/web"),
        ("node", "node-1"),
        ("before", "1"),
        ("count", "2"),
        ("new", "10.0.0.3"),
    ];
    let said =
        why("kube_proxy.sync_proxy_rules", &[&rules[..], &[("gone", ""), ("change", "added")]].concat());
    assert_eq!(
        said,
        "the rules of default/web on node-1 led to one endpoint, and shall lead to 2: also to 10.0.0.3"
    );
}

#[test]
fn a_rule_without_a_sentence_shows_its_facts() {
    let texts = Texts::new(Lang::En);
    let fact = |name: &'static str, value: &str| ReasonFact {
        name: name.into(),
        object: None,
        value: value.into(),
        word: false,
    };
    let why =
        |rule: &'static str| Reason { rule: rule.into(), facts: vec![fact("want", "3"), fact("have", "1")] };
    assert_eq!(texts.why(&why("no_such.rule")), "no_such.rule: want=3, have=1");
    let why = why("manage_replicas.create");
    assert_eq!(texts.why(&why), "3 are wanted and 1 exists");
    assert_eq!(Texts::new(Lang::Zh).why(&why), "需要 3 个，现有 1 个");
}

/// Each cause for which a kubelet reports a status has its text, and no text is left of a cause that is gone.
#[test]
fn every_cause_has_a_text_in_both_languages() {
    let keys: BTreeSet<String> = PodCause::ALL.iter().map(|c| format!("fact-{}", c.word())).collect();
    assert_eq!(keys.len(), PodCause::ALL.len(), "two causes have one word");
    for lang in [Lang::En, Lang::Zh] {
        let all = messages(lang);
        let texts = all.keys().filter(|k| k.starts_with("fact-") && *k != "fact-container");
        assert_eq!(texts.cloned().collect::<BTreeSet<_>>(), keys, "{lang:?}");
    }
}

#[test]
fn a_cause_names_its_container() {
    let fact = |name: &'static str, value: &str, word| ReasonFact {
        name: name.into(),
        object: None,
        value: value.into(),
        word,
    };
    let why = |facts| Reason { rule: "kubelet.sync_pod".into(), facts };
    let ready = fact("what", PodCause::Ready.word(), true);
    let of_pod = why(vec![fact("what", PodCause::Bound.word(), true)]);
    let of_container = why(vec![ready, fact("container", "web", false)]);
    let (en, zh) = (Texts::new(Lang::En), Texts::new(Lang::Zh));
    assert_eq!(en.why(&of_pod), "it was bound to this node");
    assert_eq!(en.why(&of_container), "container web is ready");
    assert_eq!(zh.why(&of_container), "容器 web 已就绪");
    // An ephemeral container is one by its name in the events' `fieldPath`, too (`pkg/kubelet/container/ref.go`).
    let sorted = |sort: &str| {
        let started = fact("what", PodCause::Started.word(), true);
        why(vec![started, fact("sort", sort, false), fact("container", "box", false)])
    };
    assert_eq!(en.why(&sorted("ephemeral")), "ephemeral container box has started");
    assert_eq!(en.why(&sorted("init")), "init container box has started");
    assert_eq!(zh.why(&sorted("ephemeral")), "临时容器 box 已启动");
    // A container that crashes again and again has been started each time.
    let waits = fact("what", PodCause::RestartBackOff.word(), true);
    let said = en.why(&why(vec![waits, fact("container", "web", false)]));
    assert_eq!(
        said,
        "container web has ended, and the kubelet waits before it restarts it (CrashLoopBackOff)"
    );
}

/// Every call to the container runtime, every part of one, and what workers and volumes wait for has a text, though the keys are
/// put together.
#[test]
fn every_call_and_every_part_of_one_has_a_text() {
    let source = |file: &str| {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/");
        std::fs::read_to_string(format!("{dir}{file}")).unwrap()
    };
    let quoted = |text: &str| text.split('"').nth(1).unwrap_or_default().to_owned();
    let mut keys = BTreeSet::new();
    let requests = source("kubelet/cri/request.rs");
    let (_, methods) = requests.split_once("pub fn method").unwrap();
    let (methods, _) = methods.split_once("pub fn service").unwrap();
    keys.extend(methods.split("=> ").skip(1).map(|m| format!("call-{}", quoted(m))).filter(|k| k != "call-"));
    let parts = source("kubelet/cri/parts.rs");
    for begins in ["p.add(Doer::", "p.oci(", "p.shim(", "self.add(Doer::Shim, \"shim-unknown"] {
        keys.extend(parts.split(begins).skip(1).map(|rest| {
            let what = if begins.ends_with("unknown") { "shim-unknown".to_owned() } else { quoted(rest) };
            format!("part-{what}")
        }));
    }
    for waits in ["mount", "sandbox", "pull", "start", "post-start", "kill", "retry", "attach", "relist"] {
        assert!(source("session/view/machinery/waits.rs").contains(&format!("\"{waits}\"")), "{waits}");
        keys.insert(format!("room-wait-{waits}"));
    }
    for state in ["wanted", "unattached", "attached", "staged", "mounted", "written"] {
        assert!(source("session/view/machinery/rooms.rs").contains(&format!("\"{state}\"")), "{state}");
        keys.insert(format!("room-volume-{state}"));
    }
    let texts = Texts::new(Lang::En);
    let missing: Vec<_> = keys.iter().filter(|key| !texts.has(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(keys.len() > 45, "{keys:?}");
    // And there is no sentence that nobody can say.
    let said = messages(Lang::En);
    let of_calls = |k: &&String| k.starts_with("call-") || k.starts_with("part-");
    let unsaid: Vec<_> = said.keys().filter(of_calls).filter(|k| !keys.contains(*k)).collect();
    assert!(unsaid.is_empty(), "{unsaid:?}");
}

/// Unicode's Bidirectional Algorithm (UAX #9), explicit levels: an isolate keeps what is in it to itself up to the mark that ends
/// it, and a mark that ends none has no effect.
#[test]
fn a_value_that_turns_text_keeps_that_to_itself() {
    let texts = Texts::new(Lang::En);
    let deleted = |name: &str| texts.with("run-deleted", &[("name", name.to_owned().into())]);
    // Most values are as they are.
    assert_eq!(deleted("web \u{200b}\u{e9}\u{4e2d}"), "Deleted: web \u{200b}\u{e9}\u{4e2d}");
    assert_eq!(deleted("\u{202e}gpj"), "Deleted: \u{2068}\u{202e}gpj\u{2069}");
    assert_eq!(deleted("\u{5d0}"), "Deleted: \u{2068}\u{5d0}\u{2069}");
    // Whatever is opened or closed in the value, one mark of those before it is open up to the end of it.
    for name in ["\u{2069}\u{2069}\u{202e}x", "\u{2067}x", "\u{2069}\u{2067}\u{2067}\u{202e}x"] {
        let said = deleted(name);
        let mut open = 0_usize;
        for (nth, c) in said.char_indices() {
            match c {
                '\u{2066}'..='\u{2068}' => open += 1,
                '\u{2069}' => open = open.saturating_sub(1),
                _ => {}
            }
            let within = nth >= "Deleted: ".len() && nth < said.rfind('x').unwrap();
            assert!(!within || open > 0, "{said:?}");
        }
        assert_eq!(open, 0, "{said:?}");
    }
}
