//! A lesson over the run that is shown: which one it is, and what a person does in it.
//!
//! What a lesson is and when its goals are met is in [`crate::lessons`]. This file opens one ([`Output::WantLesson`] asks the page
//! for its text), carries out its deeds in slices of time as the set-up of a scenario ([`Activity::Lesson`]), and has each new
//! moment judged.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::activity::{Activity, Begins, Deeds, Then};
use super::{Engine, LessonProblem, Output, OwnLesson, Said, Value};
use crate::lessons::{self, AnswerForm, Check, Lesson, LessonLink, LessonRun, LessonView, Prediction};
use crate::session::scenario::{Idle, ScenarioStep, SetUp};
use crate::session::{MomentId, Session};

/// The lesson that somebody goes through.
pub(super) struct Learning {
    run: LessonRun,
    /// The text of the lesson's file, if a person has brought it.
    own: Option<Rc<str>>,
    /// The step that somebody has asked for by its address: those before it are done by their solutions.
    heading: usize,
    /// Grows with everything that is done in the lesson, so that it is kept.
    turns: u64,
    /// The editor's text when each step was entered, as far as that was on this page.
    texts: BTreeMap<usize, Rc<String>>,
}

/// What is done with the text of a lesson once it is here.
pub(super) struct Wanted {
    id: String,
    then: Wish,
}

enum Wish {
    /// It is opened at this step.
    Open(usize),
    /// It goes on in a run that was opened.
    Resume(Resume),
}

/// A lesson as a link of a run has it, which goes on in that run.
struct Resume {
    /// The number of the run ([`Shown::session`](super::Shown::session)).
    session: u32,
    /// The timeline of the run when it was opened, in which the link counts its places.
    line: Vec<MomentId>,
    link: Box<LessonLink>,
}

/// The address of a step of a lesson, without `#/lesson/`: the lesson's id, and the number of the step where one is named.
fn step_of_address(path: &str) -> (&str, usize) {
    let (id, step) = path.split_once('/').unwrap_or((path, ""));
    (id, step.parse::<usize>().unwrap_or(1).saturating_sub(1))
}

impl Engine {
    /// Opens the lesson that an address names.
    pub(super) fn open_lesson_address(&mut self, path: &str) {
        let (id, step) = step_of_address(path);
        self.want_lesson(id, step);
    }

    /// Opens a lesson of the course at a step. The page is asked for its text.
    pub(super) fn want_lesson(&mut self, id: &str, step: usize) {
        if !lessons::list().iter().any(|listed| listed.id == id) {
            let id: String = id.chars().take(60).collect();
            return self.say(Said::key("lesson-none").with("id", Value::Text(id)), true);
        }
        self.ask_for_lesson(id.to_owned(), Wish::Open(step));
    }

    fn ask_for_lesson(&mut self, id: String, then: Wish) {
        self.out.push(Output::WantLesson(id.clone()));
        self.wanted = Some(Wanted { id, then });
    }

    /// Takes the text of the lesson that the page was asked for.
    pub(super) fn take_lesson(&mut self, id: &str, text: Option<&str>) {
        let Some(wanted) = self.wanted.take_if(|wanted| wanted.id == id) else { return };
        let Some(text) = text else { return self.say(Said::key("lesson-unread"), true) };
        let lesson = match lessons::read(&format!("{id}.yaml"), text) {
            Ok(lesson) => Rc::new(lesson),
            Err(e) => return self.say(Said::Text(e.to_string()), true),
        };
        match wanted.then {
            Wish::Open(step) => self.begin_lesson(lesson, Begins { own: None, step, run: None }),
            Wish::Resume(resume) if resume.session == self.shown.session => {
                self.resume(lesson, None, &resume)
            }
            Wish::Resume(_) => {}
        }
    }

    /// Opens a lesson that a person has brought, at the step that is shown if it is the same lesson.
    pub(super) fn bring_lesson(&mut self, file: &str, text: &str) {
        let (file, text): (String, Rc<str>) = (file.to_owned(), text.into());
        let problem = match lessons::read(&file, &text) {
            Ok(lesson) => {
                let same = self.lesson.as_ref().filter(|l| l.own.is_some() && l.run.lesson().id == lesson.id);
                let (step, run) = same.map_or((0, None), |l| (l.run.at(), Some(self.shown.run.clone())));
                self.wanted = None;
                self.begin_lesson(Rc::new(lesson), Begins { own: Some(text.clone()), step, run });
                None
            }
            Err(e) => Some(LessonProblem { line: e.line, column: e.column, message: e.message }),
        };
        if let Some(learning) = self.lesson.as_mut().filter(|_| problem.is_some()) {
            // The text is kept with the lesson.
            learning.turns += 1;
        }
        self.shown.own_lesson = Some(Rc::new(OwnLesson { file, text, brought: true, problem, played: None }));
        self.touch();
    }

    /// Plays the lesson that a person has brought to its end, beside the run that is shown.
    pub(super) fn check_lesson(&mut self) {
        let Some(lesson) = self.lesson.as_ref().filter(|l| l.own.is_some()).map(|l| l.run.lesson().clone())
        else {
            return;
        };
        if self.at_rest() {
            self.load(Activity::Check(Box::new(Check::new(&lesson))));
        }
    }

    /// Says what a play to the end has shown.
    pub(super) fn checked(&mut self, check: Check) {
        if let Some(own) = &mut self.shown.own_lesson {
            let flaw = check.flaw().map(|flaw| (flaw.step, flaw.what.clone()));
            Rc::make_mut(own).played = Some(flaw.map_or(Ok(()), Err));
        }
        self.touch();
    }

    fn begin_lesson(&mut self, lesson: Rc<Lesson>, with: Begins) {
        // As a link does, this takes the place of whatever is under way: of two texts the newer one counts.
        self.out.push(Output::Hush);
        if with.run.is_none() {
            self.keep();
        }
        let scenario = lesson.scenario();
        let first = lesson.steps.first().map_or(&[][..], |step| step.first.as_slice());
        let deeds = scenario.setup.iter().chain(first).cloned().collect();
        let setup = SetUp::of(&scenario, deeds, Session::new(scenario.start()));
        self.load(Activity::Lesson(Box::new(Deeds { setup, then: Then::Begin(lesson, with) })));
    }

    /// Goes on with a lesson as a link of the run that is shown has it.
    pub(super) fn resume_lesson(&mut self, link: LessonLink) {
        let (session, line) = (self.shown.session, self.session.timeline().to_vec());
        let resume = Resume { session, line, link: Box::new(link) };
        let Some(text) = resume.link.text.clone() else {
            return self.ask_for_lesson(resume.link.id.clone(), Wish::Resume(resume));
        };
        match lessons::read(&format!("{}.yaml", resume.link.id), &text) {
            Ok(lesson) => self.resume(Rc::new(lesson), Some(text.as_str().into()), &resume),
            Err(e) => self.say(Said::Text(e.to_string()), true),
        }
    }

    fn resume(&mut self, lesson: Rc<Lesson>, own: Option<Rc<str>>, from: &Resume) {
        let run = LessonRun::restore(lesson, &from.link, &from.line, &self.session);
        self.own_text(own.as_ref(), &run);
        // The lesson began after its set-up, which is where "Restart" goes.
        self.beginning = run.began().unwrap_or(self.beginning);
        self.lesson = Some(Learning { run, own, heading: 0, turns: 0, texts: BTreeMap::new() });
        self.derive();
        self.look_at_lesson();
        if let Some(draft) = &from.link.draft {
            let file = self.shown.own_lesson.as_ref().map(|own| own.file.clone()).unwrap_or_default();
            self.bring_lesson(&file, draft);
        }
    }

    /// Shows the text of a lesson's file if a person has brought it.
    fn own_text(&mut self, own: Option<&Rc<str>>, run: &LessonRun) {
        let file = format!("{}.yaml", run.lesson().id);
        self.shown.own_lesson = own.map(|text| {
            Rc::new(OwnLesson { file, text: text.clone(), brought: false, problem: None, played: None })
        });
    }

    /// Does a lesson's deeds from a moment on.
    fn perform(&mut self, deeds: Vec<ScenarioStep>, from: Option<MomentId>, then: Then) {
        let Some(learning) = &mut self.lesson else { return };
        learning.turns += 1;
        let scenario = learning.run.lesson().scenario();
        let mut session = self.session.clone();
        if let Some(from) = from {
            session.goto(from);
        }
        let setup = SetUp::of(&scenario, deeds, session);
        self.load(Activity::Lesson(Box::new(Deeds { setup, then })));
    }

    /// Goes on when deeds of a lesson are done.
    pub(super) fn performed(&mut self, deeds: Deeds) {
        let Deeds { setup, then } = deeds;
        let idle = setup.idle().cloned();
        let session = setup.finish();
        if let Then::Begin(lesson, with) = then {
            self.begun(lesson, with, session);
            return self.say_idle(idle);
        }
        self.session = session;
        // They may have come while the deeds were done.
        self.session.set_schema(self.schema.clone());
        let Some(learning) = &mut self.lesson else { return self.moved() };
        let mut wrong = None;
        match then {
            Then::Begin(..) | Then::Solved => {}
            Then::Enter(step) => {
                learning.run.enter(step, &self.session);
            }
            Then::Played => {
                wrong = learning.run.played(&self.session).err();
                learning.run.take_back();
            }
        }
        let entered = matches!(then, Then::Enter(_));
        let solved = matches!(then, Then::Solved);
        self.moved();
        let is_met = self.lesson.as_ref().is_some_and(|l| l.run.met().is_some());
        if idle.is_some() {
            self.say_idle(idle);
        } else if solved && !is_met {
            self.say(Said::key("lesson-not-solved"), true);
        }
        if let Some(why) = wrong {
            self.say(Said::key("lesson-no-answer").with("why", Value::Text(why)), true);
        }
        if entered {
            let follows = self.lesson.as_ref().and_then(|l| l.run.step()).is_some_and(|step| step.follow);
            if follows {
                self.preview();
                self.take_over();
            }
            self.note_text();
            self.look_there();
            self.go_towards();
        }
    }

    /// Notes the editor's text as that with which the step was entered.
    fn note_text(&mut self) {
        if let Some(learning) = &mut self.lesson {
            learning.texts.insert(learning.run.at(), self.shown.text.clone());
        }
    }

    /// Says that a deed of the lesson changed nothing: its author has to know, and its reader must not draw conclusions from it.
    fn say_idle(&mut self, idle: Option<Idle>) {
        let Some(Idle { deed, why }) = idle else { return };
        self.say(
            Said::key("lesson-idle").with("deed", Value::Text(deed)).with("why", Value::Text(why)),
            true,
        );
    }

    fn begun(&mut self, lesson: Rc<Lesson>, with: Begins, session: Session) {
        let Begins { own, step, run } = with;
        let beginning = session.at();
        self.shown.depth = self.own_depth.take().unwrap_or(self.shown.depth);
        self.set_text(lesson.start.manifest.clone());
        self.take_notes(None, &[]);
        // The text of a file may have been changed since, so that it cannot be read.
        let newer = self.shown.own_lesson.take().filter(|_| own.is_some());
        self.replace_run(None, session, beginning, run);
        let mut run = LessonRun::new(lesson);
        run.enter(0, &self.session);
        // The end of a lesson is reached by going through it.
        let heading = step.min(run.lesson().steps.len().saturating_sub(1));
        self.own_text(own.as_ref(), &run);
        self.shown.own_lesson = newer.or(self.shown.own_lesson.take());
        let applied = run.lesson().scenario().applied(&self.session);
        self.agreed = applied.map(|at| (self.shown.text.clone(), at));
        self.lesson = Some(Learning { run, own, heading, turns: 0, texts: BTreeMap::new() });
        self.note_text();
        self.out.push(Output::Opened);
        self.moved();
        // The lesson's address leaves the page's, so that a reload needs the run.
        self.settle(true);
        self.look_there();
        self.go_towards();
    }

    /// Does the step that is shown by its solution, if somebody has asked for a later one.
    fn go_towards(&mut self) {
        let Some(learning) = &self.lesson else { return };
        let run = &learning.run;
        let at = run.at();
        if at >= learning.heading {
            return;
        }
        let mut deeds = run.shortcut().to_vec();
        deeds.extend_from_slice(run.first(at + 1));
        self.perform(deeds, None, Then::Enter(at + 1));
    }

    /// Shows a step of the lesson: one that was reached as it began, or the next one.
    pub(super) fn lesson_step(&mut self, step: usize) {
        if !self.at_rest() {
            return;
        }
        let Some(learning) = &mut self.lesson else { return };
        learning.heading = 0;
        if step < learning.run.reached() {
            let begins = learning.run.enter(step, &self.session);
            learning.turns += 1;
            if let Some(moment) = begins {
                self.goto(moment);
            }
            self.look_at_lesson();
            self.look_there();
        } else if step == learning.run.reached() {
            let deeds = learning.run.first(step).to_vec();
            let from = learning.run.goes_on_from(&self.session);
            self.perform(deeds, from, Then::Enter(step));
        }
    }

    /// Notes a prediction, and has the run answer it from the beginning of the step on.
    pub(super) fn predict(&mut self, said: Prediction) {
        if !self.at_rest() {
            return;
        }
        let Some(learning) = &mut self.lesson else { return };
        let begins = learning.run.begins();
        if let Some(deeds) = learning.run.predict(said).map(<[ScenarioStep]>::to_vec) {
            self.perform(deeds, begins, Then::Played);
        }
    }

    /// Deeds of a lesson were stopped before they were done: a prediction that waited for them can be made again.
    pub(super) fn stopped_lesson(&mut self) {
        if let Some(learning) = &mut self.lesson {
            learning.heading = 0;
            learning.run.take_back();
            self.look_at_lesson();
        }
    }

    /// Gives a further hint.
    pub(super) fn hint(&mut self) {
        if let Some(learning) = &mut self.lesson {
            learning.run.hint();
            learning.turns += 1;
            self.look_at_lesson();
        }
    }

    /// Plays the solution of the step that is shown, from its beginning on.
    pub(super) fn solve(&mut self) {
        if !self.at_rest() {
            return;
        }
        let Some(learning) = &self.lesson else { return };
        let (deeds, begins) = (learning.run.solution().to_vec(), learning.run.begins());
        if !deeds.is_empty() {
            self.perform(deeds, begins, Then::Solved);
        }
    }

    /// Goes back to the beginning of the step that is shown.
    pub(super) fn lesson_again(&mut self) {
        let Some(learning) = &self.lesson else { return };
        let text = learning.texts.get(&learning.run.at()).cloned();
        if let Some(moment) = learning.run.begins() {
            self.goto(moment);
        }
        if let Some(text) = text.filter(|text| *text != self.shown.text) {
            self.set_text((*text).clone());
            self.preview();
        }
    }

    /// Leaves the lesson. Its run stays as it is: deeds that are under way are not done.
    pub(super) fn leave_lesson(&mut self) {
        if matches!(self.activity, Some(Activity::Lesson(_))) {
            self.stop();
        }
        self.forget_lesson();
        self.look_at_lesson();
    }

    /// Forgets the lesson, because another run takes the place of its run.
    pub(super) fn forget_lesson(&mut self) {
        self.lesson = None;
        self.wanted = None;
        self.shown.own_lesson = None;
    }

    /// The lesson as a link of the run carries it, also while the text of a lesson that goes on is still asked for.
    pub(super) fn lesson_link(&self) -> Option<LessonLink> {
        if let Some(learning) = &self.lesson {
            let own = learning.own.as_ref().map(|text| text.to_string());
            let newest = self.shown.own_lesson.as_ref().filter(|own| own.problem.is_some());
            let draft = newest.map(|own| own.text.to_string());
            return Some(LessonLink { draft, ..learning.run.link(&self.session, own) });
        }
        match &self.wanted.as_ref()?.then {
            Wish::Resume(resume) if resume.session == self.shown.session => {
                let place = |place: usize| self.session.place(*resume.line.get(place)?);
                Some(resume.link.moved(place))
            }
            Wish::Resume(_) | Wish::Open(_) => None,
        }
    }

    /// What tells one state of the lesson from another: its id, the step, and how much was done in it.
    pub(super) fn lesson_state(&self) -> Option<(String, usize, u64)> {
        self.lesson.as_ref().map(|l| (l.run.lesson().id.clone(), l.run.at(), l.turns))
    }

    /// Judges the lesson at the moment that is shown, and reads anew what is shown of it. It is not done for moments that a run
    /// passes: which of them are drawn depends on how fast the machine is, and whether a goal was met must not.
    pub(super) fn look_at_lesson(&mut self) {
        let shown = self.lesson.as_mut().map(|learning| {
            learning.run.judge(&self.session);
            Rc::new(LessonView::of(&learning.run, &self.session, learning.own.is_some()))
        });
        if shown != self.shown.lesson {
            self.shown.lesson = shown;
            self.touch();
        }
    }

    /// Shows what the step that was entered is about: the objects or the component map.
    fn look_there(&mut self) {
        let Some(view) = &self.shown.lesson else { return };
        let points = view.predict.as_ref().is_some_and(|p| matches!(p.by, AnswerForm::Object(_)));
        if points && view.asks() && self.shown.selection.is_some() {
            // What the set-up has made last is selected, which could be the answer.
            self.shown.selection = None;
            self.touch();
        }
        let Some(map) = self.shown.lesson.as_ref().map(|view| view.map) else { return };
        if self.shown.map.shown != map && !self.embedded {
            self.shown.map.shown = map;
            self.follow_machine();
            self.touch();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::Input;
    use super::*;

    fn text(id: &str) -> String {
        std::fs::read_to_string(format!("{}/static/lessons/{id}.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    /// Works until nothing is under way, and hands in the texts that are asked for.
    fn settle(engine: &mut Engine, mut out: Vec<Output>) -> Vec<Output> {
        let mut all = Vec::new();
        loop {
            for one in &out {
                if let Output::WantLesson(id) = one {
                    let more = engine.handle(Input::LessonText(id.clone(), Some(text(id))));
                    all.extend(more);
                }
            }
            all.extend(out);
            if engine.activity.is_none() && all.iter().all(|o| !matches!(o, Output::Busy))
                || engine.due().is_none()
            {
                return all;
            }
            out = engine.work();
        }
    }

    fn send(engine: &mut Engine, input: Input) -> Vec<Output> {
        let out = engine.handle(input);
        let mut all = settle(engine, out);
        while engine.due().is_some() {
            let out = engine.work();
            all.extend(settle(engine, out));
        }
        all
    }

    fn opened(id: &str) -> Engine {
        let mut engine = Engine::new(|| 0.0);
        engine.handle(Input::Begin(super::super::Begin::default()));
        send(&mut engine, Input::OpenLesson(id.to_owned(), 0));
        engine
    }

    fn view(engine: &Engine) -> LessonView {
        (**engine.shown.lesson.as_ref().unwrap()).clone()
    }

    const ID: &str = "1.2-enabling-condition";

    #[test]
    fn a_lesson_is_gone_through_and_its_goal_is_met_by_what_a_person_does() {
        let mut engine = opened(ID);
        assert_eq!((view(&engine).step, view(&engine).reached), (0, 1));
        send(&mut engine, Input::LessonStep(1));
        assert!(!view(&engine).done);
        send(&mut engine, Input::Predict(Prediction::Choice(0)));
        let predicted = view(&engine).predict.unwrap().predicted.unwrap();
        assert!(!predicted.right && predicted.but.is_some());
        send(&mut engine, Input::LessonStep(2));
        send(&mut engine, Input::Predict(Prediction::Choice(1)));
        assert!(view(&engine).predict.unwrap().predicted.unwrap().right);
        send(&mut engine, Input::LessonStep(3));
        assert!(!view(&engine).task.unwrap().met);
        send(&mut engine, Input::Kubectl("set env deployment/web A=1".to_owned()));
        send(&mut engine, Input::ToSteady);
        assert!(view(&engine).task.unwrap().met);
        send(&mut engine, Input::LessonStep(4));
        send(&mut engine, Input::LessonStep(5));
        assert!(view(&engine).end.is_some());
    }

    #[test]
    fn the_address_of_a_later_step_does_the_ones_before_by_their_solutions() {
        let mut engine = Engine::new(|| 0.0);
        engine.handle(Input::Begin(super::super::Begin::default()));
        send(&mut engine, Input::Open(format!("/lesson/{ID}/4")));
        let view = view(&engine);
        assert_eq!((view.step, view.reached), (3, 4));
        assert!(!view.task.unwrap().met);
    }

    #[test]
    fn a_link_goes_on_with_the_lesson_where_it_was_left() {
        let mut engine = opened(ID);
        send(&mut engine, Input::LessonStep(1));
        send(&mut engine, Input::Predict(Prediction::Choice(1)));
        let link = engine.draft(None).encode();
        let mut other = Engine::new(|| 0.0);
        other.handle(Input::Begin(super::super::Begin::default()));
        send(&mut other, Input::Open(link));
        assert_eq!(view(&other), view(&engine));
    }

    #[test]
    fn what_is_wrong_in_a_file_that_a_person_brings_is_said_at_its_line() {
        let mut engine = opened(ID);
        let broken = text(ID).replace("nodes: 3", "nodes: three");
        send(&mut engine, Input::BringLesson("mine.yaml".to_owned(), broken));
        let problem = |e: &Engine| e.shown.own_lesson.as_ref().unwrap().problem.clone();
        assert!(problem(&engine).unwrap().line.is_some());
        assert!(!view(&engine).own);
        send(&mut engine, Input::BringLesson("mine.yaml".to_owned(), text(ID)));
        assert!(problem(&engine).is_none());
        assert!(view(&engine).own);
    }

    #[test]
    fn a_prediction_whose_play_was_stopped_can_be_made_again() {
        let mut engine = opened(ID);
        send(&mut engine, Input::LessonStep(1));
        // From here on each look at the clock takes so long that a slice does one step.
        let now = std::cell::Cell::new(0.0);
        engine.clock = Box::new(move || {
            now.set(now.get() + 5.0);
            now.get()
        });
        let long = ScenarioStep::Steady(true);
        let begins = engine.lesson.as_ref().and_then(|l| l.run.begins());
        if let Some(learning) = &mut engine.lesson {
            learning.run.predict(Prediction::Choice(0));
        }
        engine.perform(vec![long], begins, Then::Played);
        engine.work();
        assert!(matches!(engine.activity, Some(Activity::Lesson(_))));
        engine.handle(Input::Stop);
        assert!(engine.activity.is_none() && view(&engine).asks());
        send(&mut engine, Input::Predict(Prediction::Choice(1)));
        assert!(!view(&engine).asks());
    }

    fn wants(out: &[Output], id: &str) -> bool {
        out.iter().any(|one| matches!(one, Output::WantLesson(wanted) if wanted == id))
    }

    fn drafts(out: &[Output]) -> Vec<&super::super::Draft> {
        out.iter()
            .filter_map(|one| match one {
                Output::Keep(draft) => Some(draft),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_lesson_that_was_opened_is_kept_before_anything_is_done_in_it() {
        let mut engine = opened(ID);
        let out = engine.handle(Input::Save);
        assert_eq!(drafts(&out).iter().map(|d| d.scenario.as_str()).collect::<Vec<_>>(), [ID]);
    }

    #[test]
    fn a_file_that_is_typed_on_stays_one_run() {
        let mut engine = opened(ID);
        let first =
            text(ID).replacen("  - text:", "  - first: [kubectl: create configmap before]\n    text:", 1);
        send(&mut engine, Input::BringLesson("mine.yml".to_owned(), first.clone()));
        assert_eq!(view(&engine).id, "mine");
        let before = engine.session.kubectl("get configmap before", &[]);
        assert_eq!(before.exit, 0, "{}", before.stderr);
        let run = engine.shown.run.clone();
        send(
            &mut engine,
            Input::BringLesson("mine.yml".to_owned(), first.replace("title: {en: ", "title: {en: A ")),
        );
        assert_eq!(engine.shown.run, run);
        assert_eq!(engine.shown.own_lesson.as_ref().unwrap().file, "mine.yml");
    }

    #[test]
    fn the_editor_follows_what_a_lesson_did_where_its_step_says_so() {
        let mut engine = Engine::new(|| 0.0);
        engine.handle(Input::Begin(super::super::Begin::default()));
        send(&mut engine, Input::Open("/lesson/1.3-the-cascade/3".to_owned()));
        assert!(engine.shown.text.contains("replicas: 3"), "{}", engine.shown.text);
        send(&mut engine, Input::Typed("kind: Pod".to_owned()));
        send(&mut engine, Input::LessonAgain);
        assert!(engine.shown.text.contains("replicas: 3"));
    }

    #[test]
    fn a_file_that_is_played_to_its_end_says_what_does_not_hold() {
        let mut engine = opened(ID);
        let run = |engine: &mut Engine, text: String| {
            send(engine, Input::BringLesson("mine.yaml".to_owned(), text));
            let at = engine.session.at();
            send(engine, Input::CheckLesson);
            assert_eq!(engine.session.at(), at);
            engine.shown.own_lesson.as_ref().unwrap().played.clone().unwrap()
        };
        assert_eq!(run(&mut engine, text(ID)), Ok(()));
        let wrong =
            text(ID).replacen("- kubectl: apply -f manifest.yaml", "- kubectl: aply -f manifest.yaml", 1);
        let (step, why) = run(&mut engine, wrong).unwrap_err();
        assert_eq!(step, 0);
        assert!(why.contains("unknown command \"aply\""), "{why}");
    }

    #[test]
    fn a_newer_choice_is_not_undone_by_a_lesson_that_comes_late() {
        let mut engine = opened(ID);
        let out = engine.handle(Input::OpenLesson("1.1-one-command".to_owned(), 0));
        assert!(wants(&out, "1.1-one-command"));
        send(&mut engine, Input::OpenScenario("04-rolling-update".to_owned()));
        send(&mut engine, Input::LessonText("1.1-one-command".to_owned(), Some(text("1.1-one-command"))));
        assert_eq!(engine.shown.scenario.as_ref().unwrap().id.as_ref(), "04-rolling-update");
    }

    #[test]
    fn a_lesson_whose_text_is_still_fetched_stays_in_the_link() {
        let mut engine = opened(ID);
        send(&mut engine, Input::LessonStep(1));
        send(&mut engine, Input::Predict(Prediction::Choice(1)));
        let link = engine.draft(None);
        let mut other = Engine::new(|| 0.0);
        other.handle(Input::Begin(super::super::Begin::default()));
        let mut out = other.handle(Input::Open(link.encode()));
        while other.due().is_some() {
            out.extend(other.work());
        }
        assert!(wants(&out, ID));
        assert_eq!(other.draft(None).lesson, link.lesson);
    }

    #[test]
    fn another_run_ends_the_lesson() {
        let mut engine = opened(ID);
        send(&mut engine, Input::OpenScenario("04-rolling-update".to_owned()));
        assert!(engine.shown.lesson.is_none());
    }
}
