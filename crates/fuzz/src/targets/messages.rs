//! Messages between the page, its engine and its explorer, and between that one and those who help it.

use std::cell::Cell;

use serde_json::{Value, json};
use steady::engine::explorer::{Ask, Choice, Plan, write};
use steady::engine::wire::{self, Heard as Came, Order, Receiver};
use steady::engine::{self, Begin, Depth, Engine, Form, Input, Output};
use steady::session::explore::findings::{Judged, Print};
use steady::session::explore::message::{Call, Said};
use steady::session::explore::order::{Branch, Order as Todo, Told};
use steady::session::{Link, Session, Start, scenario};
use steady_worker::{Search, Serving, Work};

use crate::heard::Heard;
use crate::seeds;

/// How many inputs of a list the engine is handed.
const INPUTS: usize = 8;
/// How many slices it works for after each of them.
const SLICES: usize = 12;
/// The most states that are explored, and the most steps from the start.
const STATES: usize = 40;

/// How many workers help in an exploration, and how many rounds of messages go to and fro.
const HELPERS: usize = 3;
const ROUNDS: usize = 30;

/// Lists of inputs: what a person does on the page. `{"ask": …}` is a question to the explorer, and `{"calls": …, "said": …}`
/// is what the explorer and those who help it say to each other.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let some = engine::ObjectRef::new(engine::Kind::POD, "default", "web");
    let node = engine::ObjectRef::new(engine::Kind::NODE, "", "node-1");
    let asks = |input: engine::Ask| Input::Ask(7, input);
    let mut lists: Vec<Vec<Input>> = vec![
        vec![Input::Step, Input::Step, Input::Back, Input::Walk(-3), Input::Step],
        vec![Input::ToSteady, asks(engine::Ask::Rules), asks(engine::Ask::Traffic), asks(engine::Ask::Rollouts)],
        vec![Input::Depth(Depth::Machinery), Input::Step, Input::StepInto(1, 2), Input::StepOut, Input::Restart],
        vec![Input::Typed("kind: Pod".into()), Input::Preview, Input::Apply, Input::TakeOver, Input::Note("x".into())],
        vec![Input::Terminal("kubectl get pods -o wide | grep web".into()), Input::Terminal("for i in 1 2; do kubectl get no; done".into())],
        vec![Input::Terminal("kubectl edit deploy web".into()), Input::CancelEdit, Input::Interrupt, Input::Clear],
        vec![Input::Terminal("docker exec node-1 iptables-save".into()), Input::Recall(vec!["a".into()]), asks(engine::Ask::Complete("kubectl get ".into()))],
        vec![Input::Select(Some(node.clone())), asks(engine::Ask::Object(node.clone())), asks(engine::Ask::Yaml(node.clone(), true)), asks(engine::Ask::Links(node))],
        vec![Input::ToSteady, asks(engine::Ask::Scheduling(some.clone())), asks(engine::Ask::SchedulingTable(some.clone(), None, 3)), asks(engine::Ask::Why(some.clone(), Some((3, true))))],
        vec![asks(engine::Ask::Machinery(engine::Actor::default(), Some(0))), asks(engine::Ask::Way(1, 0)), asks(engine::Ask::Requests(1, true)), asks(engine::Ask::RuntimeCalls(1))],
        vec![Input::Step, asks(engine::Ask::Export(Form::Mermaid)), asks(engine::Ask::Steps), asks(engine::Ask::Frames), asks(engine::Ask::Link)],
        vec![Input::Evict(some.clone()), Input::Crash(some.clone(), "app".into(), -1), Input::Filter(Default::default()), Input::ShowMap(true), Input::LookAt(Some(engine::Actor::default()))],
        vec![Input::Break(engine::Fault::NodeDown { node: "node-1".into() }), Input::ToMoment(1_767_225_700_000), Input::Stop, Input::Share, Input::Save],
        vec![Input::ToSteady, asks(engine::Ask::Journey(some.clone(), Some("http://web".into()), 3)), asks(engine::Ask::Sent(0, 10)), asks(engine::Ask::Digest)],
        vec![Input::OpenLesson("1.1".into(), 0), Input::Hint, Input::Solve, Input::LessonStep(1), Input::CheckLesson, Input::LeaveLesson],
        vec![Input::Dropped("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, uid: 12345678-a}}]".into()), Input::Import, Input::ApplyOrImport],
    ];
    let link = Link::of(&Session::new(Start::default())).encode();
    lists.push(vec![
        Input::Open(link.clone()),
        Input::Step,
        Input::Repeat { session: 0, from: 0, link: link.clone(), ops: 1 },
    ]);
    // The first ones are small.
    for (nth, listed) in scenario::list().iter().take(20).enumerate() {
        lists.push(vec![
            Input::OpenScenario(listed.id.into()),
            Input::Attempt(nth % 3),
            Input::Step,
            Input::ToSteady,
        ]);
    }
    for (name, text) in seeds::files("static/lessons", ".yaml").into_iter().step_by(6) {
        lists.push(vec![
            Input::BringLesson(name, text),
            Input::Solve,
            Input::LessonStep(1),
            Input::LessonAgain,
        ]);
    }
    let mut all: Vec<Vec<u8>> = lists.iter().map(|list| write(list).into_bytes()).collect();
    let plan = |own: &str| Plan {
        link: link.clone(),
        depth: Depth::Command,
        symmetry: Default::default(),
        states: STATES,
        steps: STATES,
        megabytes: 100,
        invariants: vec!["x".into()],
        own: vec![engine::explorer::Own { text: own.into(), steady: false }],
    };
    let objects = "objects.filter(o, o.kind == 'Pod').size() <= 5";
    let asked = [
        Ask::Explore(Box::new(plan(objects))),
        Ask::Way(engine::explorer::Goal::Longest),
        Ask::Picture(Some(0)),
        Ask::Where(link.clone()),
        Ask::Stop,
    ];
    all.push(json!({"ask": asked}).to_string().into_bytes());
    let print = Print::from(7_u128);
    let branch = |from, state| Branch { from, choice: Choice::Time, state };
    let calls = [
        Call::Begin(Box::new(Plan { link: crowd(), ..plan(objects) })),
        Call::Order(Todo::Take(vec![branch(None, Some((0, print))), branch(Some(0), Some((1, print)))])),
        Call::Order(Todo::Judged(Judged { of: 0, kept: vec![(0, 2), (1, 3)], refused: vec![2] })),
        Call::Order(Todo::Broken(vec![0, 9])),
        Call::Order(Todo::GiveUp(3)),
    ];
    let said = [
        (0, Said::Begun),
        (1, Said::Told(Told::Explored(0, Vec::new()))),
        (0, Said::Told(Told::GaveUp(vec![1, 1, 99_999]))),
        (2, Said::Memory(usize::MAX)),
        (9, Said::Told(Told::Failed("x".into()))),
        (1, Said::Failed("x".into())),
    ];
    all.push(json!({"calls": calls, "said": said[..1]}).to_string().into_bytes());
    for one in &said {
        // What each of them says first comes when the others are at work.
        let late: Vec<&(usize, Said)> = std::iter::repeat_n(&said[3], 6).chain([one]).collect();
        all.push(json!({"calls": [], "said": late}).to_string().into_bytes());
    }
    all
}

/// The link of a run from which much can happen in any order.
fn crowd() -> String {
    let mut session = Session::new(Start::default());
    if let Some(first) = scenario::find("01-first-deployment") {
        session.apply(&first.manifest);
    }
    Link::of(&session).encode()
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let Ok(input) = serde_json::from_slice::<Value>(input) else {
        let text = &*String::from_utf8_lossy(input);
        heard.say("no message", &wire::read::<Vec<wire::Message>>(text).err().unwrap_or_default());
        return;
    };
    match input {
        Value::Array(list) => serve(list, heard),
        Value::Object(mut map) => match map.remove("ask") {
            Some(asked) => ask(asked, heard),
            None => {
                let mut list = |name: &str| match map.remove(name) {
                    Some(Value::Array(list)) => list,
                    _ => Vec::new(),
                };
                let (calls, said) = (list("calls"), list("said"));
                help(calls, heard);
                share(said, heard);
            }
        },
        _ => {}
    }
}

/// A clock of which each look takes a millisecond.
fn clock() -> impl Fn() -> f64 {
    let now = Cell::new(0.0);
    move || {
        now.set(now.get() + 1.0);
        now.get()
    }
}

/// Hands inputs to an engine in a worker, and to another one beside it: what they show must be the same.
fn serve(list: Vec<Value>, heard: &mut Heard) {
    let (mut serving, mut beside) = (Serving::new(clock()), Engine::new(clock()));
    let mut receiver = Receiver::default();
    let begin =
        serde_json::to_value(Input::Begin(Begin { keep: true, ..Begin::default() })).unwrap_or_default();
    for (number, input) in (1..).zip(std::iter::once(begin).chain(list).take(INPUTS)) {
        let order = json!({"Input": [number, input]}).to_string();
        let order: Order = match engine::explorer::read(&order) {
            Ok(order) => order,
            Err(why) => {
                assert!(!why.is_empty(), "it is refused without a word");
                heard.say("refused", &why);
                continue;
            }
        };
        if too_large(&order) {
            continue;
        }
        if let Order::Input(_, input) = &order {
            let outputs = beside.handle(input.clone());
            outputs.iter().for_each(|o| told(o, heard));
        }
        let mut texts = vec![serving.hear(&write(&order)).unwrap_or_default()];
        for _ in 0..SLICES {
            while let Some(text) = texts.pop() {
                let messages = wire::read(&text)
                    .unwrap_or_else(|why| panic!("{why}: {}", text.chars().take(500).collect::<String>()));
                for came in receiver.unpack(messages) {
                    match came {
                        Came::Output(Output::Show(_)) => {
                            texts.push(serving.hear(&write(&Order::Drawn)).unwrap_or_default())
                        }
                        Came::Output(_) | Came::Handled(_) => {}
                        Came::Failed(why) => panic!("{why}"),
                    }
                }
            }
            if serving.due().is_none() {
                break;
            }
            texts.push(serving.go_on());
        }
        for _ in 0..SLICES {
            if beside.due().is_none() {
                break;
            }
            beside.work().iter().for_each(|o| told(o, heard));
        }
    }
}

/// Whether an input begins a cluster of a size that takes long.
fn too_large(order: &Order) -> bool {
    let link = match order {
        Order::Input(_, Input::Open(link)) => link,
        Order::Input(_, Input::OpenRun(work)) => &work.link,
        Order::Input(_, Input::Begin(begin)) => return begin.link.is_some() || begin.work.is_some(),
        Order::Input(_, Input::BeginWith(start)) => return start.nodes > 12,
        Order::Input(_, Input::Repeat { link, .. }) => link,
        _ => return false,
    };
    is_long(link)
}

fn is_long(link: &str) -> bool {
    Link::decode(link).is_ok_and(|l| l.start.nodes > 12 || l.steps() > 200)
}

fn told(output: &Output, heard: &mut Heard) {
    match output {
        Output::Show(shown) => heard.count("moments", shown.at),
        Output::Notice(notice) => heard.say("notice", &format!("{:?}", notice.said)),
        Output::Answer(_, answer) => {
            heard.say("answer", &format!("{answer:?}").chars().take(40).collect::<String>())
        }
        Output::Printed(Some(printed)) => heard.say("printed", &printed.stderr),
        other => heard.say("output", &format!("{other:?}").chars().take(12).collect::<String>()),
    }
}

fn ask(asked: Value, heard: &mut Heard) {
    let mut work = Work::default();
    for ask in asked.as_array().into_iter().flatten().take(INPUTS) {
        let mut ask: Ask = match engine::explorer::read(&ask.to_string()) {
            Ok(ask) => ask,
            Err(why) => {
                heard.say("not asked", &why);
                continue;
            }
        };
        if let Ask::Explore(plan) = &mut ask {
            plan.states = plan.states.min(STATES);
            plan.steps = plan.steps.min(STATES);
        }
        let link = match &ask {
            Ask::Explore(plan) => &plan.link,
            Ask::Rehearse(rehearse) => &rehearse.link,
            Ask::Where(link) => link,
            _ => "",
        };
        if is_long(link) {
            continue;
        }
        let mut told = work.hear(ask, 0);
        for _ in 0..SLICES {
            for tell in &told {
                heard.say("told", &format!("{tell:?}").chars().take(14).collect::<String>());
                let text = write(tell);
                assert!(!text.is_empty(), "it cannot be written: {tell:?}");
            }
            if !work.is_busy() {
                break;
            }
            told = work.go_on(slice(), || 0);
        }
    }
}

/// A slice of time in which some work is done.
fn slice() -> impl FnMut() -> bool {
    let mut left = 20;
    move || {
        left -= 1;
        left > 0
    }
}

/// Has a worker that helps to explore hear these calls.
fn help(calls: Vec<Value>, heard: &mut Heard) {
    let mut search = Search::default();
    for call in calls.into_iter().take(INPUTS) {
        let call = match serde_json::from_value::<Call>(call) {
            Ok(call) => call,
            Err(why) => {
                heard.say("no call", &why.to_string());
                continue;
            }
        };
        if matches!(&call, Call::Begin(plan) if is_long(&plan.link)) {
            continue;
        }
        let mut said = search.hear(call);
        for _ in 0..SLICES {
            for one in &said {
                heard.say("said", &format!("{one:?}").chars().take(20).collect::<String>());
            }
            if !search.is_busy() {
                break;
            }
            said = search.go_on(slice(), || 0);
        }
    }
}

/// Explores with workers that help, to whose messages these are added, one in each round: whatever is said, the exploration
/// goes on or ends with a reason.
fn share(odd: Vec<Value>, heard: &mut Heard) {
    let plan = Plan {
        link: crowd(),
        depth: Depth::Machinery,
        symmetry: Default::default(),
        states: 600,
        steps: STATES,
        megabytes: 100,
        invariants: Vec::new(),
        own: Vec::new(),
    };
    let mut work = Work::new(HELPERS);
    let mut searches: Vec<Search> = (0..HELPERS).map(|_| Search::default()).collect();
    let mut odd = odd.into_iter().filter_map(|one| serde_json::from_value::<(usize, Said)>(one).ok());
    let mut told = work.hear(Ask::Explore(Box::new(plan)), 0);
    for _ in 0..ROUNDS {
        for tell in &told {
            heard.say("told", &format!("{tell:?}").chars().take(14).collect::<String>());
            assert!(!write(tell).is_empty(), "it cannot be written: {tell:?}");
        }
        if !work.is_busy() {
            return;
        }
        told = work.go_on(slice(), || 0);
        let mut said: Vec<(usize, Vec<Said>)> = Vec::new();
        let calls = work.calls().unwrap_or_default();
        heard.count("calls", calls.say.len());
        for (n, text) in calls.say {
            let call: Call = engine::explorer::read(&text).unwrap_or_else(|why| panic!("{why}"));
            if let Some(search) = searches.get_mut(n) {
                said.push((n, search.hear(call)));
            }
        }
        for (n, search) in searches.iter_mut().enumerate().filter(|(_, search)| search.is_busy()) {
            said.push((n, search.go_on(slice(), || 0)));
        }
        said.extend(odd.next().map(|(n, one)| (n, vec![one])));
        for (n, said) in said {
            told.extend(work.hear_helper(n, said, 0));
        }
    }
}
