//! The runs that this browser keeps: which of them this tab shows, writing them down, and what a person does with the list.
//! What is kept of each is decided in [`steady::engine::runs`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use steady::engine::explorer::write;
use steady::engine::runs::{Kept, Runs};
use steady::engine::wire::read;
use steady::engine::{Draft, Input, Work};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::db::{Db, is_newer};
use super::keep::{FRESH, LAST, LEFT, OLD, RUN, in_browser, in_tab};
use super::locks::{self, Ask, Held};
use super::{Store, Toast, ToastAct};

/// For how many milliseconds changes are gathered before the run is stored.
const GATHER: u32 = 700;

/// What a tab knows of the kept runs.
#[derive(Default)]
pub(super) struct Shelf {
    db: RefCell<Option<Rc<Db>>>,
    /// A word that no other tab has.
    tab: RefCell<String>,
    copies: Cell<u32>,
    /// Drafts that are not stored yet, by the ids of their runs.
    waiting: RefCell<BTreeMap<Rc<str>, Draft>>,
    /// Whether it is planned to store them, and whether they are being stored.
    planned: Cell<bool>,
    writing: Cell<bool>,
    /// The locks that this tab holds, by the ids of the runs.
    held: RefCell<BTreeMap<String, Held>>,
    /// The run that was shown last.
    shown: RefCell<Rc<str>>,
    /// Whether it was said that the browser stores nothing.
    told: Cell<bool>,
    /// Whether the browser's database is that of a newer page.
    newer: Cell<bool>,
    /// What was deleted last, so that it can be had back.
    deleted: RefCell<Option<(Kept, String)>>,
}

/// The list of runs, as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunList {
    /// The runs; the one that was changed last is the first.
    pub runs: Vec<Kept>,
    /// The ids of those that other tabs show.
    pub elsewhere: Vec<String>,
    /// Whether the browser refuses to store anything.
    pub refused: bool,
    /// Whether that is so because a newer page has changed the form of what is stored.
    pub newer: bool,
    /// How many runs there are that cannot be read.
    pub unreadable: usize,
    /// What was deleted last, if it can be had back.
    pub deleted: Option<Kept>,
}

/// What a person does with a run of the list.
#[derive(Clone, Debug, PartialEq)]
pub enum RunDeed {
    /// Calls it this.
    Rename(String),
    /// Makes a copy. This is what the run is called on the page.
    Duplicate(String),
    /// Deletes it.
    Delete,
    /// Brings back what was deleted last.
    Undo,
}

impl Store {
    /// A word that no other tab has.
    pub(super) fn tab(&self) -> String {
        let mut tab = self.0.shelf.tab.borrow_mut();
        if tab.is_empty() {
            let (now, random) = (js_sys::Date::now() as u64, (js_sys::Math::random() * 1e9) as u64);
            *tab = format!("{now:x}-{random:x}");
        }
        tab.clone()
    }

    async fn db(&self) -> Option<Rc<Db>> {
        if let Some(db) = self.0.shelf.db.borrow().clone() {
            return Some(db);
        }
        let opened = Db::open().await;
        self.0.shelf.newer.set(opened.as_ref().is_err_and(is_newer));
        let db = Rc::new(opened.ok()?);
        *self.0.shelf.db.borrow_mut() = Some(db.clone());
        Some(db)
    }

    /// The run that the tab goes on with, if the page keeps one, and what is said about it.
    pub(super) async fn pick_up(&self) -> (Option<Work>, Option<Toast>) {
        let db = self.db().await;
        if let Some(db) = &db {
            self.take_over_old(db).await;
        }
        let mine = in_tab(RUN);
        let Some(id) = mine.clone().or_else(|| in_browser(LAST)) else { return (None, None) };
        let left = in_tab(LEFT).and_then(|text| read::<Draft>(&text).ok()).filter(|left| *left.id == *id);
        let link = match (left, &db) {
            (Some(left), _) => {
                let link = left.link.clone();
                self.store_soon(left);
                Some(link)
            }
            (None, Some(db)) => db.link(&id).await.ok().flatten(),
            (None, None) => None,
        };
        let Some(link) = link else { return (None, None) };
        let ask = if mine.is_some() { Ask::Again } else { Ask::Free };
        if self.hold(&id, ask).await {
            return (Some(Work { id: Some(id), link }), None);
        }
        // A tab that was duplicated has the run of the tab that it was made from; a new tab begins with nothing.
        match mine {
            Some(_) => (Some(Work { id: None, link }), Some(self.copy_toast(id))),
            None => (None, None),
        }
    }

    fn copy_toast(&self, id: String) -> Toast {
        let text = self.texts().get("run-copy");
        Toast { text, act: Some(ToastAct::TakeOver(id)), ..Toast::default() }
    }

    /// The two runs that an older page kept in the local storage become runs like all others.
    async fn take_over_old(&self, db: &Db) {
        for (i, key) in OLD.iter().enumerate() {
            let Some(link) = in_browser(key) else { continue };
            let id = format!("{}-old{i}", self.tab());
            let now = js_sys::Date::now() - i as f64;
            if let Some(kept) = Kept::of_link(&id, &link, now)
                && db.write(Some(&kept), Some(&link), &[]).await.is_err()
            {
                return;
            }
            if i == 0 {
                self.put_local(LAST, &id);
            }
            self.forget_local(key);
        }
    }

    async fn hold(&self, id: &str, ask: Ask) -> bool {
        if self.0.shelf.held.borrow().contains_key(id) {
            return true;
        }
        let (store, of) = (self.clone(), id.to_owned());
        let lost = Callback::from(move |()| store.lost(&of));
        let held = locks::hold(id, ask, lost).await;
        let granted = held.is_some();
        if let Some(held) = held {
            self.0.shelf.held.borrow_mut().insert(id.to_owned(), held);
        }
        granted
    }

    /// Another tab has taken a run over.
    fn lost(&self, id: &str) {
        if self.0.shelf.held.borrow_mut().remove(id).is_none() {
            return;
        }
        self.0.shelf.waiting.borrow_mut().remove(id);
        if self.with(|s| *s.run == *id) {
            self.forget_tab(RUN);
            self.forget_tab(LEFT);
            self.send(Input::Part);
            self.say(self.texts().get("run-taken"), true);
        }
    }

    /// Follows a change of the run that is shown: lets go of the locks of other runs, and notes what a reload opens.
    pub(super) fn shows_run(&self, id: &Rc<str>, scenario: Option<&str>) {
        let before = self.0.shelf.shown.replace(id.clone());
        if before == *id || before.is_empty() || self.is_embedded() {
            return;
        }
        self.0.shelf.held.borrow_mut().retain(|held, _| **held == **id);
        if self.0.shelf.held.borrow().contains_key(&**id) {
            self.put_tab(RUN, id);
            self.put_local(LAST, id);
        } else if let Some(scenario) = scenario {
            // Nothing is kept of it before something is done.
            self.put_tab(RUN, &format!("{FRESH}{scenario}"));
        }
    }

    /// Keeps a run.
    pub(super) fn keep(&self, draft: Draft) {
        // A page that is a part of another one keeps nothing.
        if self.is_embedded() {
            return;
        }
        let shown = self.with(|s| s.run == draft.id);
        if shown {
            self.put_tab(RUN, &draft.id);
            self.put_local(LAST, &draft.id);
            *self.0.draft.borrow_mut() = Some(draft.clone());
        }
        self.0.shelf.waiting.borrow_mut().insert(draft.id.clone(), draft);
        // Another run takes the place of one that is not shown: nothing more will come of it.
        self.plan_store(if shown { GATHER } else { 0 });
    }

    /// Notes a kept run that is opened: until it is changed, it is not handed out again.
    pub(super) fn note_opened(&self, work: &Work) {
        if let Some(id) = &work.id {
            let draft = Draft { id: id.as_str().into(), link: work.link.clone(), ..Draft::default() };
            *self.0.draft.borrow_mut() = Some(draft);
        }
    }

    fn store_soon(&self, draft: Draft) {
        self.0.shelf.waiting.borrow_mut().insert(draft.id.clone(), draft);
        self.plan_store(0);
    }

    fn plan_store(&self, wait: u32) {
        if wait == 0 {
            spawn_local(self.clone().store_all());
        } else if !self.0.shelf.planned.replace(true) {
            self.plan(wait, |store| {
                store.0.shelf.planned.set(false);
                spawn_local(store.store_all());
            });
        }
    }

    /// Puts the run that is shown where a reload finds it at once, if it is not stored yet.
    pub(super) fn leave(&self) {
        let draft = self.0.draft.borrow().clone().filter(|draft| self.with(|s| s.run == draft.id));
        if let Some(draft) = draft.filter(|_| !self.is_embedded()) {
            let waits = self.0.shelf.waiting.borrow().contains_key(&draft.id);
            if waits || self.0.shelf.writing.get() {
                self.put_tab(LEFT, &write(&draft));
            }
            self.plan_store(0);
        }
    }

    async fn store_all(self) {
        if self.0.shelf.writing.replace(true) {
            return;
        }
        loop {
            let next = self.0.shelf.waiting.borrow_mut().pop_first();
            let Some((id, draft)) = next else { break };
            let text = write(&draft);
            if self.store_one(&draft).await.is_some() {
                if in_tab(LEFT).as_deref() == Some(text.as_str()) {
                    self.forget_tab(LEFT);
                }
                if self.with(|s| s.run == id) {
                    self.hold(&id, Ask::Free).await;
                }
            } else {
                // A reload finds it here, if there is room.
                let kept = self.put_tab(LEFT, &text);
                if !self.0.shelf.told.replace(true) {
                    let args = [("kb", ((text.len() / 1000) as f64).into())];
                    let key = match (kept, self.0.shelf.newer.get()) {
                        (false, _) => "save-full",
                        (true, true) => "save-newer",
                        (true, false) => "save-refused",
                    };
                    self.say(self.texts().with(key, &args), true);
                }
            }
        }
        self.0.shelf.writing.set(false);
    }

    /// Stores a draft. `None` if the browser refuses.
    async fn store_one(&self, draft: &Draft) -> Option<()> {
        let db = self.db().await?;
        let before = db.run(&draft.id).await.ok()?;
        let is_new = before.is_none();
        // A page that is closed keeps what may be kept already, which makes it no newer.
        if !is_new && db.link(&draft.id).await.ok()?.as_deref() == Some(draft.link.as_str()) {
            return Some(());
        }
        let kept = Runs::new(before.into_iter().collect()).keep(draft, js_sys::Date::now());
        let gone = match is_new {
            true => Runs::new(db.all().await.ok()?.0).surplus(&locks::open().await),
            false => Vec::new(),
        };
        db.write(Some(&kept), Some(&draft.link), &gone).await.ok()
    }

    /// Reads the list of runs.
    pub fn list_runs(&self, show: Callback<RunList>) {
        let store = self.clone();
        spawn_local(async move { show.emit(store.run_list().await) });
    }

    async fn run_list(&self) -> RunList {
        let deleted = self.0.shelf.deleted.borrow().as_ref().map(|(kept, _)| kept.clone());
        let all = match self.db().await {
            Some(db) => db.all().await.ok(),
            None => None,
        };
        let refused = all.is_none();
        let (runs, unreadable) = all.unwrap_or_default();
        let runs = Runs::new(runs).all().to_vec();
        let newer = self.0.shelf.newer.get();
        let mut elsewhere = locks::open().await;
        elsewhere.retain(|id| !self.0.shelf.held.borrow().contains_key(id));
        RunList { runs, elsewhere, refused, newer, unreadable, deleted }
    }

    /// Does something with a run of the list, and reads the list again.
    pub fn do_with_run(&self, id: String, deed: RunDeed, show: Callback<RunList>) {
        let store = self.clone();
        spawn_local(async move {
            if store.done_with_run(&id, deed).await.is_none() {
                store.say(store.texts().get("runs-refused"), true);
            }
            show.emit(store.run_list().await);
        });
    }

    async fn done_with_run(&self, id: &str, deed: RunDeed) -> Option<()> {
        let db = self.db().await?;
        let runs = Runs::new(db.all().await.ok()?.0);
        match deed {
            RunDeed::Rename(name) => db.write(Some(&runs.rename(id, &name)?), None, &[]).await.ok(),
            RunDeed::Duplicate(title) => {
                let link = db.link(id).await.ok()??;
                self.0.shelf.copies.set(self.0.shelf.copies.get() + 1);
                let copy = format!("{}-copy{}", self.tab(), self.0.shelf.copies.get());
                let kept = runs.duplicate(id, &copy, &title, js_sys::Date::now())?;
                db.write(Some(&kept), Some(&link), &[]).await.ok()
            }
            RunDeed::Delete => {
                let kept = runs.find(id)?.clone();
                let link = db.link(id).await.ok()??;
                self.0.shelf.waiting.borrow_mut().remove(id);
                db.write(None, None, &[id.to_owned()]).await.ok()?;
                *self.0.shelf.deleted.borrow_mut() = Some((kept, link));
                if self.with(|s| *s.run == *id) {
                    self.forget_tab(RUN);
                    self.send(Input::Part);
                }
                Some(())
            }
            RunDeed::Undo => {
                let (kept, link) = self.0.shelf.deleted.borrow_mut().take()?;
                db.write(Some(&kept), Some(&link), &[]).await.ok()
            }
        }
    }

    /// Opens a run of the list; a copy of it, if another tab has it open.
    pub fn open_run(&self, id: String) {
        if self.with(|s| *s.run == *id) {
            return;
        }
        let store = self.clone();
        spawn_local(async move {
            let free = store.hold(&id, Ask::Free).await;
            if store.opened_run(&id, free).await.is_some() && !free {
                store.show_toast(store.copy_toast(id));
            }
        });
    }

    /// Takes a run over from the tab that has it open.
    pub(super) fn take_over(&self, id: String) {
        let store = self.clone();
        spawn_local(async move {
            store.hold(&id, Ask::TakeOver).await;
            store.opened_run(&id, true).await;
        });
    }

    async fn opened_run(&self, id: &str, own: bool) -> Option<()> {
        let link = match self.db().await {
            Some(db) => db.link(id).await.ok().flatten(),
            None => None,
        };
        let Some(link) = link else {
            self.say(self.texts().get("run-gone"), true);
            return None;
        };
        self.send(Input::OpenRun(Work { id: own.then(|| id.to_owned()), link }));
        Some(())
    }
}
