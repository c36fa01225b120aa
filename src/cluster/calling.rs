//! How the clients outside of the cluster ([`Callers`](super::callers::Callers)) begin and end, and what the network answers to them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cluster;
use super::affinity::Remembering;
use super::network::{Network, own_machine};
use super::noting::Noted;
use crate::api::{Object, ObjectRef};
use crate::apiserver::Write;
use crate::network::proxy::Mode;
use crate::network::traffic::{can_declare, declared};

impl Cluster {
    /// Takes note of what objects say about clients outside.
    pub(super) fn notice_callers(&mut self, writes: &[Write]) {
        for w in writes.iter().filter(|w| can_declare(w.object.kind)) {
            self.declare_callers(&w.object, w.next.as_ref().and_then(declared));
        }
    }

    /// Takes note of what the objects say that were restored.
    pub(super) fn find_callers(&mut self) {
        let all = self.api.etcd().iter().map(|(_, record)| &record.object);
        for object in all.filter(|object| declared(object).is_some()).cloned().collect::<Vec<Object>>() {
            self.declare_callers(&object.reference(), declared(&object));
        }
    }

    fn declare_callers(&mut self, object: &ObjectRef, text: Option<&str>) {
        if !self.callers.declare(object, text, self.clock.now()) {
            return;
        }
        self.network_changed = true;
        self.begin_to_send();
    }

    /// Somebody sends requests: from now on it is noted what these meet.
    pub(super) fn begin_to_send(&mut self) {
        self.sends = true;
        if !self.proxy_chosen {
            // How far the rules of a node lag behind matters to who sends requests all the time.
            self.proxy_chosen = true;
            self.install_kube_proxies(Some(Mode::default())).unwrap_or_default();
        }
    }

    /// Asks the network what the requests of the clients outside meet now.
    pub(super) fn answer_callers(&mut self) {
        self.callers.forget(self.now());
        if self.callers.is_empty() {
            return;
        }
        let (key, now, remembered) = (own_machine(), self.now(), RefCell::default());
        let mut callers = std::mem::take(&mut self.callers);
        let network = |opens| Network {
            remembering: Some(Remembering { noted: &remembered, opens }),
            ..self.network()
        };
        let (first, again) = (network(true), network(false));
        if let Some(names) = again.names_of(&key) {
            for caller in callers.all_mut() {
                let mut answers = BTreeMap::new();
                for client in &caller.clients {
                    let looked = again.look_up(&key, &names, client);
                    answers.extend(looked.answers);
                    let Some(question) = looked.then else { continue };
                    let network = if caller.answers.contains_key(&question) { &again } else { &first };
                    let answer = network.answer(&key, &question);
                    answers.insert(question, vec![(now, answer)]);
                }
                caller.answers = Rc::new(answers);
            }
        }
        let server = first.door.was_asked() || again.door.was_asked();
        self.callers = callers;
        self.callers_ask_server = server;
        self.note(Noted { clients: remembered.take(), ..Noted::default() });
    }
}
