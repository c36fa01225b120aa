//! Stepping into a moment: the actions that it is made of, and the stages of its requests. Both are computed
//! by taking the actions again, on a copy of the cluster before the moment.

use std::rc::Rc;

use super::{Depth, MomentId, Op, Session, What, take_step};
use crate::apimachinery::{HttpRequest, HttpResponse, Request, Response, wire, wire_answer};
use crate::apiserver::Trace;
use crate::client::Why;
use crate::cluster::{Action, Cluster, Outcome, Transition};

/// The most actions of a moment that can be stepped into. A moment has more if time passes on a cluster of
/// thousands of pods.
pub const FINEST_LIMIT: usize = 20_000;

/// Among so many actions it is looked for the commands that they are parts of.
const AROUND: usize = 500;

/// A request that was sent at a moment, and its response.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The request.
    pub request: Rc<Request>,
    /// The API server's response.
    pub response: Response,
    /// Why the request was sent, if it was said.
    pub why: Option<Rc<Why>>,
    /// The HTTP request and response. `None` for a component of the cluster, which shares typed objects with
    /// the server; only then does `request` have its body.
    pub http: Option<Rc<(HttpRequest, HttpResponse)>>,
}

impl Exchange {
    /// The HTTP request and response; for a component of the cluster, those that a real one would have sent
    /// and received.
    pub fn on_the_wire(&self) -> (HttpRequest, HttpResponse) {
        match &self.http {
            Some(http) => (**http).clone(),
            None => (wire(&self.request), wire_answer(self.request.kind, &self.response)),
        }
    }
}

impl Session {
    /// The requests that a moment is about: for a person's command line those that write, for steps of
    /// components the commands, for an action the request that it sent.
    pub fn exchanges(&self, id: MomentId) -> Vec<Exchange> {
        let Some(moment) = self.moment(id) else { return Vec::new() };
        match &moment.what {
            What::Start | What::Import | What::Fault(..) => Vec::new(),
            What::Person { exchanges, .. } => exchanges.clone(),
            What::Commands(commands) => commands
                .iter()
                .map(|c| Exchange {
                    request: c.request.clone(),
                    response: c.response.clone(),
                    why: c.why.clone(),
                    http: None,
                })
                .collect(),
            What::Machinery(t) => exchange_of(&t.outcome).into_iter().collect(),
        }
    }

    /// The actions that a moment is made of, in order. Empty for what a person did, and for a step of the
    /// explorer, which brings the cluster into normal form first and cannot be stepped into.
    pub fn actions_of(&self, id: MomentId) -> Vec<Action> {
        match self.moment(id).map(|m| &*m.op) {
            Some(Op::Heard { .. }) => Vec::new(),
            _ => self.made_of(id),
        }
    }

    /// How many finest actions [`Session::actions_of`] gives.
    pub fn count_actions_of(&self, id: MomentId) -> usize {
        match self.moment(id).map(|m| (&*m.op, &m.what)) {
            Some((Op::Heard { .. }, _)) | None => 0,
            Some((_, What::Commands(c))) => c.iter().map(|c| c.actions.len()).sum(),
            Some((_, What::Machinery(_))) => 1,
            Some(_) => 0,
        }
    }

    pub(super) fn made_of(&self, id: MomentId) -> Vec<Action> {
        match self.moment(id).map(|m| &m.what) {
            Some(What::Commands(c)) => c.iter().flat_map(|c| c.actions.iter()).collect(),
            Some(What::Machinery(t)) => vec![t.action],
            _ => Vec::new(),
        }
    }

    /// What each of a moment's actions did, computed by taking them again. `None` if there are more than
    /// [`FINEST_LIMIT`].
    pub fn finest(&self, id: MomentId) -> Option<Vec<Transition>> {
        let actions = self.made_of(id);
        if let Some(What::Machinery(t)) = self.moment(id).map(|m| &m.what) {
            return Some(vec![(**t).clone()]);
        }
        if actions.is_empty() {
            return Some(Vec::new());
        }
        if actions.len() > FINEST_LIMIT {
            return None;
        }
        let mut cluster = self.before(id)?;
        Some(actions.iter().map_while(|a| cluster.act(a).ok()).collect())
    }

    pub(super) fn before(&self, id: MomentId) -> Option<Cluster> {
        let moment = self.moment(id)?;
        let cluster = self.cluster_at(moment.parent?)?;
        match *moment.op {
            Op::Heard { depth, .. } => super::explore::settled(cluster, depth).ok(),
            _ => Some(cluster),
        }
    }

    /// Steps into a moment: its actions become the moments of a branch from the moment before it, and the
    /// one after the first `n` actions becomes the current moment. `false` if there are no actions, or more
    /// than [`FINEST_LIMIT`].
    pub fn step_into(&mut self, id: MomentId, n: usize) -> bool {
        let actions = self.actions_of(id);
        let Some(parent) = self.moment(id).and_then(|m| m.parent) else { return false };
        if actions.is_empty() || actions.len() > FINEST_LIMIT || !self.goto(parent) {
            return false;
        }
        let mut to = self.at();
        for (i, action) in actions.iter().enumerate() {
            // An action that the fair policy would take is recorded as a step, so that later steps find the
            // same moment.
            let fair = self.cluster().fair() == Some(*action);
            let went = if fair {
                self.perform(&Op::Step { depth: Depth::Machinery, choice: None })
            } else {
                self.act(*action)
            };
            if !went {
                break;
            }
            if i < n {
                to = self.at();
            }
        }
        self.goto(to)
    }

    /// The step of which the current moment is a part: single actions led there, from a moment after which the same first
    /// action was once taken as part of a greater step. It is the nearest such step, also once its last action has passed.
    /// The moment before its first action counts if the branch that is shown goes on with that.
    pub fn inside(&self) -> Option<MomentId> {
        let single = |id: MomentId| match self.moment(id).map(|m| &m.what) {
            Some(What::Machinery(t)) => Some(t.action),
            _ => None,
        };
        let greater = |before: MomentId, first: Action| {
            let mut children = self.moment(before)?.children.iter().rev().copied();
            children.find(|c| match self.moment(*c).map(|m| (&*m.op, &m.what)) {
                Some((Op::Heard { .. }, _)) | None => false,
                Some((_, What::Commands(of))) => {
                    of.iter().flat_map(|c| c.actions.iter()).next() == Some(first)
                }
                Some(_) => false,
            })
        };
        let first = self.ahead().and_then(single);
        if let Some(step) = first.and_then(|action| greater(self.at(), action)) {
            return Some(step);
        }
        let mut at = self.at();
        for _ in 0..FINEST_LIMIT {
            let action = single(at)?;
            let before = self.moment(at)?.parent?;
            if let Some(step) = greater(before, action) {
                return Some(step);
            }
            at = before;
        }
        None
    }

    /// Takes the command of which the current moment is a part again, as a branch that is not shown, so that
    /// [`Session::inside`] finds it: a run that was repeated from a link has only the branch that was shown. Nothing is done
    /// if the current moment is not among the first 500 actions since something else happened, or if another choice
    /// was made than the policy's or the acting component's.
    pub fn surround(&mut self) {
        let here = self.at();
        let mut way = Vec::new();
        let mut at = here;
        while let Some(moment) = self.moment(at)
            && let (What::Machinery(t), Some(before)) = (&moment.what, moment.parent)
        {
            if way.len() == AROUND {
                return;
            }
            way.push((before, t.action));
            at = before;
        }
        way.reverse();
        let Some((begins, op)) = self.around(&way) else { return };
        if self.goto(begins) {
            self.perform(&op);
        }
        self.goto(here);
    }

    /// The op of the command to which the last of these actions belongs, and the moment before it. With each action goes the
    /// moment before that.
    fn around(&self, mut way: &[(MomentId, Action)]) -> Option<(MomentId, Op)> {
        let mut cluster = self.cluster_at(way.first()?.0)?;
        loop {
            let begins = way.first()?.0;
            let acts = way.iter().find_map(|(_, action)| match action {
                Action::Send { actor } | Action::Record { actor } => Some(*actor),
                _ => None,
            });
            let nth = self.moment(begins)?.steps;
            let mut ops = [None, acts].map(|choice| self.op_of(nth, Depth::Command, choice)).into_iter();
            let (op, after, n) = ops.find_map(|op| {
                let mut after = cluster.clone();
                let What::Commands(of) = take_step(&mut after, &op).ok()? else { return None };
                let actions: Vec<Action> = of.iter().flat_map(|c| c.actions.iter()).collect();
                let same = actions.iter().zip(way).all(|(a, (_, b))| a == b) && !actions.is_empty();
                same.then_some((op, after, actions.len()))
            })?;
            match way.get(n..) {
                Some(rest) if !rest.is_empty() => (way, cluster) = (rest, after),
                _ => return Some((begins, op)),
            }
        }
    }

    /// One of a moment's requests, stage by stage through the API server, and the cluster that received it.
    /// `None` if there is no such request, or the moment has more than [`FINEST_LIMIT`] actions.
    pub fn trace(&self, id: MomentId, exchange: usize) -> Option<(Cluster, Trace)> {
        let mut cluster = self.before(id)?;
        if let What::Person { exchanges, .. } = &self.moment(id)?.what {
            let mut sent = exchanges.iter().filter_map(|e| e.http.as_deref());
            for (request, _) in sent.by_ref().take(exchange) {
                cluster.http(request);
            }
            let trace = cluster.trace_http(&sent.next()?.0)?;
            return Some((cluster, trace));
        }
        let actions = self.made_of(id);
        if actions.len() > FINEST_LIMIT {
            return None;
        }
        let mut commands = 0;
        for action in actions {
            let before = cluster.clone();
            let t = cluster.act(&action).ok()?;
            if !self.is_command(id, commands, &t) {
                continue;
            }
            if commands == exchange {
                let trace = before.trace(&*sent(&before, &action)?);
                return Some((before, trace));
            }
            commands += 1;
        }
        None
    }

    /// Whether an action is the command with this index of a moment. A moment of one action has one command.
    fn is_command(&self, id: MomentId, number: usize, t: &Transition) -> bool {
        let Some(exchange) = exchange_of(&t.outcome) else { return false };
        match self.moment(id).map(|m| &m.what) {
            Some(What::Commands(c)) => c.get(number).is_some_and(|c| c.request == exchange.request),
            _ => true,
        }
    }
}

fn exchange_of(outcome: &Outcome) -> Option<Exchange> {
    match outcome {
        Outcome::Sent { request, response, why, .. } => {
            let (request, response, why) = (request.clone(), response.clone(), why.clone());
            Some(Exchange { request, response, why, http: None })
        }
        Outcome::Recorded { exchange: Some((request, response)) } => {
            let (request, response) = (request.clone(), response.clone());
            Some(Exchange { request, response, why: None, http: None })
        }
        _ => None,
    }
}

/// The request that an action is about to send. For an event the transition has the event as it was stored,
/// so the component is asked for its request.
fn sent(cluster: &Cluster, action: &Action) -> Option<Rc<Request>> {
    match action {
        Action::Send { actor } => cluster.component(*actor)?.pending().map(|p| p.request.clone()),
        Action::Record { actor } => cluster.component(*actor)?.boxed_clone().next_event().map(Rc::new),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Link, Policy, Replay, Start, scenario};

    fn run() -> Session {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest);
        s
    }

    #[test]
    fn the_finest_actions_of_a_step_lead_where_it_led() {
        for depth in [Depth::Command, Depth::Reconcile] {
            let mut s = run();
            for _ in 0..12 {
                assert!(s.step(depth, None));
            }
            let (at, end) = (s.at(), s.cluster().digest());
            let finest = s.finest(at).unwrap();
            assert!(finest.len() > 2);
            let before = s.current().parent.unwrap();
            assert!(s.step_into(at, 1));
            assert_eq!(s.current().parent, Some(before));
            assert!(matches!(s.current().what, What::Machinery(_)));
            // Steps from here on find the moments of the steps that were taken.
            let moments = s.tips().len();
            for _ in 1..finest.len() {
                assert!(s.forward());
            }
            assert!(s.tips().len() <= moments);
            if depth == Depth::Command {
                assert_eq!(s.cluster().digest(), end);
            }
            // Stepping into the moment again makes no new branch.
            s.step_into(at, finest.len());
            assert_eq!(s.tips().len(), moments);
        }
    }

    #[test]
    fn a_step_after_stepping_in_meets_the_same_moments() {
        let mut s = run();
        for _ in 0..5 {
            s.step(Depth::Command, None);
        }
        let at = s.at();
        assert!(s.step_into(at, 1));
        let tips = s.tips().len();
        assert!(s.step(Depth::Machinery, None));
        assert_eq!(s.tips().len(), tips);
    }

    /// Who stepped into a step is inside it as long as single actions lead there from its beginning, wherever the person
    /// went in between.
    #[test]
    fn a_moment_between_the_actions_of_a_step_is_inside_it() {
        for depth in [Depth::Command, Depth::Reconcile] {
            let mut s = run();
            for _ in 0..6 {
                assert!(s.step(depth, None));
            }
            let (step, before) = (s.at(), s.current().parent.unwrap());
            assert_eq!(s.inside(), None);
            assert!(s.step_into(step, 2));
            let second = s.at();
            assert_eq!(s.inside(), Some(step));
            // Back to its beginning, and forward again.
            for _ in 0..2 {
                assert!(s.back());
                assert_eq!(s.inside(), Some(step));
            }
            assert_eq!(s.at(), before);
            assert!(s.forward());
            assert_eq!(s.inside(), Some(step));
            // Further back is outside, and so is the step itself; its actions are inside again.
            assert!(s.back() && s.back());
            assert_eq!(s.inside(), None);
            assert!(s.goto(second));
            assert_eq!(s.inside(), Some(step));
            assert!(s.goto(step));
            assert_eq!(s.inside(), None);
            assert!(s.back());
            assert_eq!(s.inside(), None);
            // After its last action the way back is there still, until something else than an action happens.
            assert!(s.goto(second));
            while s.forward() {}
            assert!(s.step(Depth::Machinery, None));
            assert_eq!(s.inside(), Some(step));
            assert!(s.step(Depth::Command, None));
            assert_eq!(s.inside(), None);
        }
    }

    /// A run that was stepped by single actions has no step around them.
    #[test]
    fn single_actions_alone_are_inside_nothing() {
        let mut s = run();
        for _ in 0..20 {
            assert!(s.step(Depth::Machinery, None));
        }
        assert_eq!(s.inside(), None);
    }

    /// A link has only the branch that is shown. The command around its last actions is found by taking it again.
    #[test]
    fn a_repeated_run_finds_the_step_again_that_was_stepped_into() {
        for policy in [Policy::Fair, Policy::Random { seed: 3 }, Policy::Newest] {
            let mut s = run();
            s.set_policy(policy.clone());
            for _ in 0..8 {
                assert!(s.step(Depth::Command, None));
            }
            let (step, op, end) = (s.at(), s.current().op.clone(), s.cluster().digest());
            for n in [1, 2, usize::MAX] {
                assert!(s.step_into(step, n));
                let mut again = Replay::new(&Link::of(&s)).finish().session;
                let (at, tip, digest) = (again.at(), again.tip(), again.cluster().digest());
                assert_eq!(again.inside(), None);
                again.surround();
                assert_eq!((again.at(), again.tip(), again.cluster().digest()), (at, tip, digest));
                let found = again.inside().unwrap();
                assert_eq!(again.moment(found).unwrap().op, op, "{policy:?}");
                assert!(again.goto(found));
                assert_eq!(again.cluster().digest(), end);
            }
        }
    }

    /// The second of two commands that were both taken action by action is found, too, and so is a chosen component's.
    #[test]
    fn the_command_around_later_actions_is_found() {
        let mut s = run();
        for _ in 0..3 {
            assert!(s.step(Depth::Command, None));
        }
        let first = s.at();
        assert!(s.step_into(first, usize::MAX));
        let actor = s.next_commands(9).last().unwrap().actor;
        assert!(s.step(Depth::Command, Some(actor)));
        let (second, end) = (s.at(), s.cluster().digest());
        assert!(s.step_into(second, 1));
        let mut again = Replay::new(&Link::of(&s)).finish().session;
        again.surround();
        let found = again.inside().unwrap();
        assert!(again.goto(found));
        assert_eq!(again.cluster().digest(), end);
        // Where nothing was stepped into, nothing is found.
        let mut s = run();
        s.surround();
        assert_eq!((s.at(), s.inside(), s.tips().len()), (1, None, 1));
    }

    #[test]
    fn every_request_can_be_followed_through_the_server() {
        let mut s = run();
        let mut requests = 0;
        loop {
            let at = s.at();
            for (i, e) in s.exchanges(at).iter().enumerate() {
                let (_, trace) = s.trace(at, i).unwrap();
                assert_eq!(trace.response.code(), e.response.code(), "{}", e.request.path());
                let rv = |r: &Response| match r {
                    Response::Object { object, .. } => object.resource_version().map(str::to_owned),
                    _ => None,
                };
                assert_eq!(rv(&trace.response), rv(&e.response));
                requests += 1;
            }
            if !s.step(Depth::Reconcile, None) {
                break;
            }
        }
        assert!(requests > 20, "{requests}");
    }
}
