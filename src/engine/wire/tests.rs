#![allow(clippy::unwrap_used)]
use std::rc::Rc;

use super::*;
use crate::engine::explorer::write;
use crate::engine::tests::{at_once, finish, in_slices};
use crate::engine::{Begin, Depth, Engine, GraphFilter, Input};
use crate::session::scenario;

/// An engine, and what a page on another thread has of it.
struct Across {
    engine: Engine,
    sender: Sender,
    receiver: Receiver,
    /// The bytes of the last messages.
    bytes: usize,
}

impl Across {
    fn new() -> Across {
        let (sender, receiver) = Default::default();
        let mut across = Across { engine: at_once(), sender, receiver, bytes: 0 };
        across.send(Input::Begin(Begin::default()));
        across
    }

    /// Hands the engine an input, works until it waits, and holds each output to what comes over.
    fn send(&mut self, input: Input) {
        let mut out = self.engine.handle(input);
        self.bytes = 0;
        self.cross(std::mem::take(&mut out));
        let (rest, _) = finish(&mut self.engine);
        self.cross(rest);
    }

    fn cross(&mut self, outputs: Vec<Output>) {
        let (mut came, mut expected) = (Vec::new(), Vec::new());
        for output in outputs {
            expected.push(write(&output));
            let text = write(&self.sender.pack(vec![output]));
            assert!(!text.is_empty(), "the output can be written as text");
            self.bytes += text.len();
            came.extend(outputs_of(self.receiver.unpack(read(&text).unwrap())).iter().map(write));
            self.sender.drawn();
        }
        assert_eq!(came, expected);
    }

    fn shown(&self) -> &Shown {
        &self.receiver.shown
    }
}

fn outputs_of(heard: Vec<Heard>) -> Vec<Output> {
    let output = |heard| match heard {
        Heard::Output(output) => Some(output),
        Heard::Handled(_) | Heard::Failed(_) => None,
    };
    heard.into_iter().filter_map(output).collect()
}

/// Whatever happens in every scenario, the other thread shows the same.
#[test]
fn the_other_thread_shows_the_same() {
    let mut across = Across::new();
    for s in scenario::ordinary() {
        across.send(Input::OpenScenario(s.id));
        for input in [Input::Step, Input::Step, Input::ToSteady, Input::Back, Input::Walk(-3), Input::Step] {
            across.send(input);
        }
        across.send(Input::Terminal("kubectl create deployment other --image=nginx --replicas=2".into()));
        let (beginning, end) = (across.engine.beginning, across.engine.shown().at);
        across.send(Input::Filter(GraphFilter { text: "other".into(), ..GraphFilter::default() }));
        across.send(Input::Step);
        across.send(Input::Goto(beginning));
        across.send(Input::Filter(GraphFilter::default()));
        across.send(Input::Goto(end));
        across.send(Input::Depth(Depth::Machinery));
        across.send(Input::Step);
        across.send(Input::Depth(Depth::Command));
    }
}

/// What did not change is the same pointer there, too, so that no component draws it again.
#[test]
fn what_did_not_change_stays_the_same_pointer() {
    let mut across = Across::new();
    across.send(Input::ToSteady);
    let before = across.shown().clone();
    across.send(Input::Terminal("kubectl scale deployment web --replicas=4".into()));
    let now = across.shown();
    let kept = |reference| {
        let node = |s: &Shown| s.graph.node(s.graph.find(reference).unwrap()).unwrap().clone();
        Rc::ptr_eq(&node(&before), &node(now))
    };
    let (pods, deployments): (Vec<_>, Vec<_>) = (
        before.graph.nodes.iter().filter(|n| n.reference.kind == crate::api::Kind::POD).collect(),
        before.graph.nodes.iter().filter(|n| n.reference.kind == crate::api::Kind::DEPLOYMENT).collect(),
    );
    assert!(!pods.is_empty() && pods.iter().all(|n| kept(&n.reference)));
    assert!(deployments.iter().any(|n| !kept(&n.reference)), "its card says what it wants");
    assert!(Rc::ptr_eq(&before.text, &now.text) && Rc::ptr_eq(&before.kinds, &now.kinds));
    assert!(Rc::ptr_eq(&now.filtered, &now.graph), "without a filter it is the graph itself");
}

/// A step's messages do not grow with the cluster.
#[test]
fn a_step_sends_what_it_changed() {
    let step = |replicas: usize| {
        let mut across = Across::new();
        across.send(Input::OpenScenario("01-first-deployment".into()));
        let text = across.shown().text.replace("replicas: 3", &format!("replicas: {replicas}"));
        across.send(Input::ApplyText(text));
        across.send(Input::ToSteady);
        across.send(Input::Do(
            "kubectl delete pod -l app=web --field-selector=spec.nodeName=node-1 --wait=false".into(),
        ));
        let mut most = 0;
        for _ in 0..6 {
            across.send(Input::Step);
            most = most.max(across.bytes);
        }
        most
    };
    let (few, many) = (step(10), step(80));
    assert!(many < 2 * few, "{few} bytes with ten pods, {many} with eighty");
}

/// While the page draws, it is sent nothing more to draw; then it is sent what is shown by that time, and nothing else was lost.
#[test]
fn a_page_that_draws_slowly_skips_what_is_old() {
    let mut engine = in_slices();
    let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
    let shows = |messages: &[Message]| messages.iter().filter(|m| matches!(m, Message::Show(_))).count();
    let (mut sent, mut stepped, mut told) = (0, 0, 0);
    let count = |o: &[Output]| o.iter().filter(|o| matches!(o, Output::Stepped(_))).count();
    let mut hear = |messages: Vec<Message>, sent: &mut usize, told: &mut usize| {
        *sent += shows(&messages);
        *told += count(&outputs_of(receiver.unpack(messages)));
        write(&receiver.shown)
    };
    for _ in 0..6 {
        let mut outputs = engine.handle(Input::Step);
        outputs.extend(finish(&mut engine).0);
        stepped += count(&outputs);
        hear(sender.pack(outputs), &mut sent, &mut told);
    }
    assert_eq!(sent, AHEAD);
    assert!(told < stepped, "{told} of {stepped} steps");
    let there = hear(sender.drawn(), &mut sent, &mut told);
    assert_eq!((sent, told), (AHEAD + 1, stepped));
    assert_eq!(there, write(engine.shown()));
    assert!(sender.drawn().is_empty());
}

/// That an input was handled is heard after all that came of it, also where some of that was held back, or was made old by
/// what the engine has found since.
#[test]
fn what_was_handled_is_heard_last() {
    let mut engine = in_slices();
    let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
    let (mut order, mut seen) = (Vec::new(), 0);
    let mut hear = |messages: Vec<Message>| {
        for heard in
            messages.into_iter().flat_map(|message| receiver.unpack(vec![message])).collect::<Vec<_>>()
        {
            match heard {
                Heard::Output(Output::Did(_)) => order.push(0),
                Heard::Output(Output::Show(shown)) => seen = shown.position as u64,
                Heard::Output(_) => {}
                Heard::Handled(number) => {
                    assert!(seen >= number, "step {number} is handled, and step {seen} is shown");
                    order.push(number);
                }
                Heard::Failed(why) => panic!("{why}"),
            }
        }
    };
    for number in 1..=6 {
        hear(sender.handled(number, engine.handle(Input::StepAtOnce)));
        hear(sender.pack(engine.work()));
    }
    for _ in 0..6 {
        hear(sender.drawn());
    }
    assert_eq!(order, [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6]);
}
