//! What a shell does at the keys of the terminal's line.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::utils::window;
use steady::engine::{Answer, Ask, Completion, Input, is_unfinished, recall};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::store::{Shared, Store};

/// Where one is among the lines that were typed before: the place, and what stood in the line then.
#[derive(Clone, Debug, PartialEq)]
struct Recalled {
    at: usize,
    prefix: String,
}

/// A search among the lines that were typed: the place of what was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search(pub Option<usize>);

/// The words that the line can go on with, and the place of the one that Enter takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub completion: Completion,
    pub at: usize,
}

/// What the line remembers from key to key. It is drawn anew when the list, the search or the unfinished lines change.
#[derive(Default)]
pub struct Memory {
    recalled: RefCell<Option<Recalled>>,
    /// What stood in the line when a search began.
    draft: RefCell<String>,
    /// Whether the last key was a Tab that left several words to choose from.
    pub tabbed: Cell<bool>,
    /// Whether the next Tab leaves the line.
    leaves: Cell<bool>,
}

/// The line, and what it does.
#[derive(Clone)]
pub struct LineKeys {
    pub store: Store,
    /// The lines that were typed, oldest first.
    pub history: Shared<Vec<String>>,
    /// Whether a line runs that Ctrl+C ends.
    pub runs: bool,
    /// Whether the lines go to the process of a container, each at once.
    pub attached: bool,
    /// Whether the line goes to a shell in a container, which Ctrl+D ends.
    pub inside: bool,
    pub memory: Rc<Memory>,
    pub offer: UseStateHandle<Option<Offer>>,
    pub search: UseStateHandle<Option<Search>>,
    /// The lines before this one of something that is not finished.
    pub begun: UseStateHandle<Rc<Vec<String>>>,
}

/// The text before the cursor, and the text after it.
fn halves(input: &HtmlInputElement) -> (String, String) {
    let units: Vec<u16> = input.value().encode_utf16().collect();
    let at = input.selection_start().ok().flatten().map_or(units.len(), |at| at as usize).min(units.len());
    let (head, tail) = units.split_at(at);
    (String::from_utf16_lossy(head), String::from_utf16_lossy(tail))
}

fn put(input: &HtmlInputElement, head: &str, tail: &str) {
    input.set_value(&format!("{head}{tail}"));
    let at = head.encode_utf16().count() as u32;
    // An input of text has a selection.
    let _ = input.set_selection_range(at, at);
}

/// Whether something is selected that Ctrl+C would copy.
fn is_selected(input: &HtmlInputElement) -> bool {
    let (start, end) = (input.selection_start(), input.selection_end());
    let inside = start.ok().flatten() != end.ok().flatten();
    let outside = window().get_selection().ok().flatten().map(|s| String::from(s.to_string()));
    inside || outside.is_some_and(|text| !text.is_empty())
}

impl LineKeys {
    /// Works out how the line can go on, and does something with that, unless the line is another one by then.
    fn complete(&self, input: &HtmlInputElement, then: impl Fn(&LineKeys, Completion, &str) + 'static) {
        let (head, tail) = halves(input);
        let (keys, input, at) = (self.clone(), input.clone(), (head.clone(), tail.clone()));
        let head = self.begun.iter().map(|line| format!("{line}\n")).chain([head]).collect();
        self.store.ask(
            Ask::Complete(head),
            Callback::from(move |a| {
                if let (Answer::Complete(completion), true) = (a, halves(&input) == at) {
                    then(&keys, completion, &at.1);
                }
            }),
        );
    }

    /// The text of the line before the word that is completed: without the lines before.
    fn before<'c>(&self, completion: &'c Completion) -> &'c str {
        let above: usize = self.begun.iter().map(|line| line.len() + 1).sum();
        completion.before.get(above..).unwrap_or_default()
    }

    /// Completes the word at the cursor as far as there is one way on; a second time it lists the ways.
    pub fn tab(&self, input: &HtmlInputElement) {
        let line = input.clone();
        self.complete(input, move |keys, found, tail| {
            let before = keys.before(&found).to_owned();
            match found.words.as_slice() {
                [] => {}
                [one] => put(&line, &format!("{before}{}", recall::with_blank(one)), tail),
                words if recall::common(words).len() > found.partial.len() => {
                    put(&line, &format!("{before}{}", recall::common(words)), tail);
                    keys.memory.tabbed.set(true);
                }
                _ if keys.memory.tabbed.get() => keys.offer.set(Some(Offer { completion: found, at: 0 })),
                _ => keys.memory.tabbed.set(true),
            }
        });
    }

    pub fn take(&self, input: &HtmlInputElement, at: usize) {
        let Some(offer) = &*self.offer else { return };
        if let Some(word) = offer.completion.words.get(at) {
            let (_, tail) = halves(input);
            put(input, &format!("{}{}", self.before(&offer.completion), recall::with_blank(word)), &tail);
        }
        self.offer.set(None);
    }

    /// Follows what was typed while the list stands.
    pub fn typed(&self, input: &HtmlInputElement) {
        *self.memory.recalled.borrow_mut() = None;
        self.memory.tabbed.set(false);
        if self.search.is_some() {
            let found = recall::search(&self.history, &input.value(), self.history.len());
            self.search.set(Some(Search(found)));
        } else if self.offer.is_some() {
            self.complete(input, |keys, found, _| {
                keys.offer.set((found.words.len() > 1).then_some(Offer { completion: found, at: 0 }));
            });
        }
    }

    pub fn go_back(&self, input: &HtmlInputElement, back: bool) {
        let recalled = self.memory.recalled.borrow().clone();
        if recalled.is_none() && !self.begun.is_empty() {
            return;
        }
        let new = || Recalled { at: self.history.len(), prefix: halves(input).0 };
        let Recalled { at, prefix } = recalled.unwrap_or_else(new);
        let shown = self.history.get(at).cloned().unwrap_or_else(|| input.value());
        let found = if back {
            recall::older(&self.history, &prefix, &shown, at)
        } else {
            recall::newer(&self.history, &prefix, &shown, at)
        };
        let (at, text) = match found {
            Some(at) => (at, self.history.get(at).cloned().unwrap_or_default()),
            None if back => return,
            None => (self.history.len(), prefix.clone()),
        };
        self.show(input, &text);
        *self.memory.recalled.borrow_mut() = Some(Recalled { at, prefix });
    }

    /// Puts a text into the line; of several lines the last one, with the others before it.
    fn show(&self, input: &HtmlInputElement, text: &str) {
        let (above, last) = text.rsplit_once('\n').unwrap_or(("", text));
        self.begun.set(Rc::new(above.lines().map(str::to_owned).collect()));
        put(input, last, "");
    }

    /// Runs what was typed; a line that does not end is kept, and the next one goes on with it.
    fn enter(&self, text: &str) {
        let lines: Vec<&str> = self.begun.iter().map(String::as_str).chain([text]).collect();
        let whole = lines.join("\n");
        if !self.attached && is_unfinished(&whole) {
            self.begun.set(Rc::new(lines.into_iter().map(str::to_owned).collect()));
            return;
        }
        self.begun.set(Rc::default());
        self.store.send(Input::Terminal(whole));
    }

    /// Runs the lines of a text that was pasted, all but the last one, which stays to be edited.
    pub fn paste(&self, input: &HtmlInputElement, text: &str) {
        let (head, tail) = halves(input);
        let whole = format!("{head}{}", text.replace("\r\n", "\n"));
        let mut begun: Vec<String> = (*self.begun).to_vec();
        let mut lines: Vec<&str> = whole.split('\n').collect();
        let last = lines.pop().unwrap_or_default();
        for line in lines {
            begun.push(line.to_owned());
            let so_far = begun.join("\n");
            if !is_unfinished(&so_far) {
                begun.clear();
                if !so_far.trim().is_empty() {
                    self.store.send(Input::Terminal(so_far));
                }
            }
        }
        self.begun.set(Rc::new(begun));
        put(input, last, &tail);
    }

    pub fn interrupt(&self, input: &HtmlInputElement) {
        let text = input.value();
        if self.runs || (self.attached && text.is_empty()) {
            return self.store.send(Input::Interrupt);
        }
        // A terminal shows what is taken back.
        let lines: Vec<&str> = self.begun.iter().map(String::as_str).chain([text.as_str()]).collect();
        self.store.send(Input::InterruptLine(lines.join("\n")));
        input.set_value("");
        self.begun.set(Rc::default());
        self.offer.set(None);
        self.search.set(None);
    }

    /// A key while lines are searched. Returns whether it was one of the search's.
    fn search_key(&self, e: &KeyboardEvent, input: &HtmlInputElement) -> bool {
        let Some(Search(found)) = *self.search else { return false };
        let line = found.and_then(|at| self.history.get(at)).cloned().unwrap_or_default();
        match e.key().as_str() {
            "r" if e.ctrl_key() => {
                let older = recall::search(&self.history, &input.value(), found.unwrap_or(0));
                self.search.set(Some(Search(older.or(found))));
            }
            "Enter" => {
                self.search.set(None);
                input.set_value("");
                self.enter(&line);
            }
            "Escape" | "g" | "c" if e.key() == "Escape" || e.ctrl_key() => {
                self.search.set(None);
                input.set_value(&self.memory.draft.take());
            }
            "Tab" | "ArrowRight" | "ArrowLeft" | "ArrowUp" | "ArrowDown" | "End" => {
                self.search.set(None);
                self.show(input, &line);
            }
            _ => return false,
        }
        true
    }

    /// A key while the list stands. Returns whether it was one of the list's.
    fn list_key(&self, e: &KeyboardEvent, input: &HtmlInputElement) -> bool {
        let Some(offer) = &*self.offer else { return false };
        let n = offer.completion.words.len().max(1);
        let to = |at: usize| self.offer.set(Some(Offer { at, ..offer.clone() }));
        match e.key().as_str() {
            "ArrowDown" => to((offer.at + 1) % n),
            "ArrowUp" => to((offer.at + n - 1) % n),
            "Home" => to(0),
            "End" => to(n - 1),
            "Enter" | "Tab" if !e.shift_key() => self.take(input, offer.at),
            "Escape" => {
                self.offer.set(None);
                self.memory.leaves.set(true);
            }
            _ => return false,
        }
        true
    }

    /// Does what a key stands for. Returns whether it was one of the line's.
    pub fn key(&self, e: &KeyboardEvent, input: &HtmlInputElement) -> bool {
        let leaves = self.memory.leaves.replace(false);
        if self.search_key(e, input) || self.list_key(e, input) {
            return true;
        }
        let key = e.key();
        if key != "Tab" && key != "Shift" {
            self.memory.tabbed.set(false);
        }
        match key.as_str() {
            "Enter" => {
                let text = input.value();
                input.set_value("");
                *self.memory.recalled.borrow_mut() = None;
                self.enter(&text);
            }
            // Who wants to leave the line does so with an empty one, or after Escape.
            "Tab" if e.shift_key() || leaves || input.value().trim().is_empty() => return false,
            "Tab" => self.tab(input),
            "Escape" => {
                self.memory.leaves.set(true);
                return false;
            }
            "ArrowUp" => self.go_back(input, true),
            "ArrowDown" => self.go_back(input, false),
            "c" if e.ctrl_key() && !is_selected(input) => self.interrupt(input),
            // The end of what is typed: a shell ends with it.
            "d" if e.ctrl_key() && self.inside && input.value().is_empty() && self.begun.is_empty() => {
                self.store.send(Input::Terminal("\u{4}".to_owned()));
            }
            "l" if e.ctrl_key() => self.store.send(Input::Clear),
            "r" if e.ctrl_key() && !e.shift_key() => {
                *self.memory.draft.borrow_mut() = input.value();
                input.set_value("");
                self.search.set(Some(Search(None)));
            }
            "u" if e.ctrl_key() => {
                let (_, tail) = halves(input);
                put(input, "", &tail);
            }
            _ => return false,
        }
        true
    }
}
