//! What the controller remembers of each autoscaler: its latest recommendations and changes of size.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::labels::Selector;
use crate::api::persistent::Map;
use crate::api::{Key, Timestamp};
use crate::client::Memory;

/// A number of replicas that the metrics asked for, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recommendation {
    pub(super) replicas: i32,
    pub(super) at: Timestamp,
}

/// A change of size by the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScaleEvent {
    /// By how many replicas; not negative.
    pub(super) change: i32,
    pub(super) at: Timestamp,
}

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The latest recommendations, before any stabilization.
    pub(super) recommendations: Map<Key, Rc<Vec<Recommendation>>>,
    pub(super) scale_ups: Map<Key, Rc<Vec<ScaleEvent>>>,
    pub(super) scale_downs: Map<Key, Rc<Vec<ScaleEvent>>>,
    /// All autoscalers, with the selector of the pods of each; `None` before it is known.
    pub(super) selectors: Map<Key, Option<Rc<Selector>>>,
}

impl State {
    /// Forgets an autoscaler that is gone. Its selector is forgotten as soon as it is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.recommendations.remove(key);
        self.scale_ups.remove(key);
        self.scale_downs.remove(key);
    }

    /// Notes the size at the first look, so that the autoscaler does not shrink what was large before.
    pub(super) fn note_initial(&mut self, key: &Key, replicas: i32, at: Timestamp) {
        if !self.recommendations.contains_key(key) {
            self.recommendations.insert(key.clone(), Rc::new(vec![Recommendation { replicas, at }]));
        }
    }

    /// Notes a recommendation. It takes the place of the last one that `is_old`, if there is one.
    pub(super) fn note_recommendation(
        &mut self,
        key: &Key,
        replicas: i32,
        at: Timestamp,
        is_old: impl Fn(Timestamp) -> bool,
    ) {
        let mut all = self.recommendations.get(key).cloned().unwrap_or_default();
        let list = Rc::make_mut(&mut all);
        let new = Recommendation { replicas, at };
        match list.iter_mut().rev().find(|r| is_old(r.at)) {
            Some(old) => *old = new,
            None => list.push(new),
        }
        self.recommendations.insert(key.clone(), all);
    }

    /// Notes a change of size. Changes that are older than the longest `period` of a policy have no effect any more.
    pub(super) fn note_scale(&mut self, key: &Key, change: i32, at: Timestamp, period: SignedDuration) {
        let events = if change > 0 { &mut self.scale_ups } else { &mut self.scale_downs };
        let mut all = events.get(key).cloned().unwrap_or_default();
        let list = Rc::make_mut(&mut all);
        list.retain(|e| at.duration_since(e.at) <= period);
        list.push(ScaleEvent { change: change.saturating_abs(), at });
        events.insert(key.clone(), all);
    }
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let ago = |at: Timestamp| now.duration_since(at).as_millis();
        let mut lines = Vec::new();
        for (key, list) in &self.recommendations {
            let of = |r: &Recommendation| format!("{key} was to have {} {} ms ago", r.replicas, ago(r.at));
            lines.extend(list.iter().map(of));
        }
        for (what, map) in [("up", &self.scale_ups), ("down", &self.scale_downs)] {
            for (key, list) in map {
                let of =
                    |e: &ScaleEvent| format!("{key} was scaled {what} by {} {} ms ago", e.change, ago(e.at));
                lines.extend(list.iter().map(of));
            }
        }
        for (key, selector) in &self.selectors {
            let selects = selector.as_ref().map_or_else(|| "nothing yet".to_owned(), |s| s.to_string());
            lines.push(format!("{key} selects {selects}"));
        }
        lines
    }
}
