//! The reflector (`k8s.io/client-go/tools/cache.Reflector`): it lists a kind, watches from there, and
//! puts what comes into its informer's FIFO.

use std::rc::Rc;

use super::indexer::Indexer;
use super::informer::Informer;
use crate::api::Key;
use crate::apimachinery::{Request, Response, Verb, WatchEvent};
use crate::apiserver::{ApiServer, Compacted};

/// What a list brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// How many objects: of the list, or of what a watch that goes on had missed.
    pub items: usize,
    /// Where the watch could not go on: the revision it had seen, and the one up to which history is
    /// compacted. The API server answered 410 Gone, and everything was listed anew.
    pub expired: Option<(u64, u64)>,
}

impl Informer {
    /// Lists and begins to watch (`ListAndWatch`). After a watch that was cut it goes on from the
    /// revision it has seen, and lists only if that is compacted. `None` if the API server does not
    /// answer with a list.
    pub fn list(
        &mut self,
        api: &mut ApiServer,
        process: u32,
        user: &Rc<str>,
        indexer: &Indexer,
    ) -> Option<Listed> {
        let mut expired = None;
        if self.resource_version > 0 {
            match api.missed(self.kind, &self.filter, self.resource_version) {
                Ok(missed) => {
                    self.watch = Some(api.watches.add(process, self.kind, self.filter.clone()));
                    let items = missed.events.len();
                    missed.events.into_iter().for_each(|e| self.reflect(e));
                    self.resource_version = missed.revision;
                    return Some(Listed { items, expired: None });
                }
                Err(Compacted { compacted }) => expired = Some((self.resource_version, compacted)),
            }
        }
        let request = Request::new(user, Verb::List, self.kind, Key::new("", ""));
        let Response::List { mut items, revision } = api.list_from_cache(&request) else { return None };
        items.retain(|o| self.filter.matches(o));
        self.watch = Some(api.watches.add(process, self.kind, self.filter.clone()));
        let listed = Listed { items: items.len(), expired };
        self.replace(items, revision, indexer);
        Some(listed)
    }

    /// Takes the next event of the watch into the FIFO. `None` if there is none on its way, or the
    /// watch was cut.
    pub fn next_event(&mut self, api: &mut ApiServer) -> Option<WatchEvent> {
        let event = api.watches.next(self.watch?).ok()??;
        self.reflect(event.clone());
        Some(event)
    }

    /// Whether it has to list: at its start, or after its watch was cut.
    pub fn has_to_list(&self, api: &ApiServer) -> bool {
        !self.is_stopped() && self.watch.is_none_or(|w| api.watches.pending(w).is_none())
    }
}
