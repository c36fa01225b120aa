//! The calls of a kubelet to its container runtime, as the map and the inspector show them: the finest steps of an action.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use crate::cluster::Actor;
use crate::kubelet::cri::{Call, Course};
use crate::session::view::Word;
use crate::session::{MomentId, RuntimeCalls, Session};

/// The most calls of a moment that are shown.
const CALLS: usize = 100;

/// A part of a call: what containerd, a shim, an OCI runtime, a CNI plugin or a registry does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallPart {
    /// Who does it: `containerd`, `shim`, `oci`, `cni`, `registry`.
    pub by: Word,
    /// What it is: a key of the page's catalogue.
    pub what: Word,
    /// The command, path or name; may be empty.
    pub text: String,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallView {
    /// The kubelet.
    pub actor: Actor,
    /// Its node.
    pub node: Rc<str>,
    /// The place of its action among those of the moment, from 0.
    pub action: usize,
    /// `RuntimeService` or `ImageService`.
    pub service: Word,
    /// The method.
    pub method: Word,
    /// The pod; `None` if the call is about none.
    pub pod: Option<String>,
    /// The container; `None` if the call is about none.
    pub container: Option<Rc<str>>,
    /// In how many milliseconds it is made; 0 for now, negative for an answer that came before the kubelet looked.
    pub after: i64,
    /// Whether this is the answer to a call that was made earlier.
    pub returns: bool,
    /// How many milliseconds pass until it is answered; `None` if it is answered at once, or nobody knows when.
    pub takes: Option<i64>,
    /// Whether nobody knows when it will be answered.
    pub open: bool,
    /// The fields of the request, in order.
    pub request: Vec<(Word, String)>,
    /// The fields of the answer, as far as they are known.
    pub answer: Vec<(Word, String)>,
    /// The error of the answer.
    pub error: Option<String>,
    /// What is done below the kubelet, in order.
    pub parts: Vec<CallPart>,
}

/// The calls of a moment: the first of them, and the number of further ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallsView {
    /// The calls, in order.
    pub calls: Vec<CallView>,
    /// How many more there are.
    pub more: usize,
}

impl CallView {
    fn of(call: &Call, by: &RuntimeCalls, node: Rc<str>) -> CallView {
        let at = call.at.as_millisecond();
        let named = |fields: Vec<(&'static str, String)>| {
            fields.into_iter().map(|(path, value)| (Word::new_static(path), value)).collect()
        };
        let part = |p: crate::kubelet::cri::Part| CallPart {
            by: Word::new_static(p.by.as_str()),
            what: Word::new_static(p.what),
            text: p.text,
        };
        let (answer, error) = match &call.answer {
            Ok(fields) => (fields.clone(), None),
            Err(why) => (Vec::new(), Some(why.clone())),
        };
        CallView {
            actor: by.actor,
            node,
            action: by.action,
            service: Word::new_static(call.request.service().as_str()),
            method: Word::new_static(call.request.method()),
            pod: call.pod.as_ref().map(ToString::to_string),
            container: call.container.clone(),
            after: at.saturating_sub(by.now.as_millisecond()),
            returns: call.course == Course::Returns,
            takes: match call.course {
                Course::Until(until) => until.map(|t| t.as_millisecond().saturating_sub(at)),
                Course::AtOnce | Course::Returns => None,
            },
            open: call.course == Course::Until(None),
            request: named(call.request.fields()),
            answer: named(answer),
            error,
            parts: call.parts(by.plugin).into_iter().map(part).collect(),
        }
    }
}

/// The calls that led to a moment; `None` if it has too many actions to take them again (see
/// [`FINEST_LIMIT`](crate::session::FINEST_LIMIT)).
pub fn runtime_calls(session: &Session, moment: MomentId) -> Option<CallsView> {
    let all = session.runtime_calls(moment)?;
    let count: usize = all.iter().map(|a| a.calls.len()).sum();
    let node = |actor: Actor| session.cluster().process(actor.process).and_then(|p| p.node.clone());
    let each = all.iter().flat_map(|by| by.calls.iter().map(move |call| (call, by)));
    let calls = each.take(CALLS).map(|(call, by)| CallView::of(call, by, node(by.actor).unwrap_or_default()));
    Some(CallsView { calls: calls.collect(), more: count.saturating_sub(CALLS) })
}
