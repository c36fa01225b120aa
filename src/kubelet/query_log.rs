//! How queries are noted that come to pods of CoreDNS, and what is read off them.
//!
//! Whoever carries a query to CoreDNS tells its kubelet afterwards ([`Queried`]). A kubelet's sync does not write what is noted, so
//! nothing is lost while one is under way.

use std::rc::Rc;

use jiff::SignedDuration;

use super::queries::Queried;
use super::state::State;
use super::task::Task;
use crate::api::{Key, Timestamp, later};
use crate::client::Handler;
use crate::network::coredns::Served;
use crate::network::dns::RecordType;
use crate::shell::Output;

/// The most queries of a pod that are remembered. The oldest ones are forgotten.
const QUERIES_LIMIT: usize = 1000;

/// Notes a query.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, news: &Queried) -> bool {
    if !cx.state.pods.contains_key(&news.pod) {
        return false;
    }
    let mut all = cx.state.queries.get(&news.pod).cloned().unwrap_or_default();
    let queries = Rc::make_mut(&mut all);
    queries.push((news.since, news.query.clone()));
    let surplus = queries.len().saturating_sub(QUERIES_LIMIT);
    queries.drain(..surplus);
    cx.state.queries.insert(news.pod.clone(), all);
    true
}

impl State {
    /// What the cache of a process of CoreDNS answers, whose configuration is as it is since a moment; `None` if it does not
    /// have the answer any more.
    pub fn cached(
        &self,
        pod: &Key,
        configured: Timestamp,
        (name, type_): (&str, RecordType),
        now: Timestamp,
    ) -> Option<Served> {
        let all = self.queries.get(pod)?;
        let kept = all.iter().rev().map(|(_, query)| query).find(|q| {
            let until = |kept: u32| later(q.at, SignedDuration::from_secs(i64::from(kept)));
            let lasts = q.served.kept.is_some_and(|kept| now < until(kept));
            lasts && q.at >= configured && *q.name == *name && q.type_ == type_
        })?;
        Some(Served { kept: None, ..kept.served.clone() })
    }

    /// What the plugin `log` of a process has printed, which started at a moment.
    pub(super) fn logged(&self, pod: &Key, since: Timestamp) -> Vec<Output> {
        let all = self.queries.get(pod).into_iter().flat_map(|all| all.iter());
        let own = all.filter(|(of, query)| *of == since && query.served.logged).map(|(_, query)| query);
        own.map(|q| Output { at: q.at, stderr: false, text: q.line() }).collect()
    }
}
