//! The only door to etcd: decode, default, admit, validate, store, watch.
//!
//! Every component, kubectl and the page speak to it through [`ApiServer::request`].
//!
//! ```
//! use steady::apiserver::{ApiServer, Body, Request, Response, Verb};
//! use steady::api::{Key, Kind, Object};
//! let mut api = ApiServer::new(1);
//! let namespace = Object::from_value(Kind::Namespace, serde_json::json!({"metadata": {"name": "team-a"}})).unwrap();
//! let create = Request::new(&"kubectl".into(), Verb::Create, Kind::Namespace, Key::new("", "team-a"));
//! assert_eq!(api.request(&create.body(Body::Object(namespace))).code(), 201);
//! assert_eq!(api.request(&Request::new(&"kubectl".into(), Verb::Get, Kind::Namespace, Key::new("", "team-a"))).code(), 200);
//! ```

mod admission;
mod apply;
pub mod defaults;
mod delete;
pub mod http;
mod managed_fields;
mod patch;
pub mod printers;
mod registry;
mod request;
mod service;
mod status;
mod strategy;
pub mod validation;
mod watch;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use std::rc::Rc;

use crate::api::{Object, ObjectRef, Timestamp};
use crate::etcd::{Etcd, Map};
use managed_fields::{Ledger, Manager};

pub use delete::{FINALIZER_FOREGROUND, FINALIZER_ORPHAN};
pub use request::{Body, DeleteOptions, Patch, Propagation, Request, Response, Subresource, Verb};
pub use status::{Cause, Details, Status};
pub use strategy::NAMESPACE_FINALIZER;
pub use watch::{Filter, Gone, WatchCache, WatchEvent, WatchEventType, WatchId};

/// One write to the store, as the audit log would have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The revision it made.
    pub revision: u64,
    /// Which object.
    pub object: ObjectRef,
    /// The state before; `None` if it was created.
    pub prev: Option<Object>,
    /// The state after; `None` if it was removed.
    pub next: Option<Object>,
    /// For a removal, the last state at the revision of the removal.
    pub last: Option<Object>,
    /// Who asked.
    pub user: Rc<str>,
    /// `update/status`
    pub verb: String,
}

/// The API server.
#[derive(Clone, Debug)]
pub struct ApiServer {
    etcd: Etcd,
    /// Who watches.
    pub watches: WatchCache,
    now: Timestamp,
    random: Pcg32,
    writes: Vec<Write>,
    woken: Vec<u32>,
    /// Who owns which fields, per object.
    managed: Map<ObjectRef, Rc<Ledger>>,
    /// The owners that an apply worked out, for the write that follows.
    decided: Option<Vec<Manager>>,
    /// A new object as it came, before admission: only this has an owner.
    submitted: Option<Object>,
}

impl ApiServer {
    /// An API server before an empty store. Names and uids come from the seed.
    pub fn new(seed: u64) -> ApiServer {
        ApiServer {
            etcd: Etcd::default(),
            watches: WatchCache::default(),
            now: Timestamp::UNIX_EPOCH,
            random: Pcg32::seed_from_u64(seed),
            writes: Vec::new(),
            woken: Vec::new(),
            managed: Map::new(),
            decided: None,
            submitted: None,
        }
    }

    /// Sets the clock that stamps objects.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// The store, to be read: for digests, tests and the page's etcd view.
    pub fn etcd(&self) -> &Etcd {
        &self.etcd
    }

    /// The writes since this was last called.
    pub fn take_writes(&mut self) -> Vec<Write> {
        std::mem::take(&mut self.writes)
    }

    /// The processes whose watches got something since this was last called; may repeat.
    pub fn take_woken(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.woken)
    }

    /// Handles one request.
    pub fn request(&mut self, request: &Request) -> Response {
        self.decided = None;
        self.submitted = None;
        Response::from(match request.verb {
            Verb::Get => self.get(request),
            Verb::List => Ok(self.list(request)),
            Verb::Create => self.create(request),
            Verb::Update => self.update(request),
            Verb::Patch => self.patch(request),
            Verb::Delete => self.delete(request),
            Verb::DeleteCollection => self.delete_collection(request),
        })
    }

    /// A version 4 uuid from the seed.
    fn new_uid(&mut self) -> String {
        let r: [u32; 4] = std::array::from_fn(|_| self.random.next_u32());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:04x}{:08x}",
            r[0],
            r[1] >> 16,
            r[1] & 0xfff,
            8 + (r[2] >> 30),
            (r[2] >> 16) & 0xfff,
            r[2] & 0xffff,
            r[3]
        )
    }

    /// Five characters of the alphabet that spells no words
    /// (`k8s.io/apimachinery/pkg/util/rand`).
    fn random_suffix(&mut self) -> String {
        const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..5).map(|_| char::from(ALPHABET[(self.random.next_u32() % 27) as usize])).collect()
    }
}
