//! The parts of [`Shown`](super::Shown) that are read from the cluster at the moment that is shown.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{ClusterStart, Engine, Listing, NextRuns, Output, ScenarioView, Stepped};
use crate::api::{Kind, ObjectRef, Timestamp};
use crate::session::scenario::Scenario;
use crate::session::view::graph::{Drawing, GraphFilter, touched};
use crate::session::view::kinds;
use crate::session::view::machinery::movement;
use crate::session::view::{Card, Happened, Word, declared, follow_marks, subject};
use crate::session::{MomentId, Session};

impl Engine {
    /// Notes that `shown` has changed.
    pub(super) fn touch(&mut self) {
        self.changed = true;
    }

    /// Follows a change of the moment that is shown, and reports it as a step ([`Output::Stepped`]).
    pub(super) fn moved(&mut self) {
        self.moved_quietly();
        self.announce();
    }

    /// As [`Engine::moved`], for steps that were reported one by one.
    pub(super) fn moved_quietly(&mut self) {
        self.derive();
        self.look_at_lesson();
        self.look_again();
        self.look_inside();
    }

    /// Reports the step to the moment that is shown.
    pub(super) fn announce(&mut self) {
        let moment = self.session.current();
        let command = moment.commands().first().map(|c| {
            let rule = c.why.as_ref().map(|w| Word::new_static(w.rule));
            (Word::new_static(c.request.verb.method()), c.request.path(), c.response.code(), rule)
        });
        let stepped = Stepped {
            by: moment.by(self.session.cluster()),
            command,
            objects: moment.writes().iter().map(|w| w.object.to_string()).collect(),
            moment: self.session.at(),
            revision: self.session.cluster().api().resource_version(),
        };
        self.out.push(Output::Stepped(Box::new(stepped)));
    }

    /// Reads anew what depends on the moment that is shown.
    pub(super) fn derive(&mut self) {
        self.changed = true;
        self.shown.version += 1;
        self.keeping.changed();
        self.draw();
        let (session, shown) = (&self.session, &mut self.shown);
        let (cluster, moment) = (session.cluster(), session.current());
        shown.declared = Rc::new(declared(cluster, &self.drawing));
        self.kinds.follow(cluster);
        shown.kinds = self.kinds.listed().clone();
        let written = moment.writes().into_iter().map(|w| &w.object).filter(|o| o.kind != Kind::EVENT);
        shown.changed = Rc::new(written.cloned().collect::<BTreeSet<ObjectRef>>());
        shown.happened = Rc::new(Happened::of(moment));
        shown.by = moment.by(cluster);
        shown.subject = subject(moment);
        shown.finest = session.count_actions_of(session.at());
        let inside = session.inside();
        shown.inside = inside.is_some();
        shown.inside_of = inside.and_then(|step| session.moment(step)?.by(cluster));
        let exists = |o: &ObjectRef| shown.graph.find(o).is_some() || cluster.api().cached(o).is_some();
        if shown.selection.as_ref().is_some_and(|s| !exists(s)) {
            shown.selection = None;
        }
        follow_marks(session, &mut shown.marks);
        shown.at = session.at();
        shown.position = place_of(session, &shown.marks);
        let begins = shown.marks.binary_search_by(|m| m.moment.cmp(&self.beginning));
        shown.beginning = begins.unwrap_or(0);
        let ahead = session.act_ahead().and_then(|next| session.moment(next));
        shown.act_ahead = ahead.map(|moment| Rc::new(Happened::of(moment)));
        shown.time = session.now().as_millisecond() - started(session);
        shown.clock = session.now().as_millisecond();
        shown.runs = Rc::new(runs(&self.drawing, session.now()));
        shown.revision = cluster.api().resource_version();
        shown.policy = session.policy().clone();
        self.shown.ended = self.has_ended();
        self.follow_machine();
        self.forget_listing();
        self.lines = super::listing::LINES;
    }

    /// Draws the graph. If the run went along one branch since the last drawing, only the objects that were written
    /// in between are read.
    fn draw(&mut self) {
        let Some(boot) = self.session.boot() else { return };
        let cluster = self.session.cluster();
        let followed = self.drawn.as_ref().and_then(|(at, then)| touched(&self.session, *at, then));
        match followed {
            Some(touched) => self.drawing.follow(cluster, &boot, &touched),
            None => self.drawing.draw(cluster, &boot),
        }
        self.drawn = Some((self.session.at(), cluster.api().clone()));
        self.shown.graph = self.drawing.graph().clone();
        self.shown.filtered = self.filtered.follow(&self.drawing);
    }

    /// Sets which objects are shown.
    pub(super) fn set_filter(&mut self, filter: GraphFilter) {
        self.filtered.set(filter);
        self.shown.filter = self.filtered.filter().clone();
        self.shown.filtered = self.filtered.follow(&self.drawing);
    }

    /// Has the next commands looked for anew.
    pub(super) fn forget_listing(&mut self) {
        self.shown.listing = Listing::default();
        self.finder = None;
        self.changed = true;
    }

    /// Turns the component map to the component that acted last, unless a person chose one.
    pub(super) fn follow_machine(&mut self) {
        let (cluster, map) = (self.session.cluster(), &mut self.shown.map);
        if map.pinned && cluster.component(map.machine).is_some() {
            return;
        }
        let Some(m) = movement(cluster, self.session.current()) else { return };
        // Of a step that reached the component that is shown, too, the map stays there.
        if !m.reaches.contains(&map.machine)
            && let Some(actor) = m.actor
        {
            map.machine = actor;
        }
    }

    /// Puts a run in place of the one that was there. The caller calls [`Engine::derive`] after this.
    /// The page keeps it under this id; `None` makes a new one.
    pub(super) fn replace_run(
        &mut self,
        scenario: Option<Scenario>,
        session: Session,
        beginning: MomentId,
        id: Option<Rc<str>>,
    ) {
        self.shown.run = id.unwrap_or_else(|| self.keeping.new_id());
        self.shown.scenario = scenario.as_ref().map(|s| {
            let view = ScenarioView::of(s);
            // A link may have begun it with another cluster.
            let cluster = view.cluster.map(|_| ClusterStart::of(session.start()));
            Rc::new(ScenarioView { cluster, ..view })
        });
        self.scenario = scenario;
        self.session = session;
        self.forget_lesson();
        self.beginning = beginning;
        self.shown.session += 1;
        self.shown.selection = None;
        self.shown.diagnostics = Rc::default();
        self.shown.images = Rc::default();
        self.shown.preview = None;
        self.shown.marks = Rc::default();
        self.drawing.clear();
        self.set_filter(GraphFilter::default());
        self.drawn = None;
        self.live = None;
        self.close_shell();
        self.status = None;
        self.mark_new_run();
        self.shown.editing = None;
        self.kubeconfig = None;
        self.session.set_schema(self.schema.clone());
        // A scenario's text is the one that its set-up applied, whatever the set-up did afterwards.
        let applied = self
            .scenario
            .as_ref()
            .and_then(|s| Some((Rc::new(s.manifest.clone()), s.applied(&self.session)?)));
        self.agreed = applied;
        self.inside = None;
    }

    /// Shows a scenario, from the session in which its set-up was done.
    pub(super) fn show_scenario(&mut self, scenario: Scenario, session: Session) {
        let beginning = session.at();
        // A scenario's own depth is not kept for the next one.
        let own = self.own_depth.take().unwrap_or(self.shown.depth);
        self.own_depth = scenario.depth.map(|_| own);
        self.shown.depth = scenario.depth.unwrap_or(own);
        self.set_text(scenario.manifest.clone());
        self.take_notes(Some(&scenario), &[]);
        self.replace_run(Some(scenario), session, beginning, None);
        self.derive();
        self.look_at_lesson();
        self.settle(false);
    }

    /// Replaces the editor's text.
    pub(super) fn set_text(&mut self, text: String) {
        self.shown.text = Rc::new(text);
        self.shown.text_set += 1;
    }
}

/// When the objects with a schedule run next.
fn runs(drawing: &Drawing, now: Timestamp) -> NextRuns {
    let nodes = drawing.graph().nodes.iter().enumerate();
    let with_schedule = nodes.filter(|(_, n)| matches!(n.card, Card::Schedule { .. }));
    with_schedule
        .filter_map(|(i, n)| {
            let next = kinds::of(n.reference.kind).next_run(drawing.object(i)?, now)?;
            Some((n.reference.clone(), next.as_millisecond()))
        })
        .collect()
}

/// When the run began, in virtual milliseconds.
fn started(session: &Session) -> i64 {
    session.cluster_at(0).map_or(0, |c| c.now().as_millisecond())
}

fn place_of(session: &Session, marks: &[super::Mark]) -> usize {
    // Each moment of a branch has a higher number than its parent.
    marks.binary_search_by(|m| m.moment.cmp(&session.at())).unwrap_or(0)
}
