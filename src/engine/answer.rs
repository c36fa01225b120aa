//! The answers to what components of the page ask.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{
    Answer, Ask, CourseLine, Engine, FinestView, Form, MachineryView, RolloutTarget, RunText, ScenarioView,
};
use crate::cluster::Policy;
use crate::lessons;
use crate::session::view::journey::journey;
use crate::session::view::machinery::{last_request, machine, movement, overview, runtime_calls, way};
use crate::session::view::scheduling::{scheduling, scheduling_table};
use crate::session::view::{
    FinestLine, Happened, RequestHead, branches, events, links, object_view, plane_faults, requests,
    rule_book, sent, summary, traffic, versions, why, yaml_view,
};
use crate::session::{FINEST_LIMIT, Link, MomentId, Session, export, handle, rehearsal, scenario};

/// How many finest actions of a moment are listed.
const FINEST: usize = 200;
/// How many moments back the last request is looked for.
const BACK: usize = 2000;
/// How many next commands are told as JSON at most.
const NEXT_COMMANDS: usize = 32;

impl Engine {
    /// The workloads whose rollout can be rehearsed, also those that the editor's text would make.
    fn rollouts(&self) -> Vec<RolloutTarget> {
        let text = self.shown.text.as_str();
        let mut run = Session::with_cluster(self.session.start().clone(), self.session.cluster().clone());
        let known = rehearsal::targets(run.cluster());
        let is_import = self.shown.importable;
        if !is_import && !text.trim().is_empty() {
            run.apply(text);
        }
        let all = rehearsal::targets(run.cluster()).into_iter().map(|candidate| {
            let rehearsal::Candidate { workload, reaches, replicas, .. } = candidate;
            let known = known.iter().find(|c| c.workload == workload);
            let reaches = reaches.into_iter().map(|reach| {
                let same = known.and_then(|c| c.reaches.iter().find(|r| r.port == reach.port));
                let clients = same.map(|r| r.clients.clone()).unwrap_or_default();
                rehearsal::Reach { clients, ..reach }
            });
            let former = known.is_some_and(|c| c.former);
            // Of a workload that is there the cluster says how many pods it has.
            let replicas = known.map_or(replicas, |c| c.replicas);
            RolloutTarget { workload, reaches: reaches.collect(), applied: known.is_some(), former, replicas }
        });
        all.collect()
    }

    /// The answer to a question.
    pub(super) fn answer(&self, ask: &Ask) -> Answer {
        let session = &self.session;
        let cluster = session.cluster();
        match ask {
            Ask::Object(o) => Answer::Object(Box::new(object_view(session, o))),
            Ask::Yaml(o, all) => Answer::Yaml(yaml_view(session, o, *all)),
            Ask::Events(o) => {
                let start = session.cluster_at(0).map_or_else(|| session.now(), |c| c.now());
                Answer::Events(events(cluster, o, start))
            }
            Ask::History(o) => Answer::History(versions(session, o)),
            Ask::Why(o, line) => Answer::Why(Box::new(why(session, o, *line))),
            Ask::Summary => Answer::Summary(Box::new(summary(session))),
            Ask::Links(o) => Answer::Links(links(self.drawing.graph(), o)),
            Ask::Scheduling(o) => Answer::Scheduling(scheduling(session, o).map(Box::new)),
            Ask::SchedulingTable(o, attempt, columns) => {
                Answer::SchedulingTable(scheduling_table(session, o, *attempt, *columns).map(Box::new))
            }
            Ask::Requests(moment, verbose) => {
                let (shown, more) = requests(session, *moment, *verbose);
                Answer::Requests(shown, more)
            }
            Ask::Finest(moment) => Answer::Finest(self.finest(*moment)),
            Ask::Machinery(actor, open) => Answer::Machinery(Box::new(MachineryView {
                overview: overview(cluster),
                machine: machine(cluster, *actor, |n| *open == Some(n)),
                movement: movement(cluster, session.current()),
            })),
            Ask::LastRequest => Answer::LastRequest(last_request(session, BACK).and_then(|(moment, n)| {
                let exchange = session.exchanges(moment).into_iter().nth(n)?;
                Some((moment, n, RequestHead::of(&exchange, cluster)))
            })),
            Ask::Way(moment, n) => Answer::Way(way(session, *moment, *n).map(Box::new)),
            Ask::RuntimeCalls(moment) => Answer::RuntimeCalls(runtime_calls(session, *moment).map(Box::new)),
            Ask::PlaneFaults => Answer::PlaneFaults(plane_faults(session)),
            Ask::Scenarios => Answer::Scenarios(scenario::all().iter().map(ScenarioView::of).collect()),
            Ask::Course => Answer::Course(lessons::list().iter().map(CourseLine::of).collect()),
            Ask::Traffic => Answer::Traffic(Box::new(traffic(session))),
            Ask::Sent(begin, seconds) => Answer::Sent(sent(session, *begin, *seconds).map(Box::new)),
            Ask::Journey(sender, url, nth) => {
                Answer::Journey(Box::new(journey(cluster, sender, url.as_deref(), *nth)))
            }
            Ask::Rollouts => Answer::Rollouts(self.rollouts()),
            Ask::Rules => Answer::Rules(Box::new(rule_book(session, &self.shown.listing))),
            Ask::Policies => Answer::Policies(self.policies()),
            Ask::Branches => Answer::Branches(branches(session, &self.shown.marks)),
            Ask::Happened(moment) => {
                Answer::Happened(session.moment(*moment).map(Happened::of).unwrap_or_default())
            }
            Ask::Export(form) => Answer::Export(match form {
                Form::Yaml(which) => {
                    session.boot().map(|boot| export::yaml(cluster, &boot, *which)).unwrap_or_default()
                }
                Form::Mermaid => export::mermaid(self.drawing.graph()),
            }),
            Ask::Steps => {
                let (told, more) = export::steps(session, self.beginning);
                Answer::Steps(told, more)
            }
            Ask::Frames => Answer::Frames(export::frames(session, self.beginning)),
            Ask::Run(from) => Answer::Run(Link::between(session, *from).map(|link| RunText {
                session: self.shown.session,
                moment: session.at(),
                link: link.encode(),
            })),
            Ask::Schema(kind) => Answer::Schema(self.kinds.schema(kind).map(|schema| schema.to_string())),
            Ask::Complete(head) => Answer::Complete(self.complete(head)),
            Ask::Objects(None) => Answer::Objects(handle::objects(cluster, None)),
            Ask::Objects(Some(word)) => Answer::Objects(match handle::kind_of(cluster, word) {
                Some(kind) => handle::objects(cluster, Some(kind)),
                // A word that names no kind has no objects.
                None => "[]".to_owned(),
            }),
            Ask::Enabled => Answer::Enabled(handle::enabled(cluster)),
            Ask::NextCommands => Answer::NextCommands(handle::next_commands(cluster, NEXT_COMMANDS)),
            Ask::Digest => Answer::Digest(cluster.digest()),
            Ask::Link => Answer::Link(Some(self.draft(self.tip().map(|tip| tip.digest())).encode())),
        }
    }

    fn finest(&self, moment: MomentId) -> FinestView {
        let lines = self.session.finest(moment).map(|all| {
            let shown = all.iter().take(FINEST);
            shown.map(|t| FinestLine::of(self.session.cluster(), t)).collect::<Vec<_>>()
        });
        let more = self.session.count_actions_of(moment).saturating_sub(FINEST);
        FinestView { lines, more, limit: FINEST_LIMIT }
    }

    /// The policies that can be chosen now. Of [`Policy::Random`] these are the seed that is set and the next one.
    /// With each goes the process of its component, or `None`; the components that have acted in this run come first,
    /// without a process.
    fn policies(&self) -> Vec<(Policy, Option<Rc<str>>)> {
        let mut all = vec![Policy::Fair];
        match self.session.policy() {
            Policy::Random { seed } => {
                all.extend([Policy::Random { seed: *seed }, Policy::Random { seed: seed.wrapping_add(1) }]);
            }
            _ => all.push(Policy::Random { seed: 1 }),
        }
        all.push(Policy::Newest);
        let cluster = self.session.cluster();
        let acted: BTreeSet<&str> = self.shown.marks.iter().filter_map(|m| m.by.as_deref()).collect();
        let mut of_process: BTreeMap<(Option<Rc<str>>, Rc<str>), ()> = BTreeMap::new();
        for actor in cluster.actors() {
            let process = cluster.processes().nth(actor.process as usize).map(|p| p.name.clone());
            if let (Some(name), Some(process)) = (cluster.actor_name(actor), process) {
                let process = (!acted.contains(&*name)).then_some(process);
                of_process.insert((process, name), ());
            }
        }
        let starved = of_process
            .into_keys()
            .map(|(process, name)| (Policy::Starved { component: name.to_string() }, process));
        all.into_iter().map(|policy| (policy, None)).chain(starved).collect()
    }
}
