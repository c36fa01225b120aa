//! How a sync stops at its requests and goes on, from the outside: what a process does with a component.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use super::*;
use crate::api::types::{ConfigMap, ObjectMeta, Secret};
use crate::api::{Key, Kind, MetaExt, Object, Timestamp, later};
use crate::apimachinery::{Response, Status, Verb};

/// What the scribe has to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Copy(Key),
    Rest,
}

impl From<Key> for Task {
    fn from(key: Key) -> Task {
        Task::Copy(key)
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Copy(key) => write!(f, "copy/{key}"),
            Task::Rest => f.write_str("rest"),
        }
    }
}

/// What it remembers: what it did, in order.
#[derive(Clone, Debug)]
struct Diary {
    lines: Vec<String>,
    kinds: Kinds,
}

impl Default for Diary {
    fn default() -> Diary {
        Diary { lines: Vec::new(), kinds: Rc::new([Kind::SECRET]) }
    }
}

impl Memory for Diary {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        self.lines.clone()
    }
}

fn write(line: impl Into<String>) -> impl Fn(&mut Diary) + 'static {
    let line = line.into();
    move |diary| diary.lines.push(line.clone())
}

/// Reads a ConfigMap from the API server and makes a copy of it.
#[derive(Clone, Default)]
struct Scribe {
    /// How often the code of a sync began to run, again or for the first time.
    begun: Rc<Cell<usize>>,
}

impl Reconciler for Scribe {
    type Key = Task;
    type State = Diary;

    fn name(&self) -> Rc<str> {
        "scribe".into()
    }

    fn watches(&self) -> Watches<Diary, Task> {
        Watches::new().for_::<ConfigMap>().known(
            |diary| &diary.kinds,
            |cx, seen| {
                cx.state.lines.push(format!("heard of {}", seen.key));
                if &*seen.key.name == "more" {
                    cx.state.kinds = Rc::new([Kind::SECRET, Kind::CONFIG_MAP, Kind::SERVICE]);
                }
            },
        )
    }

    fn initial_keys(&self, _: &Self::State) -> Vec<Task> {
        vec![Task::Rest]
    }

    async fn sync(self, cx: Context<Diary, Task>, task: Task) -> Result {
        let Task::Copy(key) = task else { return Ok(()) };
        self.begun.set(self.begun.get() + 1);
        cx.update_state(write("began"));
        cx.enqueue(Task::Rest);
        let original = cx.get::<ConfigMap>(key.clone()).await?;
        cx.update_state(write(format!("read {}", original.metadata.name())));
        cx.event(&*original, "Normal", "Copying", "It is being copied");
        let name = format!("{}-copy", key.name);
        let copy = cx.create(config_map(&name)).because(Why::new("scribe.copy")).await?;
        cx.update_state(write(format!("wrote {}", copy.metadata.name())));
        cx.enqueue_after(Task::Copy(key), SignedDuration::from_secs(5));
        Ok(())
    }

    fn max_retries(&self) -> Option<u32> {
        Some(1)
    }
}

fn config_map(name: &str) -> ConfigMap {
    let metadata =
        ObjectMeta { name: Some(name.into()), namespace: Some("default".into()), ..Default::default() };
    ConfigMap { metadata, ..Default::default() }
}

fn secret(name: &str) -> Secret {
    Secret { metadata: config_map(name).metadata, ..Default::default() }
}

fn object(name: &str) -> Response {
    Response::Object { object: Object::from(config_map(name)), created: false }
}

fn refusal() -> Response {
    Response::Failure(Box::new(Status::not_found(Kind::CONFIG_MAP, "original")))
}

/// A component with what its process lends it.
struct Bench {
    scribe: Controller<Scribe>,
    caches: Rc<Caches>,
    timers: Vec<TimerOp>,
    begun: Rc<Cell<usize>>,
}

impl Bench {
    /// A scribe that has begun to copy and stands at its first request.
    fn at_work() -> Bench {
        let scribe = Scribe::default();
        let begun = scribe.begun.clone();
        let controller = Controller::new(scribe);
        let mut bench = Bench { scribe: controller, caches: Rc::default(), timers: Vec::new(), begun };
        assert!(bench.scribe.wants().informers, "no process has made informers yet");
        bench.scribe.watching();
        // The key to start with leads to nothing.
        assert_eq!(bench.start(), Some(Progress::Done { key: AnyKey::new(Task::Rest), error: None }));
        bench.hear(config_map("original"));
        assert_eq!(bench.start(), Some(Progress::Waiting));
        bench
    }

    fn with<R>(&mut self, act: impl FnOnce(&mut Controller<Scribe>, &mut Env<'_>) -> R) -> R {
        let mut env = Env { caches: &self.caches, now: Timestamp::UNIX_EPOCH, timers: &mut self.timers };
        act(&mut self.scribe, &mut env)
    }

    fn start(&mut self) -> Option<Progress> {
        self.with(Component::start)
    }

    fn answer(&mut self, answer: Response) -> Option<Progress> {
        self.with(|c, env| c.answered(env, answer))
    }

    fn hear(&mut self, object: impl Into<Object>) {
        let object = object.into();
        let seen = Notification { key: object.key(), old: None, new: Some(object.clone()) };
        let watch = self.scribe.watches().iter().position(|(kind, _)| *kind == object.kind()).unwrap();
        self.with(|c, env| c.notify(env, watch, &seen));
    }

    /// The component as a copy of its cluster has it. The copy takes the running code along, so to have
    /// the code run again it is the original that goes on.
    fn copied(&self) -> Controller<Scribe> {
        self.scribe.clone()
    }

    fn asks(&self) -> Option<(Verb, String)> {
        self.scribe.pending().map(|p| (p.request.verb, p.request.key.to_string()))
    }

    fn diary(&self) -> Vec<String> {
        self.scribe.memory(&Caches::default(), Timestamp::UNIX_EPOCH)
    }

    fn queue(&self) -> Vec<String> {
        self.scribe.queue().iter().map(ToString::to_string).collect()
    }
}

fn copying() -> AnyKey {
    AnyKey::new(Task::Copy(Key::new("default", "original")))
}

#[test]
fn a_sync_stops_at_its_first_request_and_what_it_did_until_then_is_done() {
    let bench = Bench::at_work();
    assert_eq!(bench.asks(), Some((Verb::Get, "default/original".into())));
    assert_eq!(bench.diary(), ["began"]);
    assert_eq!(bench.queue(), ["rest"]);
    assert_eq!(bench.scribe.working_on(), Some(&copying()));
    let wants = Wants { send: true, ..Wants::default() };
    assert_eq!(bench.scribe.wants(), wants, "no other key is taken meanwhile");
}

#[test]
fn an_answer_leads_to_the_next_request_and_the_last_one_to_the_end() {
    let mut bench = Bench::at_work();
    assert_eq!(bench.answer(object("original")), Some(Progress::Waiting));
    assert_eq!(bench.asks(), Some((Verb::Create, "default/original-copy".into())));
    assert_eq!(bench.scribe.pending().unwrap().why.as_ref().unwrap().rule, "scribe.copy");
    assert_eq!(bench.scribe.answer_codes(), [200]);
    assert_eq!(bench.scribe.events_waiting(), 1);
    let end = bench.answer(object("original-copy"));
    assert_eq!(end, Some(Progress::Done { key: copying(), error: None }));
    assert_eq!(bench.diary(), ["began", "read original", "wrote original-copy"]);
    assert_eq!(bench.begun.get(), 1);
    let at = later(Timestamp::UNIX_EPOCH, SignedDuration::from_secs(5));
    let timer = TimerOp::Set { key: copying(), at, replaces: None, wait: Wait::Foreground };
    assert_eq!(bench.timers, [timer]);
}

#[test]
fn without_the_running_code_it_is_run_again_up_to_where_it_stood_and_no_effect_comes_twice() {
    let mut bench = Bench::at_work();
    let _copy = bench.copied();
    bench.answer(object("original"));
    assert_eq!(bench.begun.get(), 2);
    assert_eq!(bench.asks(), Some((Verb::Create, "default/original-copy".into())));
    let _copy = bench.copied();
    bench.answer(object("original-copy"));
    assert_eq!(bench.begun.get(), 3);
    assert_eq!(bench.diary(), ["began", "read original", "wrote original-copy"]);
    assert_eq!(
        (bench.queue(), bench.scribe.events_waiting(), bench.timers.len()),
        (vec!["rest".into()], 1, 1)
    );
}

#[test]
fn a_copy_and_the_original_go_on_by_themselves() {
    let mut bench = Bench::at_work();
    bench.answer(object("original"));
    let copy = bench.copied();
    let mut copy =
        Bench { scribe: copy, caches: Rc::default(), timers: Vec::new(), begun: bench.begun.clone() };
    bench.answer(refusal());
    assert_eq!(copy.diary(), ["began", "read original"]);
    assert_eq!(copy.asks(), Some((Verb::Create, "default/original-copy".into())));
    copy.answer(object("original-copy"));
    assert_eq!(copy.diary(), ["began", "read original", "wrote original-copy"]);
    assert_eq!(bench.diary(), ["began", "read original"]);
}

#[test]
fn handlers_that_run_meanwhile_and_the_sync_both_change_the_state() {
    for copied in [false, true] {
        let mut bench = Bench::at_work();
        let _copy = copied.then(|| bench.copied());
        bench.hear(secret("news"));
        bench.answer(object("original"));
        bench.answer(object("original-copy"));
        let diary = ["began", "heard of default/news", "read original", "wrote original-copy"];
        assert_eq!(bench.diary(), diary, "copied: {copied}");
    }
}

#[test]
fn a_refusal_ends_a_sync_that_does_not_expect_it_and_its_key_comes_again_until_it_is_dropped() {
    let mut bench = Bench::at_work();
    let failed = |p: Option<Progress>| matches!(p, Some(Progress::Done { error: Some(Error::Api(_)), .. }));
    assert!(failed(bench.answer(refusal())));
    assert_eq!(bench.scribe.queue().retries(&copying()), 1);
    assert!(matches!(&bench.timers[0], TimerOp::Set { at, .. } if at.as_millisecond() == 5));
    assert!(bench.scribe.pending().is_none());
    bench.scribe.fire(&copying());
    while bench.start() != Some(Progress::Waiting) {}
    assert!(failed(bench.answer(refusal())));
    assert_eq!((bench.scribe.queue().retries(&copying()), bench.timers.len()), (0, 1), "once was the limit");
}

#[test]
fn a_key_that_is_added_while_it_is_worked_on_comes_again() {
    let mut bench = Bench::at_work();
    bench.hear(config_map("original"));
    assert_eq!(bench.queue(), ["rest"]);
    bench.answer(object("original"));
    bench.answer(object("original-copy"));
    assert_eq!(bench.queue(), ["rest", "copy/default/original"]);
}

#[test]
fn a_component_that_is_switched_off_forgets_its_sync_and_an_answer_comes_to_nothing() {
    let mut bench = Bench::at_work();
    bench.answer(object("original"));
    bench.scribe.restart();
    assert_eq!((bench.asks(), bench.scribe.working_on(), bench.scribe.events_waiting()), (None, None, 0));
    assert_eq!(bench.answer(object("original-copy")), None);
    assert_eq!((bench.diary(), bench.queue(), bench.timers.len()), (vec![], vec!["rest".to_owned()], 0));
}

#[test]
fn kinds_that_are_known_at_run_time_are_asked_for_when_they_change() {
    let mut bench = Bench::at_work();
    let watches = |b: &Bench| b.scribe.watches().into_iter().map(|(k, _)| k).collect::<Vec<_>>();
    assert_eq!(watches(&bench), [Kind::CONFIG_MAP, Kind::SECRET]);
    assert!(!bench.scribe.wants().informers);
    bench.hear(secret("more"));
    assert!(bench.scribe.wants().informers);
    assert_eq!(watches(&bench), [Kind::CONFIG_MAP, Kind::SECRET, Kind::SERVICE], "each kind once");
    bench.hear(config_map("both"));
    assert_eq!(bench.queue(), ["rest", "copy/default/both"]);
    assert_eq!(bench.diary(), ["began", "heard of default/more", "heard of default/both"]);
}

/// Sends two requests, and notes after each how many ConfigMaps its caches have, as they were when the sync began and
/// as they are then.
#[derive(Clone)]
struct Reader;

impl Reconciler for Reader {
    type Key = Key;
    type State = Diary;

    fn name(&self) -> Rc<str> {
        "reader".into()
    }

    fn watches(&self) -> Watches<Diary> {
        Watches::new().reads::<ConfigMap>()
    }

    fn initial_keys(&self, _: &Self::State) -> Vec<Key> {
        vec![Key::new("default", "original")]
    }

    fn reads_again(&self) -> bool {
        true
    }

    async fn sync(self, cx: Context<Diary>, key: Key) -> Result {
        let count = |cx: &Context<Diary>| cx.lister::<ConfigMap>().list(None).count();
        for _ in 0..2 {
            cx.get::<ConfigMap>(key.clone()).await?;
            cx.update_state(write(format!("{} and {}", count(&cx), count(&cx.latest()))));
        }
        Ok(())
    }
}

#[test]
fn what_a_sync_reads_again_is_as_it_was_at_the_last_answer_also_when_its_code_runs_again() {
    for copied in [false, true] {
        let mut reader = Controller::new(Reader);
        let (mut caches, mut timers) = (Rc::new(Caches::default()), Vec::new());
        let now = Timestamp::UNIX_EPOCH;
        reader.start(&mut Env { caches: &caches, now, timers: &mut timers });
        for name in ["one", "two"] {
            let object = Object::from(config_map(name));
            Rc::make_mut(&mut caches).of_mut(Kind::CONFIG_MAP).upsert(object.key(), object);
            let _copy = copied.then(|| reader.clone());
            reader.answered(&mut Env { caches: &caches, now, timers: &mut timers }, self::object("original"));
        }
        assert_eq!(reader.memory(&caches, now), ["0 and 1", "0 and 2"], "copied: {copied}");
    }
}
