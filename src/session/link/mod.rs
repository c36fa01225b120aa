//! The share link: `#`, a version letter, and what repeats the run, compressed.
//!
//! A link has no state, only a start and ops, so opening one can do nothing but run a cluster. Components
//! are named by name, not by index, so that a link stays valid when a controller is added. A link also has
//! the digest of its cluster: if repeating it leads to another one, because the engine has changed since,
//! the reader is told.

mod draft;
mod lesson;
mod names;
mod replay;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Depth, Policy, Session, Start};
use crate::cluster::Fault;

pub use draft::Drafts;
pub use lesson::{LessonLink, Prediction, VisitLink};
pub(super) use names::find_action;
use names::{INFORMERS, to_link};
pub use replay::{Replay, Replayed};

/// The versions, oldest first. `b` has policies, and faults of etcd and of second instances; `c` has
/// components that are switched on and off, and informers that start and stop while a process runs; `d` has
/// steps to the next run of a schedule; `e` has mounts that fail, and metrics servers that are installed; `f` has clusters
/// of two address families, starts with objects of another cluster, and notes; `g` has lessons; `h` has kube-proxies; `i` has manifests of static pods, other network
/// plugins and CoreDNS; `j` has time that a person lets pass; `k` has the kube-proxy of one node stopped. A link is written in the oldest version that
/// has all it needs, so that
/// a page that has not been reloaded for a while can open it. All versions can be opened.
const VERSIONS: [char; 11] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
/// The most characters of a link that is opened.
pub const LINK_LIMIT: usize = 1_000_000;
/// The most bytes to which a link may unpack.
pub const UNPACKED_LIMIT: usize = 4_000_000;
/// The most steps that a link may repeat.
pub const STEPS_LIMIT: u64 = 1_000_000;
/// The most nodes of a cluster in a link.
pub const NODES_LIMIT: usize = 1_000;

/// The possible numbers of etcd members.
pub const MEMBERS: [usize; 3] = [1, 3, 5];

/// The content of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The start of the run.
    pub start: Start,
    /// The ops of the run.
    #[serde(default)]
    pub ops: Vec<LinkOp>,
    /// The index of the moment to show, among the moments of the ops; the last one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The text in the editor, if it is not the one applied last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The digest of the cluster at the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The selected object, as `Kind namespace/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<String>,
    /// The view that is shown: `machinery` for the component map; the objects if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// The policy from here on; the fair policy if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// What the author of the link says at some steps: the number of a step, counted from the beginning of the scenario or
    /// else of the run, and the text that is shown from that step on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<(usize, String)>,
    /// The lesson that the run belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonLink>,
}

/// An op, or several equal ones, in terms that stay valid in later versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LinkOp {
    /// This many steps of the components whose turn it is.
    #[serde(rename = "s")]
    Steps(Depth, u64),
    /// A step of a chosen component.
    #[serde(rename = "c")]
    Chosen(Depth, String),
    /// This many steps under a policy: its name, the number of the first step in the run, the number of
    /// steps.
    #[serde(rename = "p")]
    Policy(Depth, String, u64, u64),
    /// A step that the explorer found: of a component, or of time if there is none.
    #[serde(rename = "h")]
    Heard(Depth, Option<String>),
    /// A step to the next run of a schedule.
    #[serde(rename = "r")]
    Schedule(Depth),
    /// An action that was chosen, as `name_action` names it.
    #[serde(rename = "m")]
    Act(String, String, String),
    /// A fault.
    #[serde(rename = "f")]
    Fault(Fault),
    /// A kubectl command line with its files.
    #[serde(rename = "k")]
    Kubectl(String, Vec<(String, String)>),
}

impl LinkOp {
    /// The number of steps that the op stands for, which [`STEPS_LIMIT`] limits.
    fn count(&self) -> u64 {
        match self {
            LinkOp::Steps(_, n) | LinkOp::Policy(_, _, _, n) => *n,
            LinkOp::Chosen(..)
            | LinkOp::Heard(..)
            | LinkOp::Schedule(_)
            | LinkOp::Act(..)
            | LinkOp::Fault(_)
            | LinkOp::Kubectl(..) => 1,
        }
    }

    /// The first step, as an op of one step, and an op of the others; `None` for no steps.
    fn split_first(self) -> Option<(LinkOp, Option<LinkOp>)> {
        let rest = self.count().checked_sub(1)?;
        let (one, others) = match self {
            LinkOp::Steps(depth, _) => (LinkOp::Steps(depth, 1), LinkOp::Steps(depth, rest)),
            LinkOp::Policy(depth, policy, nth, _) => {
                let others = LinkOp::Policy(depth, policy.clone(), nth.wrapping_add(1), rest);
                (LinkOp::Policy(depth, policy, nth, 1), others)
            }
            one @ (LinkOp::Chosen(..)
            | LinkOp::Heard(..)
            | LinkOp::Schedule(_)
            | LinkOp::Act(..)
            | LinkOp::Fault(_)
            | LinkOp::Kubectl(..)) => return Some((one, None)),
        };
        Some((one, (rest > 0).then_some(others)))
    }
}

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// A newer version of Steady made the link; the letter of that version.
    Version(char),
    /// The link is longer, or unpacks to more, than this limit.
    TooLarge(usize),
    /// The link is damaged; the part in which reading failed.
    Damaged(&'static str),
    /// The link asks for more than this limit; of what.
    Limit(&'static str, u64),
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkError::Version(v) => {
                let newest = VERSIONS[VERSIONS.len() - 1];
                write!(f, "the link is of version {v:?}, this page knows up to {newest:?}")
            }
            LinkError::TooLarge(limit) => write!(f, "the link is larger than {limit} bytes"),
            LinkError::Damaged(what) => write!(f, "the link is damaged: {what}"),
            LinkError::Limit(what, limit) => write!(f, "the link asks for more than {limit} {what}"),
        }
    }
}

impl std::error::Error for LinkError {}

impl Link {
    /// The link of a session: the branch that is shown, at its current moment.
    pub fn of(session: &Session) -> Link {
        let tip = session.timeline().last().copied().unwrap_or_default();
        Link { digest: session.cluster_at(tip).map(|c| c.digest()), ..Link::draft(session) }
    }

    /// As [`Link::of`] without the digest, whose computation takes longer the larger the cluster is.
    pub fn draft(session: &Session) -> Link {
        Drafts::default().link(session)
    }

    /// A link with these ops.
    fn with(session: &Session, ops: Vec<LinkOp>, at: Option<usize>) -> Link {
        let policy = Some(session.policy()).filter(|p| **p != Policy::Fair).map(ToString::to_string);
        let start = session.start().clone();
        let notes = Vec::new();
        Link {
            start,
            ops,
            at,
            text: None,
            digest: None,
            selected: None,
            view: None,
            policy,
            notes,
            lesson: None,
        }
    }

    /// The oldest version that has all that the link needs.
    fn version(&self) -> char {
        let since = |op: &LinkOp| match op {
            LinkOp::Schedule(..) => 3,
            LinkOp::Act(name, ..) if name == INFORMERS => 2,
            LinkOp::Policy(..) | LinkOp::Heard(..) => 1,
            LinkOp::Fault(fault) => fault.since(),
            LinkOp::Steps(..) | LinkOp::Chosen(..) | LinkOp::Act(..) | LinkOp::Kubectl(..) => 0,
        };
        let newer = self.policy.is_some() || self.view.is_some() || self.start.etcd != 1;
        let is_new =
            !self.start.ip_family.is_default() || self.start.objects.is_some() || !self.notes.is_empty();
        let start = match &self.lesson {
            Some(_) => 6,
            None if is_new => 5,
            None => usize::from(newer),
        };
        let since = self.ops.iter().map(since).fold(start, usize::max);
        VERSIONS.get(since).copied().unwrap_or(VERSIONS[VERSIONS.len() - 1])
    }

    /// The run from its start to the current moment; or from an earlier moment of the branch to there, for a
    /// worker that stands at that moment. `None` if `from` is not on the path to the current moment.
    pub fn between(session: &Session, from: super::MomentId) -> Option<Link> {
        let before = session.ops(from).len();
        let mut at = session.at();
        while at != from {
            at = session.moment(at)?.parent?;
        }
        let mut ops: Vec<LinkOp> = Vec::new();
        for op in session.ops(session.at()).iter().skip(before) {
            push(&mut ops, to_link(op, session.cluster())?);
        }
        let start = session.start().clone();
        Some(Link {
            start,
            ops,
            at: None,
            text: None,
            digest: None,
            selected: None,
            view: None,
            policy: None,
            notes: Vec::new(),
            lesson: None,
        })
    }

    /// The link as text, to follow `#`.
    pub fn encode(&self) -> String {
        self.packed(9)
    }

    /// As [`Link::encode`], in a fraction of the time and a little longer: for a run that is kept, which nobody types.
    pub fn encode_quickly(&self) -> String {
        self.packed(1)
    }

    fn packed(&self, level: u8) -> String {
        // Strings, numbers and lists of them always become JSON.
        let json = serde_json::to_vec(self).unwrap_or_default();
        let packed = miniz_oxide::deflate::compress_to_vec(&json, level);
        format!("{}{}", self.version(), URL_SAFE_NO_PAD.encode(packed))
    }

    /// Reads the text after `#`.
    ///
    /// # Errors
    /// Why the link cannot be opened.
    pub fn decode(text: &str) -> Result<Link, LinkError> {
        if text.len() > LINK_LIMIT {
            return Err(LinkError::TooLarge(LINK_LIMIT));
        }
        let mut chars = text.chars();
        match chars.next() {
            None => return Err(LinkError::Damaged("it is empty")),
            Some(version) if VERSIONS.contains(&version) => {}
            Some(other) => return Err(LinkError::Version(other)),
        }
        let packed =
            URL_SAFE_NO_PAD.decode(chars.as_str()).map_err(|_| LinkError::Damaged("it is not base64url"))?;
        let json =
            miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, UNPACKED_LIMIT).map_err(|e| {
                if e.status == miniz_oxide::inflate::TINFLStatus::HasMoreOutput {
                    LinkError::TooLarge(UNPACKED_LIMIT)
                } else {
                    LinkError::Damaged("it does not unpack")
                }
            })?;
        // By way of a `Value`, like all JSON: a second way would cost another copy of the types' decoders.
        let link: Link = std::str::from_utf8(&json)
            .ok()
            .and_then(|text| serde_json::from_str::<Value>(text).ok())
            .and_then(|value| serde_json::from_value(value).ok())
            .ok_or(LinkError::Damaged("it says nothing known"))?;
        link.check()?;
        Ok(link)
    }

    /// The number of steps that the link repeats.
    pub fn steps(&self) -> u64 {
        self.ops.iter().map(LinkOp::count).fold(0, u64::saturating_add)
    }

    fn check(&self) -> Result<(), LinkError> {
        if self.start.nodes > NODES_LIMIT {
            return Err(LinkError::Limit("nodes", NODES_LIMIT as u64));
        }
        if !MEMBERS.contains(&self.start.etcd) {
            return Err(LinkError::Limit("etcd members", MEMBERS[2] as u64));
        }
        if self.steps() > STEPS_LIMIT {
            return Err(LinkError::Limit("steps", STEPS_LIMIT));
        }
        Ok(())
    }
}

/// Adds an op. If it is the same step as the last one, that one's count is raised.
fn push(ops: &mut Vec<LinkOp>, op: LinkOp) {
    match (ops.last_mut(), op) {
        (Some(LinkOp::Steps(d, n)), LinkOp::Steps(e, _)) if *d == e => *n += 1,
        (Some(LinkOp::Policy(d, p, first, n)), LinkOp::Policy(e, q, nth, _))
            if *d == e && *p == q && first.checked_add(*n) == Some(nth) =>
        {
            *n += 1;
        }
        (_, op) => ops.push(op),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::ip_family::IpFamily;

    fn run() -> Session {
        let mut s = Session::new(Start::default());
        s.apply(&crate::session::scenario::all().remove(0).manifest);
        for _ in 0..5 {
            s.step(Depth::Command, None);
        }
        let choice = s.next_commands(9).last().map(|c| c.actor);
        s.step(Depth::Command, choice);
        s.step(Depth::Reconcile, None);
        s.step(Depth::Machinery, None);
        let action = *s.cluster().enabled().last().unwrap();
        s.act(action);
        s.fault(&Fault::NodeDown { node: "node-2".into() }).unwrap();
        s.back();
        s
    }

    #[test]
    fn a_link_repeats_the_very_same_run() {
        let s = run();
        let text = Link::of(&s).encode();
        let link = Link::decode(&text).unwrap();
        let mut r = Replay::new(&link);
        while !r.advance(3) {}
        let r = r.finish();
        assert!(r.same);
        assert_eq!(r.session.cluster().digest(), s.cluster().digest());
        assert_eq!(r.session.timeline().len(), s.timeline().len());
        assert!(text.len() < 1500, "{}", text.len());
    }

    #[test]
    fn what_is_no_link_is_refused_with_a_reason() {
        let good = Link::of(&run()).encode();
        assert_eq!(Link::decode(""), Err(LinkError::Damaged("it is empty")));
        assert_eq!(Link::decode("zabc"), Err(LinkError::Version('z')));
        assert!(matches!(Link::decode("a<script>"), Err(LinkError::Damaged(_))));
        assert!(matches!(Link::decode(&good[..good.len() / 2]), Err(LinkError::Damaged(_))));
        let bomb = miniz_oxide::deflate::compress_to_vec(&vec![b' '; 50_000_000], 9);
        let bomb = format!("a{}", URL_SAFE_NO_PAD.encode(bomb));
        assert_eq!(Link::decode(&bomb), Err(LinkError::TooLarge(UNPACKED_LIMIT)));
        let mut long = Link::decode(&good).unwrap();
        long.ops.push(LinkOp::Steps(Depth::Command, u64::MAX));
        assert_eq!(Link::decode(&long.encode()), Err(LinkError::Limit("steps", STEPS_LIMIT)));
        // The limit is for all ops with a count together.
        let half = STEPS_LIMIT / 2;
        long.ops = vec![
            LinkOp::Steps(Depth::Command, half),
            LinkOp::Policy(Depth::Command, "newest".into(), 0, half),
            LinkOp::Heard(Depth::Command, None),
        ];
        assert_eq!(Link::decode(&long.encode()), Err(LinkError::Limit("steps", STEPS_LIMIT)));
        long.ops.pop();
        assert_eq!(Link::decode(&long.encode()), Ok(long.clone()));
    }

    #[test]
    fn a_link_says_which_families_the_cluster_has() {
        let s = Session::new(Start { ip_family: IpFamily::Dual, ..Start::default() });
        let text = Link::of(&s).encode();
        assert!(text.starts_with('f'), "{text}");
        let mut replay = Replay::new(&Link::decode(&text).unwrap());
        while !replay.advance(1) {}
        let replayed = replay.finish();
        assert!(replayed.same);
        assert_eq!(replayed.session.cluster().api().ip_family(), IpFamily::Dual);
        // A page from before clusters of two families can still open the others.
        assert!(Link::of(&Session::new(Start::default())).encode().starts_with('a'));
    }

    #[test]
    fn a_link_puts_manifests_on_nodes() {
        let mut s = Session::new(Start::default());
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: nginx}]}\n";
        let put = Fault::Manifest { node: "node-1".into(), file: "web.yaml".into(), text: Some(text.into()) };
        let before = s.cluster().digest();
        s.fault(&Fault::NodeDown { node: "node-1".into() }).unwrap();
        let down = s.cluster().digest();
        s.fault(&put).unwrap();
        assert!(![before, down].contains(&s.cluster().digest()));
        s.fault(&Fault::NodeUp { node: "node-1".into() }).unwrap();
        while s.step(Depth::Command, None) {}
        let text = Link::of(&s).encode();
        assert!(text.starts_with('i'), "{text}");
        let mut replay = Replay::new(&Link::decode(&text).unwrap());
        while !replay.advance(100) {}
        assert!(replay.finish().same);
    }

    #[test]
    fn an_op_is_repeated_as_often_as_it_counts() {
        let policy = |nth, n| LinkOp::Policy(Depth::Command, "newest".into(), nth, n);
        let ops = [
            LinkOp::Steps(Depth::Command, 3),
            LinkOp::Steps(Depth::Command, 0),
            policy(7, 2),
            policy(7, 0),
            LinkOp::Heard(Depth::Command, None),
        ];
        for op in ops {
            let (mut left, mut did) = (Some(op.clone()), 0);
            while let Some((one, rest)) = left.take().and_then(LinkOp::split_first) {
                assert_eq!(one.count(), 1, "{one:?}");
                (left, did) = (rest, did + 1);
            }
            assert_eq!(did, op.count(), "{op:?}");
        }
        assert_eq!(policy(7, 2).split_first(), Some((policy(7, 1), Some(policy(8, 1)))));
    }
}
