//! What happened since a step of a lesson began, as the values that its expressions read: the objects then and now, and every
//! command in between. Parts of a goal that speak of the whole time are judged after every write.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::json;

use super::expression::{CUSTOM, Expression, Measure, Now, Scope};
use super::file::{Asked, Holds, Lesson, LessonStep, Part};
use crate::api::persistent::{Map, Vector};
use crate::api::pod::is_ready;
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, Timestamp};
use crate::apimachinery::{Request, Response};
use crate::apiserver::Write;
use crate::cel::{Activation, EvalError, Value};
use crate::cluster::{Cluster, Command, Outcome, Traffic};
use crate::session::scenario::Scenario;
use crate::session::{Moment, MomentId, Session, What};

/// The most next commands that an expression sees.
const NEXT: usize = 20;

/// What all expressions may cost together that are evaluated when a moment is judged or a prediction is answered, in CEL's units.
/// A lesson that somebody was sent must not keep the page from answering.
const BUDGET: u64 = 20_000_000;

/// The objects of a moment as values. Cloning it copies pointers.
#[derive(Clone, Debug, Default)]
struct World {
    kinds: Map<Kind, Map<Key, Value>>,
    /// The lists of those kinds of which no object has changed since they were last asked for.
    lists: RefCell<Map<Kind, Value>>,
}

impl World {
    fn of(cluster: &Cluster) -> World {
        let mut world = World::default();
        for (at, object) in cluster.api().cached_all() {
            world.set(at, Some(object));
        }
        world
    }

    fn set(&mut self, at: &ObjectRef, object: Option<&Object>) {
        self.lists.get_mut().remove(&at.kind);
        let kind = self.kinds.entry(at.kind).or_default();
        match object {
            Some(object) => {
                kind.insert(at.key.clone(), value_of(object));
            }
            None => {
                kind.remove(&at.key);
            }
        }
    }

    fn list(&self, kind: Kind) -> Value {
        let mut lists = self.lists.borrow_mut();
        let of =
            || Value::from_values(self.kinds.get(&kind).into_iter().flat_map(|all| all.values().cloned()));
        lists.entry(kind).or_insert_with(of).clone()
    }

    fn value(&self) -> Value {
        let built_in = Kind::BUILT_IN.iter().map(|kind| (kind.plural(), self.list(*kind)));
        // A custom kind without objects has an empty list, as others have.
        let served = self.kinds.get(&Kind::CUSTOM_RESOURCE_DEFINITION).into_iter().flat_map(|all| all.keys());
        let none = served.filter_map(|key| key.name.split('.').next());
        let none = none.map(|plural| (plural, Value::from_values(std::iter::empty())));
        let some = self.kinds.keys().filter(|kind| !Kind::BUILT_IN.contains(kind));
        let some = some.map(|kind| (kind.plural(), self.list(*kind)));
        let custom: BTreeMap<&str, Value> = none.chain(some).collect();
        Value::from_entries(built_in.chain([(CUSTOM, Value::from_entries(custom))]))
    }
}

/// An object as its JSON, with what is worked out of it under `is`.
fn value_of(object: &Object) -> Value {
    let mut value = object.to_value();
    let meta = object.meta();
    let owner = meta.controller().map_or(String::new(), |owner| format!("{}/{}", owner.kind, owner.name));
    let is = json!({
        "ready": object.get::<Pod>().is_some_and(|pod| is_ready(pod)),
        "deleting": meta.is_deleting(),
        "owner": owner,
    });
    if let Some(fields) = value.as_object_mut() {
        fields.insert("is".to_owned(), is);
    }
    Value::from_json(&value)
}

/// A command as a value.
fn command(by: &str, request: &Request, response: &Response, rule: Option<&str>) -> Value {
    let name = match response {
        Response::Object { object, .. } if !object.name().is_empty() => object.name(),
        _ => request.key.name.as_str(),
    };
    Value::from_json(&json!({
        "by": by,
        "verb": request.verb.as_str(),
        "kind": request.kind.as_str(),
        "subresource": request.subresource.as_str(),
        "namespace": &*request.key.namespace,
        "name": name,
        "code": response.code(),
        "rule": rule.unwrap_or_default(),
    }))
}

fn command_of(c: &Command) -> Value {
    command(&c.by, &c.request, &c.response, c.why.as_ref().map(|w| w.rule))
}

/// What became of the requests of one client, as a value. The causes are named as [`Cause`](crate::network::traffic::Cause) is.
fn traffic_of(t: &Traffic) -> Value {
    let causes: BTreeMap<String, u64> =
        t.counts.lost.iter().map(|(cause, n)| (cause.to_string(), *n)).collect();
    Value::from_json(&json!({
        "kind": t.sender.kind.as_str(),
        "namespace": &*t.sender.key.namespace,
        "pod": &*t.sender.key.name,
        "host": t.client.url.host,
        "sent": t.counts.sent,
        "lost": t.counts.losses(),
        "causes": causes,
    }))
}

/// What is known of the time up to a moment.
#[derive(Clone, Debug)]
struct Known {
    world: World,
    commands: Vector<Value>,
    time: Timestamp,
    /// For each part of the goal: whether it has held after every write, or after some write.
    parts: Vec<Result<bool, String>>,
}

/// What the expressions of a step may ask kubectl and the network.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    /// The lesson's beginning, with the files that lines of kubectl's name.
    pub(super) scenario: Rc<Scenario>,
    /// The lesson, and the place of the step in it.
    pub(super) lesson: Rc<Lesson>,
    pub(super) step: usize,
}

impl Asking {
    fn step(&self) -> Option<&LessonStep> {
        self.lesson.steps.get(self.step)
    }

    fn prints(&self, session: &Session) -> Value {
        self.step().map_or(Value::Null, |step| step.prints.value(&self.scenario, session))
    }

    fn journeys(&self, session: &Session) -> Value {
        self.step().map_or(Value::Null, |step| step.journeys.value(session.cluster()))
    }
}

/// The time since a step of a lesson began.
#[derive(Clone, Debug)]
pub(super) struct History {
    begin: MomentId,
    time: Timestamp,
    before: World,
    asking: Asking,
    known: BTreeMap<MomentId, Known>,
}

impl History {
    /// A history that begins at the moment that is shown.
    pub(super) fn begin(session: &Session, asking: Asking) -> History {
        History {
            begin: session.at(),
            time: session.now(),
            before: World::of(session.cluster()),
            asking,
            known: BTreeMap::new(),
        }
    }

    /// The moment at which it begins.
    pub(super) fn begins(&self) -> MomentId {
        self.begin
    }

    /// Whether each part of a goal holds at the moment that is shown, or what CEL says of it. `None` if the history's beginning
    /// does not lie on the way to that moment.
    pub(super) fn judge(&mut self, session: &Session, goal: &[Part]) -> Option<Vec<Result<bool, String>>> {
        let mut budget = BUDGET;
        let known = self.follow(session, goal, &mut budget)?;
        let mut now = |condition: &Expression<Now>| {
            let activation = self.now(session, &known, condition);
            truth(condition.evaluate(&activation, &mut budget))
        };
        let part = |(part, so_far): (&Part, &Result<bool, String>)| match &part.holds {
            Holds::Now(condition) => now(condition),
            Holds::Always(_) | Holds::Ever(_) => so_far.clone(),
        };
        Some(goal.iter().zip(&known.parts).map(part).collect())
    }

    /// What a prediction asks for, at the moment that is shown, or what CEL says of it. `None` as with [`History::judge`].
    pub(super) fn answer(&mut self, session: &Session, asked: &Asked) -> Option<Result<Value, String>> {
        let extreme = |measure, better: fn(i64, i64) -> i64| self.extreme(session, measure, better);
        match asked {
            Asked::Last(expression) => {
                let mut budget = BUDGET;
                let known = self.follow(session, &[], &mut budget)?;
                let value = expression.evaluate(&self.now(session, &known, expression), &mut budget);
                Some(value.map_err(|e| e.to_string()))
            }
            Asked::Lowest(measure) => extreme(measure, i64::min),
            Asked::Highest(measure) => extreme(measure, i64::max),
        }
    }

    /// The best of the numbers that an expression gives when the history begins and after every write up to the moment that is
    /// shown.
    fn extreme(
        &self,
        session: &Session,
        measure: &Expression<Measure>,
        better: fn(i64, i64) -> i64,
    ) -> Option<Result<Value, String>> {
        let mut budget = BUDGET;
        let mut number = |known: &Known| match measure.evaluate(&self.variables(known, measure), &mut budget)
        {
            Ok(Value::Int(n)) => Ok(n),
            Ok(other) => Err(format!(
                "{} is of the type {}, and a whole number is asked for",
                measure.source(),
                other.type_name()
            )),
            Err(e) => Err(e.to_string()),
        };
        let mut known = self.known_at_begin();
        let mut best = number(&known);
        let (_, way) = self.way_from(session, |_| false)?;
        for id in way {
            pass(session, session.moment(id)?, &mut known, &mut |known| {
                best = best.clone().and_then(|best| Ok(better(best, number(known)?)));
            });
        }
        Some(best.map(Value::Int))
    }

    /// The variables that an expression uses, of those that are known of every moment.
    fn variables<S: Scope>(&self, known: &Known, of: &Expression<S>) -> Activation {
        let mut activation = Activation::new();
        if of.uses("now") {
            activation = activation.with("now", known.world.value());
        }
        if of.uses("before") {
            activation = activation.with("before", self.before.value());
        }
        if of.uses("commands") {
            activation = activation.with("commands", Value::from_values(known.commands.iter().cloned()));
        }
        activation.with("seconds", Value::Int(known.time.as_second() - self.time.as_second()))
    }

    fn now<S: Scope>(&self, session: &Session, known: &Known, of: &Expression<S>) -> Activation {
        let mut activation = self.variables(known, of);
        if of.uses("steady") || of.uses("next") {
            let next = session.next_commands(NEXT);
            activation = activation
                .with("steady", Value::Bool(next.is_empty()))
                .with("next", Value::from_values(next.iter().map(command_of)));
        }
        if of.uses("traffic") {
            let traffic = session.cluster().traffic(self.time);
            activation = activation.with("traffic", Value::from_values(traffic.iter().map(traffic_of)));
        }
        if of.uses("prints") {
            activation = activation.with("prints", self.asking.prints(session));
        }
        if of.uses("journeys") {
            activation = activation.with("journeys", self.asking.journeys(session));
        }
        activation
    }

    fn known_at_begin(&self) -> Known {
        Known { world: self.before.clone(), commands: Vector::new(), time: self.time, parts: Vec::new() }
    }

    /// The moments on the way to the one that is shown, from the history's beginning or the last one of which `known` is true.
    /// Returns that one as well. `None` if neither lies on the way.
    fn way_from(
        &self,
        session: &Session,
        known: impl Fn(MomentId) -> bool,
    ) -> Option<(MomentId, Vec<MomentId>)> {
        let mut way = Vec::new();
        let mut at = session.at();
        while at != self.begin && !known(at) {
            way.push(at);
            at = session.moment(at)?.parent?;
        }
        way.reverse();
        Some((at, way))
    }

    /// Follows the run to the moment that is shown, moment by moment.
    fn follow(&mut self, session: &Session, goal: &[Part], budget: &mut u64) -> Option<Known> {
        let (at, way) = self.way_from(session, |id| self.known.contains_key(&id))?;
        let mut known = match self.known.get(&at) {
            Some(known) if known.parts.len() == goal.len() => known.clone(),
            Some(_) => {
                self.known.clear();
                return self.follow(session, goal, budget);
            }
            None => {
                let mut known = self.known_at_begin();
                let part = |part: &Part| self.judge_lasting(&part.holds, &known, budget).unwrap_or(Ok(false));
                known.parts = goal.iter().map(part).collect();
                known
            }
        };
        for id in way {
            pass(session, session.moment(id)?, &mut known, &mut |known| {
                for (n, part) in goal.iter().enumerate() {
                    if let Some(so_far) = known.parts.get(n)
                        && is_open(&part.holds, so_far)
                        && let Some(judged) = self.judge_lasting(&part.holds, known, budget)
                        && let Some(so_far) = known.parts.get_mut(n)
                    {
                        *so_far = judged;
                    }
                }
            });
            self.known.insert(id, known.clone());
        }
        Some(known)
    }

    /// Whether a condition that speaks of the whole time holds at a moment; `None` for one that speaks of the moment that is
    /// shown.
    fn judge_lasting(&self, holds: &Holds, known: &Known, budget: &mut u64) -> Option<Result<bool, String>> {
        match holds {
            Holds::Now(_) => None,
            Holds::Always(condition) | Holds::Ever(condition) => {
                Some(truth(condition.evaluate(&self.variables(known, condition), budget)))
            }
        }
    }
}

/// Takes a moment into what is known. `then` is called after each of its writes.
fn pass(session: &Session, moment: &Moment, known: &mut Known, then: &mut dyn FnMut(&mut Known)) {
    let mut wrote = |known: &mut Known, write: &Write| {
        known.world.set(&write.object, write.next.as_ref());
        then(known);
    };
    match &moment.what {
        What::Start | What::Import => {}
        What::Fault(fault, _) => {
            let name = serde_json::to_value(fault).ok();
            let name = name
                .as_ref()
                .and_then(|v| v.as_str().or_else(|| v.as_object()?.keys().next().map(String::as_str)));
            known.commands.push_back(Value::from_json(&json!({
                "by": "you", "verb": "fault", "kind": name.unwrap_or_default(), "subresource": "", "namespace": "",
                "name": "", "code": 200, "rule": "",
            })));
        }
        What::Person { exchanges, writes, .. } => {
            for e in exchanges {
                known.commands.push_back(command("you", &e.request, &e.response, None));
            }
            writes.iter().for_each(|w| wrote(known, w));
        }
        What::Commands(commands) => {
            for c in commands {
                known.time = c.at;
                known.commands.push_back(command_of(c));
                c.writes.iter().chain(&c.events).for_each(|w| wrote(known, w));
            }
        }
        What::Machinery(t) => {
            if let Outcome::Advanced { to, .. } = t.outcome {
                known.time = to;
            }
            if let Outcome::Sent { request, response, why, background: false, .. } = &t.outcome {
                let by = moment.by(session.cluster()).unwrap_or_default();
                known.commands.push_back(command(&by, request, response, why.as_ref().map(|w| w.rule)));
            }
            t.writes.iter().for_each(|w| wrote(known, w));
        }
    }
}

fn truth(value: Result<Value, EvalError>) -> Result<bool, String> {
    value.map(|v| v.as_bool().unwrap_or_default()).map_err(|e| e.to_string())
}

/// Whether a further moment can change what is known of a condition that speaks of the whole time.
fn is_open(holds: &Holds, so_far: &Result<bool, String>) -> bool {
    match holds {
        Holds::Now(_) => false,
        Holds::Always(_) => *so_far == Ok(true),
        Holds::Ever(_) => *so_far != Ok(true),
    }
}
