//! Each input, and what it does.

use std::rc::Rc;

use super::activity::{Activity, Met, OpenedFrom, Repeating, SetUpOf, ToMoment};
use super::run::LIMIT;
use super::{Engine, Input, Inside, Output, Pick, SPEEDS, Said, Value, Work};
use crate::cluster::{Digesting, Fault, NoSuchFault};
use crate::session::explore::Choice;
use crate::session::scenario::{self, Scenario, ScenarioStep, SetUp};
use crate::session::view::{Preview, crash, follow, image_warnings, problems};
use crate::session::{Depth, FINEST_LIMIT, Link, MomentId, Replay, import};

impl Engine {
    pub(super) fn take(&mut self, input: Input) {
        match input {
            Input::Begin(with) => self.open_page(with),
            Input::Open(link) => {
                self.open(&link, OpenedFrom::Link);
            }
            Input::OpenRun(Work { id, link }) => {
                self.open(&link, OpenedFrom::Kept { id, first: false });
            }
            Input::Part => self.part(),
            Input::OpenScenario(id) => self.open_scenario(&id),
            Input::BeginWith(cluster) => self.begin_with(cluster),
            Input::OpenLesson(id, step) => self.want_lesson(&id, step),
            Input::LessonText(id, text) => self.take_lesson(&id, text.as_deref()),
            Input::BringLesson(file, text) => self.bring_lesson(&file, &text),
            Input::LessonStep(step) => self.lesson_step(step),
            Input::LessonAgain => self.lesson_again(),
            Input::LeaveLesson => self.leave_lesson(),
            Input::Predict(said) => self.predict(said),
            Input::Hint => self.hint(),
            Input::CheckLesson => self.check_lesson(),
            Input::Solve => self.solve(),
            Input::Attempt(nth) => self.attempt(nth),
            Input::Step => {
                if self.at_rest() {
                    self.begin(Activity::Step);
                }
            }
            Input::StepAtOnce => self.step_at_once(),
            Input::Choose(pick) => self.choose(pick),
            Input::Run if self.activity.is_some() => self.stop(),
            Input::Run => {
                self.touch();
                self.begin(Activity::Play);
            }
            Input::RunOn | Input::ToSteadyOn if self.activity.is_some() => {}
            Input::RunOn => self.take(Input::Run),
            Input::ToSteadyOn | Input::ToSteady => self.run_to_steady(),
            Input::ToMoment(to) => self.run_to_moment(to),
            Input::Stop => self.stop(),
            Input::Back => {
                let parent = self.session.moment(self.heading()).and_then(|m| m.parent);
                let there = parent.is_some_and(|parent| self.goto(parent));
                self.out.push(Output::Did(there));
            }
            Input::Goto(moment) => {
                self.goto(moment);
            }
            Input::Walk(by) => self.walk(by),
            Input::Restart => {
                self.goto(self.beginning);
            }
            Input::StepInto(moment, n) => self.step_into(moment, n),
            Input::StepOut => self.step_out(),
            Input::Follow { session, from, depth, way } => self.follow_way(session, from, depth, way),
            Input::Repeat { session, from, link, ops } => self.repeat(session, from, &link, ops),
            Input::Depth(depth) => {
                self.shown.depth = depth;
                self.own_depth = None;
                self.inside = None;
                self.forget_listing();
            }
            Input::Policy(policy) => {
                let free = self.at_rest();
                if free {
                    self.session.set_policy(policy.clone());
                    self.shown.policy = policy;
                    self.keeping.changed();
                    self.forget_listing();
                }
                self.out.push(Output::Did(free));
            }
            Input::Speed(speed) => {
                self.shown.speed = speed.min(SPEEDS.len() - 1);
                self.touch();
            }
            Input::ShowMore => {
                self.lines += super::listing::LINES;
                self.forget_listing();
            }
            Input::Select(object) => {
                if self.shown.selection != object {
                    self.shown.selection = object;
                    self.touch();
                }
            }
            Input::Filter(filter) => {
                if *self.shown.filter != filter {
                    self.set_filter(filter);
                    self.touch();
                }
            }
            Input::ShowMap(shown) => self.show_map(shown),
            Input::LookAt(actor) => {
                self.shown.map.pinned = actor.is_some();
                match actor {
                    Some(actor) => self.shown.map.machine = actor,
                    None => self.follow_machine(),
                }
                self.touch();
            }
            Input::Typed(text) => {
                self.shown.text = Rc::new(text);
                self.keeping.changed();
            }
            Input::Preview => self.preview(),
            Input::TakeOver => self.take_over(),
            Input::Import => {
                let text = self.shown.text.clone();
                self.import(&text);
            }
            Input::Dropped(text) if import::is_likely(&text) => self.import(&text),
            Input::Dropped(text) => {
                self.set_text(text);
                self.preview();
                self.touch();
            }
            Input::Note(text) => self.note(text),
            // Whoever presses Ctrl+Enter on what a cluster printed gets what the page offers for it.
            Input::ApplyOrImport if self.shown.importable => {
                let text = self.shown.text.clone();
                self.import(&text);
            }
            Input::Apply | Input::ApplyOrImport => self.apply(),
            Input::ApplyText(text) => {
                let printed = self.apply_text(&text);
                self.out.push(Output::Printed(printed));
            }
            Input::Terminal(line) => self.type_line(&line),
            Input::Outside(line) => self.type_outside(&line),
            Input::Interrupt => self.press_interrupt(),
            Input::InterruptLine(line) => self.interrupt_line(&line),
            Input::Clear => self.clear_terminal(),
            Input::CancelEdit => self.cancel_edit(),
            Input::Recall(lines) => self.recall(lines),
            Input::Texts(json) => self.take_texts(json.as_deref()),
            Input::Do(line) => self.run_line(&line),
            Input::Kubectl(line) => {
                let printed = self.scripted(&line);
                self.out.push(Output::Printed(printed));
            }
            Input::Evict(pod) => self.evict(&pod),
            Input::Crash(pod, container, code) => match crash(&self.session, &pod, &container, code) {
                Some(fault) => self.break_it(&fault),
                None => self.say(Said::key("crash-nothing"), false),
            },
            Input::Break(fault) => self.break_it(&fault),
            Input::Share => {
                if self.at_rest()
                    && let Some(tip) = self.tip()
                {
                    self.load(Activity::Share(Box::new(Digesting::new(tip))));
                }
            }
            Input::Save => self.keeping.due = true,
            Input::Ask(number, ask) => {
                let answer = Box::new(self.answer(&ask));
                self.out.push(Output::Answer(number, answer));
            }
        }
    }

    fn step_at_once(&mut self) {
        let stepped = self.at_rest() && !self.has_ended() && {
            let stepped = self.session.step(self.shown.depth, None);
            if stepped {
                self.moved();
            } else {
                self.tell_if_full();
                self.touch();
            }
            stepped
        };
        self.out.push(Output::Did(stepped));
    }

    fn choose(&mut self, pick: Pick) {
        if !self.at_rest() || self.has_ended() {
            return;
        }
        let stepped = match pick {
            Pick::Act(action) => self.session.act(action),
            Pick::Actor(actor) => self.session.step(self.shown.depth, Some(actor)),
            Pick::Turn => self.session.step(self.shown.depth, None),
            Pick::Schedule => self.session.to_schedule(self.shown.depth).is_ok(),
        };
        if stepped {
            self.moved();
        }
    }

    /// Runs until nothing is left to do.
    fn run_to_steady(&mut self) {
        if matches!(self.activity, Some(Activity::ToSteady(..))) {
            return self.stop();
        }
        if !self.is_loading() {
            self.touch();
            self.begin(Activity::ToSteady(0, Met::default()));
        }
    }

    /// Runs until a moment of virtual time.
    fn run_to_moment(&mut self, to: i64) {
        if self.at_rest() {
            self.touch();
            self.begin(Activity::ToMoment(ToMoment::time(to, LIMIT)));
        }
    }

    /// Goes to a moment, in slices if that takes long. Returns whether the run is there already.
    pub(super) fn goto(&mut self, moment: MomentId) -> bool {
        if matches!(self.activity, Some(Activity::Travel(..))) {
            self.activity = None;
            self.touch();
        }
        if !self.at_rest() {
            return false;
        }
        if self.session.at() != moment
            && let Some(way) = self.session.travel(moment)
        {
            self.begin(Activity::Travel(moment, Box::new(way)));
        } else {
            self.touch();
        }
        self.session.at() == moment
    }

    /// Goes so many moments along the branch that is shown.
    fn walk(&mut self, by: i64) {
        let from = self.heading();
        let marks = &self.shown.marks;
        let at = marks.binary_search_by(|m| m.moment.cmp(&from)).unwrap_or(0);
        let by = isize::try_from(by).unwrap_or(if by < 0 { isize::MIN } else { isize::MAX });
        let begins = marks.binary_search_by(|m| m.moment.cmp(&self.beginning)).unwrap_or(0);
        let last = self.until.map_or(usize::MAX, |until| begins.saturating_add(until));
        let to = at.saturating_add_signed(by).min(last).min(marks.len().saturating_sub(1));
        if let Some(moment) = marks.get(to).map(|m| m.moment) {
            self.goto(moment);
        }
    }

    /// Makes a branch of a moment's finest actions and goes to the moment after the first `n` of them.
    fn step_into(&mut self, moment: MomentId, n: usize) {
        if !self.at_rest() {
            return;
        }
        if self.session.step_into(moment, n) {
            let (depth, map) = (self.shown.depth, self.shown.map.shown);
            let inside = self.inside.get_or_insert(Inside { from: moment, depth, map });
            inside.from = moment;
            self.shown.depth = Depth::Machinery;
            self.show_map(true);
            self.moved();
        } else {
            let too_many = self.session.count_actions_of(moment) > FINEST_LIMIT;
            let key = if too_many { "into-too-many" } else { "into-nothing" };
            self.say(Said::key(key).number("n", FINEST_LIMIT as f64), false);
        }
    }

    /// Goes back to the step that was stepped into, at the depth and with the view that were there.
    fn step_out(&mut self) {
        if !self.at_rest() {
            return;
        }
        let Some(step) = self.session.inside() else { return };
        match self.inside.take().filter(|inside| inside.from == step) {
            Some(inside) => {
                self.shown.depth = inside.depth;
                self.show_map(inside.map);
            }
            // The run was repeated, or the person has chosen another depth since: the view stays.
            None if self.shown.depth == Depth::Machinery => {
                let depth = self.session.moment(step).and_then(|m| m.op.depth());
                self.shown.depth = depth.unwrap_or_default();
            }
            None => {}
        }
        self.forget_listing();
        self.goto(step);
    }

    /// Takes the choices that the explorer found, one after the other, as a branch of the run.
    fn follow_way(&mut self, session: u32, from: MomentId, depth: Depth, way: Vec<Choice>) {
        if session != self.shown.session || !self.at_rest() {
            return;
        }
        self.session.goto(from);
        self.begin(Activity::Follow(depth, way, 0));
    }

    /// Repeats a rollout that was rehearsed, as a branch of the run.
    fn repeat(&mut self, session: u32, from: MomentId, link: &str, ops: usize) {
        if session != self.shown.session || !self.at_rest() {
            return;
        }
        let Ok(link) = Link::decode(link) else { return };
        let mut copy = self.session.clone();
        if copy.goto(from) {
            let replay = Replay::on(copy, &link);
            self.load(Activity::Repeat(Box::new(Repeating { replay, from, ops })));
        }
    }

    fn show_map(&mut self, shown: bool) {
        self.out.push(Output::MapShown(shown));
        self.shown.map.shown = shown;
        self.follow_machine();
        self.touch();
    }

    fn open_scenario(&mut self, id: &str) {
        if !self.at_rest() {
            return;
        }
        let Some(scenario) = scenario::find(id) else { return };
        self.wanted = None;
        self.out.push(Output::Hush);
        self.keep();
        let setup = SetUp::new(&scenario);
        self.load(Activity::SetUp(Box::new(SetUpOf { scenario, setup, of_address: false })));
    }

    /// Does what the scenario offers to try.
    fn attempt(&mut self, nth: usize) {
        if !self.at_rest() {
            return;
        }
        let Some(scenario) = self.scenario.clone() else { return };
        let Some(one) = scenario.tries.get(nth) else { return };
        if matches!(one.deed, ScenarioStep::Steady(_)) {
            return self.run_to_steady();
        }
        self.preview();
        let before = self.shown.preview.clone().unwrap_or_default();
        if !scenario.perform(&mut self.session, &one.deed) {
            return self.say_why_not(&scenario, &one.deed);
        }
        // A message about what failed before no longer holds.
        self.out.push(Output::Hush);
        self.moved();
        // What was tried is wanted: the text says it, too, so that Apply does not put it back. What was otherwise before
        // stays a person's affair.
        self.preview();
        if before.back.is_empty() {
            self.take_over();
        }
    }

    /// Says why what a scenario offers changes nothing at this moment.
    fn say_why_not(&mut self, scenario: &Scenario, deed: &ScenarioStep) {
        let path = match deed {
            ScenarioStep::Kubectl(line) => {
                let refusal = scenario.refusal(&self.session, line);
                if !refusal.is_empty() {
                    return self.say_refused(&refusal);
                }
                return self.say(Said::key("try-same"), false);
            }
            ScenarioStep::Step(steps) => &steps.by,
            ScenarioStep::Act(act) => &act.of,
            ScenarioStep::Fault(_) => return self.say(Said::key("no-such-fault"), false),
            ScenarioStep::Steady(_) | ScenarioStep::Schedule(_) | ScenarioStep::Wait(_) => {
                return self.say(Said::key("step-nothing"), false);
            }
        };
        // Of a component's path its own name is enough.
        let who = path.rsplit(':').next().unwrap_or(path);
        self.say(Said::key("try-late").with("who", Value::Text(who.to_owned())), false);
    }

    /// Has the editor's text say what the cluster has in those fields in which the cluster has changed since the two agreed.
    /// What a person has edited since stays.
    pub(super) fn take_over(&mut self) {
        let Some(preview) = self.shown.preview.clone().filter(|p| p.follows) else { return };
        let Some(text) = follow(&self.shown.text, &preview.back) else { return };
        if let Some((agreed, _)) = &self.agreed
            && let Some(agreed) = follow(agreed, &preview.back)
        {
            self.agreed = Some((Rc::new(agreed), self.session.at()));
        }
        self.set_text(text);
        self.preview();
    }

    /// Works out what Apply would do.
    pub(super) fn preview(&mut self) {
        if self.activity.is_some() {
            return;
        }
        self.kinds.read(&self.shown.text);
        self.shown.kinds = self.kinds.listed().clone();
        self.shown.importable = self.shown.editing.is_none() && import::is_likely(&self.shown.text);
        if self.shown.importable {
            // What applying it would do is not worked out: most of what it says is what a server sets.
            self.shown.diagnostics = Rc::default();
            self.shown.preview = None;
            return self.touch();
        }
        let text = self.shown.text.clone();
        if self.shown.editing.is_none() && text.trim().is_empty() {
            // Nobody has written anything yet, which is no mistake. Who applies it is told so.
            self.shown.diagnostics = Rc::default();
            self.shown.images = Rc::default();
            self.shown.preview = None;
            return self.touch();
        }
        let edit = self.preview_of_edit();
        let edits = edit.is_some();
        let mut preview = edit.unwrap_or_else(|| Preview::of(&self.session, &text));
        if preview.output.exit == 0 && !edits {
            preview.in_past = self.session.ahead().is_some();
            if preview.is_empty() {
                self.agreed = Some((text.clone(), self.session.at()));
            } else if let Some((agreed, at)) = self.agreed.clone()
                && self.session.comes_from(at)
            {
                let then = if agreed == text { preview.clone() } else { Preview::of(&self.session, &agreed) };
                preview.sort_out(&text, &then);
            }
        }
        if preview.output.exit == 0 && std::mem::take(&mut self.refused) {
            // The mistake that the message is about is not in the text any more.
            self.out.push(Output::Hush);
        }
        self.shown.diagnostics = Rc::new(problems(self.session.cluster().api(), &text, &preview.output));
        self.shown.images = Rc::new(image_warnings(self.session.cluster(), &text));
        self.shown.preview = Some(Rc::new(preview));
        self.touch();
    }

    /// Lets something go wrong, or right again.
    fn break_it(&mut self, fault: &Fault) {
        if !self.at_rest() {
            return;
        }
        match self.session.fault(fault) {
            Ok(()) => self.moved(),
            Err(NoSuchFault) => self.say(Said::key("no-such-fault"), true),
        }
    }
}
