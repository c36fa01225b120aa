//! What the kernels of nodes remember of clients with session affinity (`sessionAffinity: ClientIP`): with which endpoint a client is, and
//! when it opened a connection last. The rules of a node ask for it before a dice is thrown: the match `recent` of iptables, the sets of
//! nftables, and the persistence of IPVS (`pkg/proxy/iptables/proxier.go`, `writeServiceToEndpointRules`; `syncProxyRules` in
//! `pkg/proxy/nftables/proxier.go` and `pkg/proxy/ipvs/proxier.go`).
//!
//! It is kept by the lists that the rules name ([`Kernel::affinity`]), so who shares what is as the mode has it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::Timestamp;
use crate::network::proxy::{Affine, Kernel};

/// The longest time for which a Service can have clients remembered (`MaxClientIPServiceAffinitySeconds`).
const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// The endpoints of one client, by the list.
type Lists = BTreeMap<String, Affine>;

/// What all nodes remember.
#[derive(Clone, Debug, Default)]
pub(super) struct Affinity(Rc<BTreeMap<(Rc<str>, IpAddr), Lists>>);

/// What a node remembers of a client since it has opened a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remembered {
    pub(super) node: Rc<str>,
    pub(super) client: IpAddr,
    pub(super) list: String,
    pub(super) affine: Affine,
}

/// Who notes what nodes remember.
#[derive(Clone, Copy)]
pub(super) struct Remembering<'a> {
    /// What they have come to remember so far.
    pub(super) noted: &'a RefCell<Vec<Remembered>>,
    /// Whether who asks opens a connection now. Otherwise it is only told where its connections lead, and only a draw is noted.
    pub(super) opens: bool,
}

impl Affinity {
    /// Whether nobody is remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the kernel of a node remembers of a client; `None` if nothing.
    pub(super) fn kernel(&self, node: &str, client: IpAddr) -> Option<Kernel> {
        if self.is_empty() {
            return None;
        }
        let lists = self.0.get(&(node.into(), client))?;
        let affinity = lists.iter().map(|(list, affine)| ((list.clone(), client), affine.clone())).collect();
        Some(Kernel { affinity, ..Kernel::default() })
    }

    /// Remembers clients, and forgets those that no Service can have remembered any more.
    pub(super) fn remember(&mut self, all: Vec<Remembered>, now: Timestamp) {
        if all.is_empty() {
            return;
        }
        let known = Rc::make_mut(&mut self.0);
        for Remembered { node, client, list, affine } in all {
            known.entry((node, client)).or_default().insert(list, affine);
        }
        known.retain(|_, lists| {
            lists.retain(|_, affine| now.duration_since(affine.last) < LONGEST);
            !lists.is_empty()
        });
    }

    /// Clients with some addresses have gone on to open connections to endpoints.
    pub(super) fn refresh(&mut self, clients: &[IpAddr], endpoints: &[SocketAddr], last: Timestamp) {
        let is_older = |affine: &Affine| endpoints.contains(&affine.endpoint) && affine.last < last;
        let of_clients =
            |client: &IpAddr, lists: &Lists| clients.contains(client) && lists.values().any(is_older);
        if !self.0.iter().any(|((_, client), lists)| of_clients(client, lists)) {
            return;
        }
        for ((_, client), lists) in Rc::make_mut(&mut self.0) {
            for affine in lists.values_mut().filter(|_| clients.contains(client)) {
                if is_older(affine) {
                    affine.last = last;
                }
            }
        }
    }

    /// What is remembered, line by line.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let lists = self.0.iter().flat_map(|(at, lists)| lists.iter().map(move |list| (at, list)));
        lists.map(|((node, client), (list, affine))| {
            format!("{node} {client} {list} {} {}", affine.endpoint, affine.last.as_nanosecond())
        })
    }
}
