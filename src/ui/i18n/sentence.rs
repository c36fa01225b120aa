//! What the engine tells as facts, as sentences.

use fluent_bundle::FluentValue;
use steady::engine::{
    Fault, Finest, Happened, Issued, Kind, KubeletFault, NextLine, NextWhat, Reason, ReasonFact,
    RequestWords, Said, Value,
};

use super::Texts;

impl Texts {
    /// A message of the engine.
    pub fn said(&self, said: &Said) -> String {
        match said {
            Said::Text(text) => text.clone(),
            Said::Key(key, values) => {
                let value = |v: &Value| match v {
                    Value::Number(n) => (*n).into(),
                    Value::Text(text) => text.clone().into(),
                    Value::Said(said) => self.said(said).into(),
                };
                let args: Vec<_> = values.iter().map(|(name, v)| (name.as_str(), value(v))).collect();
                self.with(key, &args)
            }
        }
    }

    /// Why a command was issued. A rule without a sentence shows its facts.
    pub fn why(&self, why: &Reason) -> String {
        let key = format!("why-{}", why.rule.replace('.', "-"));
        if self.has(&key) {
            let args: Vec<_> = why.facts.iter().map(|f| (f.name.as_str(), self.fact(why, f))).collect();
            return self.with(&key, &args);
        }
        let facts: Vec<String> = why.facts.iter().map(|f| format!("{}={}", f.name, f.value)).collect();
        if facts.is_empty() { why.rule.to_string() } else { format!("{}: {}", why.rule, facts.join(", ")) }
    }

    /// A fact's value. Some values are words, which are said in the reader's language and with the container that
    /// they are about.
    fn fact(&self, why: &Reason, fact: &ReasonFact) -> FluentValue<'static> {
        if !fact.word {
            return value(&fact.value);
        }
        let what = self.get(&format!("fact-{}", fact.value));
        match why.fact("container") {
            Some(c) => {
                let sort = why.fact("sort").unwrap_or("plain").to_owned();
                let args = [("sort", sort.into()), ("container", c.to_owned().into()), ("what", what.into())];
                self.noticed(why, self.with("fact-container", &args)).into()
            }
            None => what.into(),
        }
    }

    /// What has become of a container, with the event by which PLEG has reported it, if it has.
    fn noticed(&self, why: &Reason, text: String) -> String {
        let Some(event) = why.fact("event") else { return text };
        let args = [("text", text.into()), ("event", event.to_owned().into())];
        match why.fact("late") {
            Some(late) => {
                let [text, event] = args;
                self.with("pleg-noticed-late", &[text, event, ("s", value(late))])
            }
            None => self.with("pleg-noticed", &args),
        }
    }

    /// What a command does and why, as one sentence.
    pub fn command(&self, c: &Issued) -> String {
        let what = in_words(&c.request);
        match &c.why {
            Some(w) => {
                let why = self.why(w);
                self.with(
                    "said-because",
                    &[("who", c.by.to_string().into()), ("what", what.into()), ("why", why.into())],
                )
            }
            None => {
                let said = self.with("said", &[("who", c.by.to_string().into()), ("what", what.into())]);
                match &c.event {
                    Some((reason, message)) => format!("{said} · {reason}: {message}"),
                    None => said,
                }
            }
        }
    }

    /// A finest action before it happens: its name, whose it is, and the kind it brings news of.
    pub fn action(&self, name: &str, who: &str, kind: &str) -> String {
        self.with(
            &format!("action-{name}"),
            &[("who", who.to_owned().into()), ("kind", kind.to_owned().into())],
        )
    }

    /// What a step would do, as one line of text.
    pub fn next(&self, line: &NextLine) -> String {
        match &line.what {
            NextWhat::Command(c) => self.command(c),
            NextWhat::Action { name, kind } => self.action(name, &line.by, kind),
        }
    }

    /// A finest action that happened.
    pub fn finest(&self, did: &Finest) -> String {
        let said = |key: &str, object: &steady::engine::ObjectRef| {
            let object = format!("{} {}", object.kind.as_str(), object.key);
            self.with(key, &[("object", object.into())])
        };
        match did {
            Finest::Listed { kind, items, expired: Some((seen, oldest)) } => self.with(
                "out-expired",
                &[
                    ("kind", kind.as_str().into()),
                    ("n", (*items as f64).into()),
                    ("seen", seen.to_string().into()),
                    ("oldest", oldest.to_string().into()),
                ],
            ),
            Finest::Listed { kind, items, expired: None } => {
                self.with("out-listed", &[("kind", kind.as_str().into()), ("n", (*items as f64).into())])
            }
            Finest::Reflected(object) => said("out-reflected", object),
            Finest::Indexed(object) => said("out-indexed", object),
            Finest::Handled(object) => said("out-handled", object),
            Finest::Started(key, ended) => {
                self.with(if *ended { "out-synced" } else { "out-started" }, &[("key", key.clone().into())])
            }
            Finest::Sent { method, path, code } => format!("{method} {path} → {code}"),
            Finest::Recorded => self.get("out-recorded"),
            Finest::Advanced(milliseconds) => {
                self.with("out-advanced", &[("s", (*milliseconds as f64 / 1000.0).into())])
            }
            Finest::Informers { started, stopped } => {
                let kinds = |list: &[Kind]| list.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(", ");
                let (started, stopped) = (kinds(started), kinds(stopped));
                self.with("out-informers", &[("started", started.into()), ("stopped", stopped.into())])
            }
        }
    }
}

/// Numbers as numbers, so that plurals work.
fn value(text: &str) -> FluentValue<'static> {
    match text.parse::<i32>() {
        Ok(n) => n.into(),
        Err(_) => text.to_owned().into(),
    }
}

/// `create Pod web-cc5`
fn in_words(r: &RequestWords) -> String {
    // Of a whole collection there is no name.
    format!("{} {}", r.verb, r.object.trim_end())
}

/// The sentence of what happened on a step.
pub fn sentence(t: &Texts, happened: &Happened) -> String {
    // Lines that are whole sentences need no comma in between.
    let joined = |what: Vec<String>| {
        what.into_iter().reduce(|all, line| all.clone() + if all.ends_with('.') { " " } else { ", " } + &line)
    };
    let you = |what: Vec<String>| t.with("said-you", &[("what", joined(what).unwrap_or_default().into())]);
    match happened {
        Happened::Start => t.get("said-start"),
        Happened::Imported => t.get("said-imported"),
        Happened::Printed(lines) => you(lines.clone()),
        Happened::Executed { pod, container, command } => t.with(
            "said-executed",
            &[
                ("pod", pod.clone().into()),
                ("container", container.clone().into()),
                ("command", command.lines().collect::<Vec<_>>().join(" ⏎ ").into()),
            ],
        ),
        Happened::Requested(requests) => you(requests.iter().map(in_words).collect()),
        Happened::Issued(first, 0) => t.command(first),
        Happened::Issued(first, more) => {
            t.with("said-more", &[("first", t.command(first).into()), ("n", (*more as f64).into())])
        }
        Happened::Nothing => t.get("said-nothing"),
        Happened::Finest(did) => t.finest(did),
        Happened::Fault(fault) => fault_sentence(t, fault),
    }
}

fn fault_sentence(t: &Texts, fault: &Fault) -> String {
    let say = |key: &str, what: &str| t.with(key, &[("what", what.to_owned().into())]);
    let fault = match fault {
        Fault::NodeDown { node } => return say("said-node-down", node),
        Fault::NodeUp { node } => return say("said-node-up", node),
        Fault::Restart { process, node } => return say("said-restart", &named(process, node.as_deref())),
        Fault::CutWatches { process, node } => return say("said-watches", &named(process, node.as_deref())),
        Fault::Stop { process, node } => return say("said-stop", &named(process, node.as_deref())),
        Fault::Start { process, node } => return say("said-start-process", &named(process, node.as_deref())),
        Fault::Replicate { process } => return say("said-replicate", process),
        Fault::MemberDown { member } => return say("said-member-down", member),
        Fault::MemberUp { member } => return say("said-member-up", member),
        Fault::Manifest { node, file, text } => {
            let key = if text.is_some() { "said-manifest-put" } else { "said-manifest-remove" };
            return t.with(key, &[("node", node.clone().into()), ("file", file.clone().into())]);
        }
        Fault::Compact => return t.get("said-compact"),
        Fault::Wait { .. } => return t.get("said-wait"),
        Fault::MetricsServer { installed: true } => return t.get("said-metrics-server-installed"),
        Fault::MetricsServer { installed: false } => return t.get("said-metrics-server-removed"),
        Fault::CoreDns { installed: true } => return t.get("said-coredns-installed"),
        Fault::CoreDns { installed: false } => return t.get("said-coredns-removed"),
        Fault::IngressNginx { installed: true } => return t.get("said-ingress-installed"),
        Fault::IngressNginx { installed: false } => return t.get("said-ingress-removed"),
        Fault::GatewayFabric { installed: true } => return t.get("said-gateway-installed"),
        Fault::GatewayFabric { installed: false } => return t.get("said-gateway-removed"),
        Fault::KubeProxy { mode: Some(mode) } => {
            return say("said-kube-proxy-installed", mode.name());
        }
        Fault::KubeProxy { mode: None } => return t.get("said-kube-proxy-removed"),
        Fault::NetworkPlugin { plugin } => return say("said-network-plugin", plugin.name()),
        Fault::Controllers { process, controllers } => {
            let args = [("process", process.clone().into()), ("controllers", controllers.clone().into())];
            return t.with("said-controllers", &args);
        }
        Fault::Kubelet { fault, .. } => fault,
    };
    match fault {
        KubeletFault::CrashContainer { pod, container, exit_code } => t.with(
            "said-crash",
            &[
                ("what", pod.name.to_string().into()),
                ("container", container.to_string().into()),
                ("code", (*exit_code).into()),
            ],
        ),
        KubeletFault::FailProbe { pod, probe, failing, .. } => t.with(
            if *failing { "said-probe-fails" } else { "said-probe-passes" },
            &[("what", pod.name.to_string().into()), ("probe", probe.as_str().into())],
        ),
        KubeletFault::Image { image, pullable: false, .. } => say("said-image-gone", image),
        KubeletFault::Image { image, .. } => say("said-image-back", image),
        KubeletFault::Mount { volume, failing: true, .. } => say("said-mount-fails", volume),
        KubeletFault::Mount { volume, .. } => say("said-mount-works", volume),
    }
}

fn named(process: &str, node: Option<&str>) -> String {
    node.map_or_else(|| process.to_owned(), |n| format!("{process} {n}"))
}

/// A name of at most so many characters, shortened in the middle, where it says least.
pub fn middle(name: &str, max: usize) -> String {
    let n = name.chars().count();
    if n <= max || max < 5 {
        return name.to_owned();
    }
    let tail = (max - 1) * 3 / 5;
    let head = max - 1 - tail;
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(n - tail).collect();
    format!("{start}…{end}")
}

/// Virtual time in seconds, as short as it can be said.
#[cfg(target_arch = "wasm32")]
pub fn seconds(ms: i64) -> String {
    let s = ms as f64 / 1000.0;
    if ms % 1000 == 0 || s >= 1000.0 { format!("{s:.0}") } else { format!("{s:.1}") }
}
