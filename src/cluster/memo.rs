//! What was worked out of the network before and is the same as long as what it was worked out of is: where the rules of a node lead a
//! packet, and what a process answers. With a thousand endpoints both are asked a thousand times whenever anything has changed, and most
//! of it has not.
//!
//! What something follows from is kept with it, so an entry is valid exactly as long as these very objects are there. Clones of a cluster
//! share their memo; nothing can be told from it but time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::{Rc, Weak};

use crate::api::Shared;
use crate::api::pod::Spec;
use crate::api::types::{EndpointSlice, Node, Pod, PodSpec, Service};
use crate::api::{Key, Object};
use crate::kubelet::{self, PodRuntime};
use crate::network::proxy::{Origin, Ruleset, Share};
use crate::network::{Because, Outcome, Protocol, Question};

/// The most entries of each sort. When there are more all are forgotten.
const LIMIT: usize = 8192;

/// From how many answers of processes on it is looked whether some are of processes that are gone.
const SWEEP: usize = 64;

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

/// What a process answers. As an answer is valid for this very state of the process only, it keeps neither that nor the pod alive: when no
/// moment of any run has it any more, nobody can ask again.
#[derive(Debug)]
struct Met {
    runtime: Weak<PodRuntime>,
    pod: Weak<Pod>,
    answer: (Outcome, Because),
}

impl Met {
    fn is_of(&self, runtime: &Rc<PodRuntime>, pod: &Rc<Pod>) -> bool {
        // The place of a value that is gone is not given to another one as long as something refers to it.
        Weak::as_ptr(&self.runtime) == Rc::as_ptr(runtime) && Weak::as_ptr(&self.pod) == Rc::as_ptr(pod)
    }

    fn can_be_asked(&self) -> bool {
        self.runtime.strong_count() > 0 && self.pod.strong_count() > 0
    }
}

/// What processes answer, by the question.
#[derive(Debug)]
struct Answers {
    met: BTreeMap<Question, Met>,
    /// With how many it is looked next which of them can still be asked.
    sweep: usize,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers { met: BTreeMap::new(), sweep: SWEEP }
    }
}

impl Answers {
    /// Remembers an answer, and forgets those that nobody can ask for any more whenever there are twice as many as were left the last time.
    fn insert(&mut self, question: Question, met: Met) {
        if self.met.len() >= self.sweep {
            self.met.retain(|_, met| met.can_be_asked());
            if self.met.len() >= LIMIT {
                self.met.clear();
            }
            self.sweep = self.met.len().saturating_mul(2).clamp(SWEEP, LIMIT);
        }
        self.met.insert(question, met);
    }
}

/// What is declared at Services.
#[derive(Debug, Default)]
struct Declared {
    /// The objects that it follows from.
    of: Vec<Object>,
    load: Rc<BTreeMap<Key, i64>>,
}

/// The most specs of which is known whether their programs may change their answers. Pods of one owner share theirs.
const SPECS_LIMIT: usize = 64;

/// What was worked out before.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// By the node.
    written: RefCell<BTreeMap<Rc<str>, Written>>,
    led: RefCell<BTreeMap<At, Led>>,
    met: RefCell<Answers>,
    declared: RefCell<Declared>,
    /// By the address of the spec, which is kept with it.
    changing: RefCell<BTreeMap<usize, (Shared<PodSpec>, bool)>>,
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

    /// Whether a program of a spec may answer in another way after some time, or ask others ([`kubelet::network::may_change`]).
    pub(super) fn changes(&self, spec: &Spec) -> bool {
        let spec = spec.rest();
        let known = self.changing.borrow().get(&spec.address()).map(|(_, changes)| *changes);
        known.unwrap_or_else(|| {
            let changes = kubelet::network::may_change(spec);
            let mut all = self.changing.borrow_mut();
            if all.len() >= SPECS_LIMIT {
                all.clear();
            }
            all.insert(spec.address(), (spec.clone(), changes));
            changes
        })
    }

    /// The load that follows from these objects.
    pub(super) fn declared(
        &self,
        of: Vec<Object>,
        work: impl FnOnce() -> BTreeMap<Key, i64>,
    ) -> Rc<BTreeMap<Key, i64>> {
        let known = {
            let known = self.declared.borrow();
            let same = known.of.len() == of.len() && known.of.iter().zip(&of).all(|(a, b)| a.ptr_eq(b));
            same.then(|| known.load.clone())
        };
        known.unwrap_or_else(|| {
            let load = Rc::new(work());
            *self.declared.borrow_mut() = Declared { of, load: load.clone() };
            load
        })
    }

    /// What becomes of a question that has reached a pod.
    pub(super) fn met(
        &self,
        question: &Question,
        (runtime, pod): (Rc<PodRuntime>, Rc<Pod>),
        work: impl FnOnce() -> (Outcome, Because),
    ) -> (Outcome, Because) {
        let known = {
            let all = self.met.borrow();
            all.met.get(question).filter(|met| met.is_of(&runtime, &pod)).map(|met| met.answer.clone())
        };
        known.unwrap_or_else(|| {
            let answer = work();
            let (runtime, pod) = (Rc::downgrade(&runtime), Rc::downgrade(&pod));
            self.met.borrow_mut().insert(question.clone(), Met { runtime, pod, answer: answer.clone() });
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(memo: &Memo, n: u16, of: &(Rc<PodRuntime>, Rc<Pod>)) -> (Outcome, Because) {
        let question = Question::Connect { to: ([10, 244, 0, 2], n).into(), protocol: Protocol::Tcp };
        memo.met(&question, of.clone(), || (Outcome::Connected, Because::Nothing))
    }

    #[test]
    fn what_nobody_can_ask_any_more_is_forgotten() {
        let memo = Memo::default();
        let stays = (Rc::new(PodRuntime::default()), Rc::new(Pod::default()));
        ask(&memo, 1, &stays);
        for n in 2..2000 {
            ask(&memo, n, &(Rc::new(PodRuntime::default()), stays.1.clone()));
        }
        assert!(memo.met.borrow().met.len() <= SWEEP, "{}", memo.met.borrow().met.len());
        // Who is there is answered as before, and another state of the process is asked anew.
        let of_one = |of: &(Rc<PodRuntime>, Rc<Pod>)| {
            let question = Question::Connect { to: ([10, 244, 0, 2], 1).into(), protocol: Protocol::Tcp };
            memo.met(&question, of.clone(), || (Outcome::Refused, Because::NotListening)).0
        };
        assert_eq!(of_one(&stays), Outcome::Connected);
        assert_eq!(of_one(&(Rc::new(PodRuntime::default()), stays.1.clone())), Outcome::Refused);
    }

    #[test]
    fn as_many_are_kept_as_can_be_asked() {
        let memo = Memo::default();
        let all: Vec<_> =
            (1..1000).map(|n| (n, (Rc::new(PodRuntime::default()), Rc::new(Pod::default())))).collect();
        all.iter().for_each(|(n, of)| _ = ask(&memo, *n, of));
        assert_eq!(memo.met.borrow().met.len(), all.len());
    }
}
