//! Clients outside of the cluster: streams of requests that an annotation of a Service, an Ingress or a Gateway declares
//! (`sim.steady/requests`, as at a pod).
//!
//! They are sent from the person's own machine, by the way that the terminal's `curl` goes: to a node port, to the address of a load
//! balancer, and there to the host of an Ingress or of a Gateway. No machine of the cluster runs them, so the cluster itself remembers since
//! when each of them sends and what the network has answered to it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::{ObjectRef, Timestamp, later};
use crate::kubelet::clients::RunningClient;
use crate::network::Question;
use crate::network::traffic::{Answers, Client, Names};

/// What one object declares.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// The annotation's text.
    declared: Rc<str>,
    pub(super) clients: Vec<Client>,
    /// Until when they send; `None` as long as the object says so.
    end: Option<Timestamp>,
    /// What the network has answered to them.
    pub(super) answers: Rc<BTreeMap<Question, Answers>>,
}

impl Caller {
    /// For how long after its end a request of it can be under way.
    fn lasts(&self) -> SignedDuration {
        let of =
            |c: &Client| c.timeout.saturating_mul(i32::try_from(c.retries).unwrap_or(0).saturating_add(2));
        self.clients.iter().map(of).max().unwrap_or_default()
    }
}

/// The clients outside of the cluster, by the object that declares them and by when it began to.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers(Rc<BTreeMap<(ObjectRef, Timestamp), Caller>>);

impl Callers {
    /// Whether nobody sends from outside.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes over what an object says now, which may be the same as before. Returns whether that has changed anything.
    pub(super) fn declare(&mut self, object: &ObjectRef, text: Option<&str>, now: Timestamp) -> bool {
        let of_object = (object.clone(), Timestamp::MIN)..=(object.clone(), Timestamp::MAX);
        let running = self.0.range(of_object).find(|(_, caller)| caller.end.is_none());
        let running = running.map(|(at, caller)| (at.clone(), caller.declared.clone()));
        if running.as_ref().map(|(_, declared)| &**declared) == text {
            return false;
        }
        // What cannot be read is said to whoever writes it, by a warning.
        let clients = text.and_then(|text| Client::parse(text).ok()).unwrap_or_default();
        if running.is_none() && clients.is_empty() {
            return false;
        }
        let all = Rc::make_mut(&mut self.0);
        if let Some(caller) = running.and_then(|(at, _)| all.get_mut(&at)) {
            caller.end = Some(now);
        }
        if let Some(text) = text.filter(|_| !clients.is_empty()) {
            let declared = text.into();
            all.insert(
                (object.clone(), now),
                Caller { declared, clients, end: None, answers: Rc::default() },
            );
        }
        true
    }

    /// Forgets those that have ended and of whose requests none is under way any more.
    pub(super) fn forget(&mut self, now: Timestamp) {
        let is_over = |caller: &Caller| caller.end.is_some_and(|end| later(end, caller.lasts()) < now);
        if self.0.values().any(is_over) {
            Rc::make_mut(&mut self.0).retain(|_, caller| !is_over(caller));
        }
    }

    /// The clients, from a machine that knows these names and has these addresses.
    pub(super) fn clients(&self, names: &Names, addresses: &Rc<[IpAddr]>) -> Vec<RunningClient> {
        let of_caller = |((sender, start), caller): (&(ObjectRef, Timestamp), &Caller)| {
            let client = |(place, client): (usize, &Client)| RunningClient {
                sender: sender.clone(),
                container: "".into(),
                place,
                client: client.clone(),
                addresses: addresses.clone(),
                names: names.clone(),
                answers: caller.answers.clone(),
                start: *start,
                end: caller.end,
            };
            caller.clients.iter().enumerate().map(client).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_caller).collect()
    }

    /// All that is declared, to be answered.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Caller> {
        Rc::make_mut(&mut self.0).values_mut()
    }

    /// Who sends since when, line by line.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|((object, start), caller)| {
            let end = caller.end.map(|end| end.as_nanosecond().to_string()).unwrap_or_default();
            format!("{object} {} {end}", start.as_nanosecond())
        })
    }
}
