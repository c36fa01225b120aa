//! Commands as sentences.

use fluent_bundle::FluentValue;
use steady::api::Kind;
use steady::apimachinery::{Request, Response, Subresource, Verb};
use steady::client::{Fact, Why};
use steady::cluster::{Action, Command, Fault, Outcome, Transition};
use steady::kubelet;
use steady::session::{Exchange, Moment, What};

use super::Texts;

impl Texts {
    /// Why a command was issued. A rule without a sentence shows its facts.
    pub fn why(&self, why: &Why) -> String {
        let key = format!("why-{}", why.rule.replace('.', "-"));
        if self.has(&key) {
            let args: Vec<_> = why.facts.iter().map(|f| (f.name, self.fact(why, f))).collect();
            return self.with(&key, &args);
        }
        let facts: Vec<String> = why.facts.iter().map(|f| format!("{}={}", f.name, f.value)).collect();
        if facts.is_empty() { why.rule.to_owned() } else { format!("{}: {}", why.rule, facts.join(", ")) }
    }

    /// A fact's value. Some are words, which are said in the reader's language, and of a container.
    fn fact(&self, why: &Why, fact: &Fact) -> FluentValue<'static> {
        if fact.name != "what" {
            return value(&fact.value);
        }
        let slug: String =
            fact.value.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let key = format!("fact-{slug}");
        let what = if self.has(&key) { self.get(&key) } else { fact.value.clone() };
        match why.fact("container") {
            Some(c) => self
                .with("fact-container", &[("container", c.to_owned().into()), ("what", what.into())])
                .into(),
            None => what.into(),
        }
    }

    /// A command's object, as `Pod web-cc5-… /status`.
    pub fn object(&self, request: &Request, response: &Response) -> String {
        let kind = request.kind.as_str();
        let name = match response {
            Response::Object { object, .. } if !object.name().is_empty() => object.name().to_owned(),
            _ => request.key.name.to_string(),
        };
        match request.subresource {
            Subresource::None => format!("{kind} {name}"),
            s => format!("{kind} {name}/{}", s.as_str()),
        }
    }

    /// What a command does and why, as one sentence.
    pub fn command(&self, c: &Command) -> String {
        let what = format!("{} {}", verb(&c.request), self.object(&c.request, &c.response));
        match &c.why {
            Some(w) => {
                let why = self.why(w);
                self.with(
                    "said-because",
                    &[("who", c.by.to_string().into()), ("what", what.into()), ("why", why.into())],
                )
            }
            None => self.with("said", &[("who", c.by.to_string().into()), ("what", what.into())]),
        }
    }

    /// A finest action before it happens.
    pub fn action(&self, a: &Action, who: &str, kind: &str) -> String {
        let key = match a {
            Action::List { .. } => "action-list",
            Action::Watch { .. } => "action-watch",
            Action::Pop { .. } => "action-pop",
            Action::Notify { .. } => "action-notify",
            Action::Start { .. } => "action-start",
            Action::Send { .. } => "action-send",
            Action::Record { .. } => "action-record",
            Action::Advance => "action-advance",
            Action::Informers { .. } => "action-informers",
        };
        self.with(key, &[("who", who.to_owned().into()), ("kind", kind.to_owned().into())])
    }

    /// A finest action that happened.
    pub fn transition(&self, t: &Transition) -> String {
        let object = |kind: &str, key: &dyn std::fmt::Display| format!("{kind} {key}");
        match &t.outcome {
            Outcome::Listed { kind, items, expired: Some((seen, oldest)) } => self.with(
                "out-expired",
                &[
                    ("kind", kind.as_str().into()),
                    ("n", (*items as f64).into()),
                    ("seen", seen.to_string().into()),
                    ("oldest", oldest.to_string().into()),
                ],
            ),
            Outcome::Listed { kind, items, expired: None } => {
                self.with("out-listed", &[("kind", kind.as_str().into()), ("n", (*items as f64).into())])
            }
            Outcome::Reflected { kind, key } => {
                self.with("out-reflected", &[("object", object(kind.as_str(), key).into())])
            }
            Outcome::Indexed { kind, key } => {
                self.with("out-indexed", &[("object", object(kind.as_str(), key).into())])
            }
            Outcome::Handled { kind, key } => {
                self.with("out-handled", &[("object", object(kind.as_str(), key).into())])
            }
            Outcome::Started { key, ended, .. } => self
                .with(if *ended { "out-synced" } else { "out-started" }, &[("key", key.to_string().into())]),
            Outcome::Sent { request, response, .. } => {
                format!("{} {} → {}", request.verb.method(), request.path(), response.code())
            }
            Outcome::Recorded { .. } => self.get("out-recorded"),
            Outcome::Advanced { from, to } => {
                let s = (to.as_millisecond() - from.as_millisecond()) as f64 / 1000.0;
                self.with("out-advanced", &[("s", s.into())])
            }
            Outcome::Informers { started, stopped } => {
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

/// `create`, or for a part of an object what it means.
fn verb(r: &Request) -> &'static str {
    match (r.verb, r.subresource) {
        (Verb::Create, Subresource::Binding) => "bind",
        (Verb::Create, Subresource::Eviction) => "evict",
        (v, _) => v.as_str(),
    }
}

/// The sentence of the step that led to a moment.
pub fn step_sentence(t: &Texts, m: &Moment) -> String {
    match &m.what {
        What::Start => t.get("said-start"),
        What::Person { output, exchanges, .. } => {
            // A raw request prints the raw answer, which is nothing to read.
            let what = if output.stdout.starts_with('{') {
                let say =
                    |e: &Exchange| format!("{} {}", verb(&e.request), t.object(&e.request, &e.response));
                exchanges.iter().map(say).collect::<Vec<_>>().join(", ")
            } else {
                output.stdout.lines().collect::<Vec<_>>().join(", ")
            };
            t.with("said-you", &[("what", what.into())])
        }
        What::Commands(c) => match c.first() {
            Some(first) if c.len() > 1 => t.with(
                "said-more",
                &[("first", t.command(first).into()), ("n", ((c.len() - 1) as f64).into())],
            ),
            Some(first) => t.command(first),
            None => t.get("said-nothing"),
        },
        What::Machinery(transition) => t.transition(transition),
        What::Fault(fault) => fault_sentence(t, fault),
    }
}

fn fault_sentence(t: &Texts, fault: &Fault) -> String {
    let say = |key: &str, what: &str| t.with(key, &[("what", what.to_owned().into())]);
    let fault = match fault {
        Fault::NodeDown { node } => return say("said-node-down", node),
        Fault::NodeUp { node } => return say("said-node-up", node),
        Fault::Restart { process, node } => return say("said-restart", &named(process, node.as_deref())),
        Fault::CutWatches { process, node } => return say("said-watches", &named(process, node.as_deref())),
        Fault::Stop { process } => return say("said-stop", process),
        Fault::Start { process } => return say("said-start-process", process),
        Fault::Replicate { process } => return say("said-replicate", process),
        Fault::MemberDown { member } => return say("said-member-down", member),
        Fault::MemberUp { member } => return say("said-member-up", member),
        Fault::Compact => return t.get("said-compact"),
        Fault::Controllers { process, controllers } => {
            let args = [("process", process.clone().into()), ("controllers", controllers.clone().into())];
            return t.with("said-controllers", &args);
        }
        Fault::Kubelet { fault, .. } => fault,
    };
    match fault {
        kubelet::Fault::CrashContainer { pod, container, exit_code } => t.with(
            "said-crash",
            &[
                ("what", pod.name.to_string().into()),
                ("container", container.to_string().into()),
                ("code", (*exit_code).into()),
            ],
        ),
        kubelet::Fault::FailProbe { pod, probe, failing, .. } => t.with(
            if *failing { "said-probe-fails" } else { "said-probe-passes" },
            &[("what", pod.name.to_string().into()), ("probe", probe.as_str().into())],
        ),
        kubelet::Fault::Image { image, pullable: false, .. } => say("said-image-gone", image),
        kubelet::Fault::Image { image, .. } => say("said-image-back", image),
    }
}

fn named(process: &str, node: Option<&str>) -> String {
    node.map_or_else(|| process.to_owned(), |n| format!("{process} {n}"))
}

/// A name of at most so many characters, shortened in the middle, where it says least.
#[cfg(target_arch = "wasm32")]
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
