//! What was worked out of the network before and is the same as long as what it was worked out of is: where the rules of a node lead a
//! packet, and what a process answers. With a thousand endpoints both are asked a thousand times whenever anything has changed, and most
//! of it has not.
//!
//! What something follows from is kept with it, so an entry is valid exactly as long as these very objects are there. Clones of a cluster
//! share their memo; nothing can be told from it but time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use crate::api::types::{EndpointSlice, Node, Pod, Service};
use crate::kubelet::PodRuntime;
use crate::network::proxy::{Origin, Ruleset, Share};
use crate::network::{Because, Outcome, Protocol, Question};

/// The most entries of each sort. When there are more all are forgotten.
const LIMIT: usize = 8192;

/// What the rules of a node are made of.
#[derive(Clone, Debug)]
pub(super) enum Rules {
    /// A kube-proxy has written them.
    Written(Rc<[Ruleset]>),
    /// They follow from Services, EndpointSlices, and the Node.
    Made(Vec<Rc<Service>>, Vec<Rc<EndpointSlice>>, Option<Rc<Node>>),
}

impl Rules {
    fn are(&self, other: &Rules) -> bool {
        fn same<T>(a: &[Rc<T>], b: &[Rc<T>]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Rc::ptr_eq(a, b))
        }
        match (self, other) {
            (Rules::Written(a), Rules::Written(b)) => Rc::ptr_eq(a, b),
            (Rules::Made(a, b, c), Rules::Made(d, e, f)) => {
                let node = match (c, f) {
                    (Some(c), Some(f)) => Rc::ptr_eq(c, f),
                    (None, None) => true,
                    _ => false,
                };
                node && same(a, d) && same(b, e)
            }
            _ => false,
        }
    }
}

/// A packet at the rules of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) node: Rc<str>,
    pub(super) source: IpAddr,
    pub(super) destination: SocketAddr,
    /// Rules are for one protocol.
    pub(super) protocol: Protocol,
    pub(super) origin: Origin,
}

#[derive(Debug)]
struct Led {
    rules: Rules,
    shares: Rc<[Share]>,
}

/// Where the rules that are written on a node lead packets. Of the rules before them nothing is kept: they are those of a whole node.
#[derive(Debug)]
struct Written {
    rules: Rc<[Ruleset]>,
    shares: BTreeMap<At, Rc<[Share]>>,
}

#[derive(Debug)]
struct Met {
    runtime: Rc<PodRuntime>,
    pod: Rc<Pod>,
    answer: (Outcome, Because),
}

/// What was worked out before.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// By the node.
    written: RefCell<BTreeMap<Rc<str>, Written>>,
    led: RefCell<BTreeMap<At, Led>>,
    met: RefCell<BTreeMap<Question, Met>>,
}

fn remember<K: Ord, V>(all: &RefCell<BTreeMap<K, V>>, key: K, value: V) {
    let mut all = all.borrow_mut();
    if all.len() >= LIMIT {
        all.clear();
    }
    all.insert(key, value);
}

impl Memo {
    /// Where rules lead a packet.
    pub(super) fn led(&self, at: At, rules: Rules, work: impl FnOnce() -> Vec<Share>) -> Rc<[Share]> {
        if let Rules::Written(rules) = rules {
            return self.led_by_written(at, rules, work);
        }
        let known =
            self.led.borrow().get(&at).and_then(|led| led.rules.are(&rules).then(|| led.shares.clone()));
        known.unwrap_or_else(|| {
            let shares: Rc<[Share]> = work().into();
            remember(&self.led, at, Led { rules, shares: shares.clone() });
            shares
        })
    }

    fn led_by_written(&self, at: At, rules: Rc<[Ruleset]>, work: impl FnOnce() -> Vec<Share>) -> Rc<[Share]> {
        let known = {
            let all = self.written.borrow();
            let of_node = all.get(&at.node).filter(|w| Rc::ptr_eq(&w.rules, &rules));
            of_node.and_then(|w| w.shares.get(&at).cloned())
        };
        known.unwrap_or_else(|| {
            let shares: Rc<[Share]> = work().into();
            let mut all = self.written.borrow_mut();
            let new = || Written { rules: rules.clone(), shares: BTreeMap::new() };
            let of_node = all.entry(at.node.clone()).or_insert_with(new);
            if !Rc::ptr_eq(&of_node.rules, &rules) || of_node.shares.len() >= LIMIT {
                *of_node = new();
            }
            of_node.shares.insert(at, shares.clone());
            shares
        })
    }

    /// What becomes of a question that has reached a pod.
    pub(super) fn met(
        &self,
        question: &Question,
        (runtime, pod): (Rc<PodRuntime>, Rc<Pod>),
        work: impl FnOnce() -> (Outcome, Because),
    ) -> (Outcome, Because) {
        let known = self.met.borrow().get(question).and_then(|met| {
            (Rc::ptr_eq(&met.runtime, &runtime) && Rc::ptr_eq(&met.pod, &pod)).then(|| met.answer.clone())
        });
        known.unwrap_or_else(|| {
            let answer = work();
            remember(&self.met, question.clone(), Met { runtime, pod, answer: answer.clone() });
            answer
        })
    }
}
