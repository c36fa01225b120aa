//! The reflector (`k8s.io/client-go/tools/cache.Reflector`): it lists a kind, watches from there, and
//! puts what comes into its informer's FIFO.

use std::rc::Rc;

use super::indexer::Indexer;
use super::informer::Informer;
use crate::api::Object;
use crate::apimachinery::WatchEvent;
use crate::apiserver::ApiServer;

/// What a list brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// How many objects: of the list, or of what a watch that goes on had missed.
    pub items: usize,
    /// Where the watch could not go on: the revision it had seen, and the one up to which history is
    /// compacted or not in the watch cache. The API server answered 410 Gone, and everything was listed anew.
    pub expired: Option<(u64, u64)>,
}

impl Informer {
    /// Lists and begins to watch (`ListAndWatch`). After a watch that was cut it goes on from the
    /// revision it has seen, and lists only if that is compacted.
    pub fn list(&mut self, api: &mut ApiServer, process: u32, indexer: &Indexer) -> Listed {
        let mut expired = None;
        if self.resource_version > 0 {
            let missed: Option<Vec<WatchEvent>> =
                api.watch_from(self.kind, &self.filter, self.resource_version).map(Iterator::collect).ok();
            if let Some(missed) = missed {
                self.watch = Some(api.watches.add(process, self.kind, self.filter.clone()));
                let items = missed.len();
                missed.into_iter().for_each(|e| self.reflect(e));
                return Listed { items, expired: None };
            }
            expired = Some((self.resource_version, api.forgotten_revision()));
        }
        // The watch cache answers the list of a reflector (`resourceVersion=0`).
        let revision = api.resource_version();
        let all = api.cached_list(self.kind, None).map(|(_, o)| o);
        let items: Vec<Object> = all.filter(|o| self.filter.matches(o)).cloned().collect();
        self.watch = Some(api.watches.add(process, self.kind, self.filter.clone()));
        let listed = Listed { items: items.len(), expired };
        self.replace(items, revision, indexer);
        listed
    }

    /// Takes the next event of the watch into the FIFO. `None` if there is none on its way, or the
    /// watch was cut.
    pub fn next_event(&mut self, api: &mut ApiServer) -> Option<Rc<WatchEvent>> {
        let event = api.watches.next(self.watch?).ok()??;
        self.reflect(WatchEvent::clone(&event));
        Some(event)
    }

    /// Whether it has to list, and can: at its start, or after its watch was cut, unless nobody listens at the server's port.
    pub fn has_to_list(&self, api: &ApiServer) -> bool {
        api.serves() && !self.is_stopped() && self.watch.is_none_or(|w| api.watches.pending(w).is_none())
    }
}
