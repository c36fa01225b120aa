//! The only door to etcd: decode, default, admit, validate, store, watch.
//!
//! Components of the cluster send typed requests ([`ApiServer::request`]); kubectl, the page and clients outside send HTTP
//! ([`http::serve`]). Both go through the same handlers.
//!
//! ```
//! use steady::api::{Key, Kind, Object};
//! use steady::apimachinery::{Body, Request, Verb};
//! use steady::apiserver::ApiServer;
//! let mut api = ApiServer::new(1);
//! let namespace = Object::from_value(Kind::NAMESPACE, serde_json::json!({"metadata": {"name": "team-a"}})).unwrap();
//! let create = Request::new(&"kubectl".into(), Verb::Create, Kind::NAMESPACE, Key::new("", "team-a"));
//! assert_eq!(api.request(&create.body(Body::Object(namespace))).code(), 201);
//! assert_eq!(api.request(&Request::new(&"kubectl".into(), Verb::Get, Kind::NAMESPACE, Key::new("", "team-a"))).code(), 200);
//! ```

mod admission;
mod aggregated;
pub mod apiextensions;
mod apply;
mod authorization;
mod binding;
mod cacher;
mod context;
mod decode;
pub mod defaults;
mod delete;
mod etcd_view;
mod eviction;
mod fields;
pub mod http;
pub mod kinds;
mod kubelets;
mod managed_fields;
mod owners;
mod patch;
mod policy;
pub mod printers;
mod refusal;
mod registry;
pub mod rest;
mod restore;
mod serving;
mod stage;
pub mod static_pod;
mod strict;
mod trace;
mod valid_spec;
pub mod validation;
pub mod warnings;
mod watch;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
#[cfg(not(target_arch = "wasm32"))]
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::api::ip_family::IpFamily;
use crate::api::types::CustomResourceDefinition;
use crate::api::{Kind, Object, ObjectRef, Timestamp};
use crate::apimachinery::user::SERVICE_ACCOUNT_PREFIX;
use crate::apimachinery::{Body, Request, Response, Status, Subresource, UserInfo, Verb};
use crate::etcd::Etcd;

pub use aggregated::Aggregated;
use apiextensions::{Definitions, View};
use authorization::DefaultPolicy;
use context::RequestContext;
pub use etcd_view::EtcdView;
pub use kubelets::{Kubelets, NoKubelets};
pub use registry::{EVENTS_LIMIT, GENERATED_SUFFIX, MAX_GENERATED_BASE, OBJECTS_LIMIT};
pub use stage::{Entered, Stage};
pub use strict::Undecodable;
pub use trace::Trace;
pub use watch::WatchCache;

/// The user of what the API server does itself.
const OWN_USER: &str = "kube-apiserver";

/// One write to the store, with the facts that an audit log has of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The revision of the store after the write.
    pub revision: u64,
    /// The object that was written.
    pub object: ObjectRef,
    /// The object before the write; `None` if the write created it.
    pub prev: Option<Object>,
    /// The object after the write; `None` if the write removed it.
    pub next: Option<Object>,
    /// For a removal, the last state of the object, at the revision of the removal.
    pub last: Option<Object>,
    /// The user who sent the request.
    pub user: Rc<str>,
    /// The verb of the request.
    pub verb: Verb,
    /// The subresource of the request.
    pub subresource: Subresource,
}

impl Write {
    /// The user, if it is a ServiceAccount: a program in a pod has written with its token, or a person who acts as the account.
    pub fn by_account(&self) -> Option<Rc<str>> {
        self.user.starts_with(SERVICE_ACCOUNT_PREFIX).then(|| self.user.clone())
    }

    /// `update/status`
    pub fn verb_string(&self) -> String {
        self.verb.with(self.subresource)
    }
}

/// The API server.
#[derive(Clone, Debug)]
pub struct ApiServer {
    etcd: Etcd,
    /// All watches, with the events that their clients have not read yet.
    pub watches: WatchCache,
    now: Timestamp,
    seed: u64,
    random: Pcg32,
    /// How many of the stored objects are events.
    events: usize,
    writes: Vec<Write>,
    woken: Vec<u32>,
    valid_spec: valid_spec::ValidSpecCache,
    /// What was compiled of admission policies.
    compiled_policies: policy::CompiledPolicies,
    /// What the CustomResourceDefinitions in etcd make.
    definitions: Definitions,
    /// How many kinds were made for definitions, also for those that are gone.
    kinds_made: usize,
    /// The documentation of the API; `None` where it was not given.
    texts: Option<Rc<http::Texts>>,
    /// The hashes of OpenAPI documents that were asked for, by path. They follow from the texts and the program, and are kept
    /// because hashing is slow.
    #[cfg(not(target_arch = "wasm32"))]
    document_hashes: Rc<RefCell<BTreeMap<String, String>>>,
    /// What the backend of `metrics.k8s.io` answers to the next request.
    aggregated: Aggregated,
    ip_family: IpFamily,
    /// The uids of objects that come from another cluster. No object of this one gets them.
    foreign_uids: Rc<BTreeSet<String>>,
    /// Whether nobody listens at the server's port, because its program does not run.
    down: bool,
    /// The revision that the watch cache began with: that of the program's last start.
    cached_since: u64,
    /// The roles and bindings that a new cluster has.
    default_policy: DefaultPolicy,
    /// The bearer tokens of users (`--token-auth-file`).
    token_auth: Rc<BTreeMap<String, UserInfo>>,
}

/// The most kinds that a server makes for CustomResourceDefinitions in its life: one for each version of a definition,
/// and again after each change of the definition's spec. Kinds are never freed.
pub const KINDS_LIMIT: usize = 10_000;

impl ApiServer {
    /// An API server with an empty store. Generated names and uids come from the seed.
    pub fn new(seed: u64) -> ApiServer {
        ApiServer::with_etcd(seed, Etcd::default())
    }

    /// An API server with a store that is given.
    pub fn with_etcd(seed: u64, etcd: Etcd) -> ApiServer {
        ApiServer {
            definitions: Definitions::of(&etcd),
            kinds_made: 0,
            etcd,
            watches: WatchCache::default(),
            now: Timestamp::UNIX_EPOCH,
            seed,
            random: Pcg32::seed_from_u64(seed),
            events: 0,
            writes: Vec::new(),
            woken: Vec::new(),
            valid_spec: valid_spec::ValidSpecCache::default(),
            compiled_policies: policy::CompiledPolicies::default(),
            texts: None,
            #[cfg(not(target_arch = "wasm32"))]
            document_hashes: Rc::default(),
            aggregated: Aggregated::Absent,
            ip_family: IpFamily::default(),
            foreign_uids: Rc::default(),
            down: false,
            cached_since: 0,
            default_policy: DefaultPolicy::default(),
            token_auth: Rc::default(),
        }
    }

    /// Tells the server which address families Services can have (`--service-cluster-ip-range`); IPv4 alone before.
    pub fn set_ip_family(&mut self, ip_family: IpFamily) {
        self.ip_family = ip_family;
    }

    /// The address families that Services can have.
    pub fn ip_family(&self) -> IpFamily {
        self.ip_family
    }

    /// Gives the server the documentation of fields that `/openapi` serves.
    pub fn set_texts(&mut self, texts: Rc<http::Texts>) {
        self.texts = Some(texts);
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.document_hashes = Rc::default();
        }
    }

    /// Tells the server whether `metrics.k8s.io` is registered, and what the metrics server answers.
    pub fn set_aggregated(&mut self, aggregated: Aggregated) {
        self.aggregated = aggregated;
    }

    /// The seed that generated names and uids come from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Sets the clock that stamps objects.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// What the CustomResourceDefinitions make: the custom kinds that are served.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The kind that `api_version` and `kind` of a manifest name, built in or custom.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<Kind> {
        Kind::of(api_version, kind).or_else(|| self.definitions.kind_of(api_version, kind))
    }

    /// How a request sees objects of a custom kind: in the version of the kind's handle, or in the one that clients
    /// prefer where that is not served any more.
    ///
    /// # Errors
    /// 404: there is no definition of the kind.
    fn view(&self, kind: Kind) -> Result<View, Status> {
        let found = self.definitions.find(kind.group(), kind.plural());
        let definition = found.ok_or_else(Status::no_such_path)?;
        let kind = definition.nearest(kind).ok_or_else(Status::no_such_path)?;
        definition.view(kind.version())
    }

    /// A definition is written, or gone.
    fn note_definition(&mut self, next: Option<&Object>, last: &Object) {
        match (next.and_then(Object::get::<CustomResourceDefinition>), last.get()) {
            (Some(crd), _) => self.kinds_made += self.definitions.put(crd),
            (None, Some(crd)) => self.definitions.remove(crd),
            (None, None) => {}
        }
    }

    /// Reserves room for one write if there is none yet. A request nearly always makes one write, and histories keep
    /// the list; a `Vec` that grows by itself begins with room for four.
    fn writes_anew(&mut self) {
        if self.writes.is_empty() {
            self.writes.reserve_exact(1);
        }
    }

    /// The writes since the last call of this function.
    pub fn take_writes(&mut self) -> Vec<Write> {
        std::mem::take(&mut self.writes)
    }

    /// The processes whose watches got an event since the last call of this function; a process may come more than once.
    pub fn take_woken(&mut self) -> impl Iterator<Item = u32> {
        self.woken.drain(..)
    }

    /// Compacts etcd up to its last revision (`k8s.io/apiserver/pkg/storage/etcd3/compact.go` does it
    /// every five minutes, up to the revision of five minutes ago). Returns whether etcd had any history to forget.
    pub fn compact(&mut self) -> bool {
        let forgets = self.etcd.compacted() < self.etcd.revision();
        self.etcd.compact(self.etcd.revision());
        forgets
    }

    /// Checks that etcd answers.
    ///
    /// # Errors
    /// 500 with etcd's own words while its members have no leader; 504 if no member is left to answer.
    pub(super) fn storage_answers(&self) -> Result<(), Status> {
        if self.etcd.raft().has_leader() {
            return Ok(());
        }
        Err(match self.etcd.raft().quorum() {
            (_, 0, _) => Status::new(
                504,
                "Timeout",
                "Timeout: request did not complete within requested timeout - context deadline exceeded",
            ),
            _ => Status::new(500, "", "etcdserver: request timed out"),
        })
    }

    /// Whether requests wait for etcd's members to elect a leader.
    pub fn is_electing(&self) -> bool {
        !self.etcd.raft().has_leader() && self.etcd.raft().electing().is_some()
    }

    /// Takes a member of etcd away or brings it back. Returns whether that changed anything.
    pub fn set_member(&mut self, name: &str, lost: bool, now: Timestamp) -> bool {
        let (revision, seed) = (self.etcd.revision(), self.seed);
        let raft = self.etcd.raft_mut();
        if lost { raft.lose(name, revision, now, seed) } else { raft.restore(name, now, seed) }
    }

    /// Ends an election of etcd's members: the one with the longest log leads. Returns whether there was an election.
    pub fn elect(&mut self) -> bool {
        let revision = self.etcd.revision();
        self.etcd.raft_mut().elect(revision)
    }

    /// Handles a request whose sender reads no warnings, and whose program has the name of its user.
    pub fn request(&mut self, request: &Request) -> Response {
        self.request_of(None, request)
    }

    /// Handles a request of a component, which reads no warnings. `program` is the first word of the user agent
    /// (`kube-controller-manager`), under which the component manages fields; `None` if it is the user's name.
    pub fn request_of(&mut self, program: Option<&Rc<str>>, request: &Request) -> Response {
        Response::from(self.handle(request, &mut RequestContext::of_program(program)))
    }

    /// Handles a request. What is to be known of it beside the answer is left in its context.
    fn handle(&mut self, request: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        self.listens(request)?;
        self.storage_answers()?;
        if request.kind.is_custom() && cx.view.is_none() {
            cx.view = Some(self.view(request.kind)?);
        }
        if request.kind == Kind::CUSTOM_RESOURCE_DEFINITION {
            self.kinds_are_left(request)?;
        }
        if !request.verb.writes() {
            cx.enter(Stage::Store, "", None);
        }
        match request.verb {
            Verb::Get => self.get(request, cx),
            Verb::List => self.list_as(request, cx),
            Verb::Create => self.create(request, cx),
            Verb::Update => self.update(request, cx),
            Verb::Patch => self.patch(request, cx),
            Verb::Delete => self.delete(request, cx),
            Verb::DeleteCollection => self.delete_collection(request, cx),
        }
    }

    /// Refuses to create or change a definition when as many kinds were made as a server makes.
    fn kinds_are_left(&self, request: &Request) -> Result<(), Status> {
        let defines = matches!(request.verb, Verb::Create | Verb::Update | Verb::Patch)
            && request.subresource == Subresource::None;
        if !defines || self.kinds_made < KINDS_LIMIT {
            return Ok(());
        }
        let message = format!(
            "Internal error occurred: no definition can be created or changed any more: {KINDS_LIMIT} versions of custom resources were defined since the start of this cluster"
        );
        Err(Status::new(500, "InternalError", message))
    }

    /// Handles the request of an event; `program` is that of [`ApiServer::request_of`]. Half of all writes are events, so
    /// their objects are not copied: if the event was created, the body of the request that comes back is the event as it
    /// was stored.
    pub fn record(&mut self, program: Option<&Rc<str>>, mut request: Request) -> (Request, Response) {
        if request.verb != Verb::Create || request.subresource != Subresource::None {
            let response = self.request_of(program, &request);
            return (request, response);
        }
        let object = match std::mem::replace(&mut request.body, Body::None) {
            Body::Object(object) => object,
            body => {
                request.body = body;
                let response = self.request_of(program, &request);
                return (request, response);
            }
        };
        if let Err(refusal) = self.listens(&request).and_then(|()| self.storage_answers()) {
            request.body = Body::Object(object);
            return (request, Response::Failure(Box::new(refusal)));
        }
        let response =
            Response::from(self.create_object(&request, object, &mut RequestContext::of_program(program)));
        if let Response::Object { object, .. } = &response {
            request.body = Body::Object(object.clone());
        }
        (request, response)
    }

    /// A version 4 uuid from the seed that no object from another cluster has: that cluster may have had the same seed.
    fn new_uid(&mut self) -> String {
        loop {
            let uid = self.random_uid();
            if !self.foreign_uids.contains(&uid) {
                return uid;
            }
        }
    }

    fn random_uid(&mut self) -> String {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut r: [u32; 4] = std::array::from_fn(|_| self.random.next_u32());
        // Its version and its variant.
        r[1] = r[1] & 0xffff_0fff | 0x4000;
        r[2] = r[2] & 0x0fff_ffff | (8 + (r[2] >> 30)) << 28;
        // The digits are written one by one: the formatter took 1% of a run.
        let mut uid = [b'-'; 36];
        let places = (0..36).filter(|i| !matches!(i, 8 | 13 | 18 | 23));
        for (digit, place) in places.enumerate() {
            uid[place] = HEX[(r[digit / 8] >> (28 - 4 * (digit % 8))) as usize & 0xf];
        }
        String::from_utf8_lossy(&uid).into_owned()
    }

    /// The end of a generated name, of the alphabet that spells no words
    /// (`k8s.io/apimachinery/pkg/util/rand`).
    fn random_suffix(&mut self) -> String {
        const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..GENERATED_SUFFIX).map(|_| char::from(ALPHABET[(self.random.next_u32() % 27) as usize])).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Key;

    #[test]
    fn definitions_can_be_made_until_the_limit() {
        let mut api = ApiServer::new(1);
        let user: Rc<str> = "kubectl".into();
        let request = |verb: Verb, body: Body| {
            let key = Key::new("", "things.example.com");
            Request::new(&user, verb, Kind::CUSTOM_RESOURCE_DEFINITION, key).body(body)
        };
        let definition = serde_json::json!({
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "kind": "Thing"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                    "openAPIV3Schema": {"type": "object"},
                }}],
            },
        });
        let definition = Object::from_value(Kind::CUSTOM_RESOURCE_DEFINITION, definition).unwrap();
        let change = |category: &str| {
            let change = serde_json::json!({"spec": {"names": {"categories": [category]}}});
            request(Verb::Patch, Body::Patch(crate::apimachinery::Patch::Merge(change)))
        };
        assert_eq!(api.request(&request(Verb::Create, Body::Object(definition))).code(), 201);
        api.kinds_made = KINDS_LIMIT - 1;
        assert_eq!(api.request(&change("a")).code(), 200);
        api.kinds_made = KINDS_LIMIT;
        let Response::Failure(status) = api.request(&change("b")) else { panic!("not a refusal") };
        assert!(status.message.contains("10000 versions"), "{status}");
        assert_eq!(api.request(&request(Verb::Delete, Body::None)).code(), 200);
    }

    /// A session keeps the list of each command's writes, and a list that grows by itself begins with room for four.
    #[test]
    fn a_list_of_one_write_has_no_room_for_more() {
        let mut api = ApiServer::new(1);
        let object = Object::from_value(Kind::NAMESPACE, serde_json::json!({"metadata": {"name": "a"}}));
        let request = Request::new(&"kubectl".into(), Verb::Create, Kind::NAMESPACE, Key::new("", "a"))
            .body(Body::Object(object.unwrap()));
        assert_eq!(api.request(&request).code(), 201);
        let writes = api.take_writes();
        assert_eq!((writes.len(), writes.capacity()), (1, 1));
    }

    #[test]
    fn a_full_store_says_so_and_has_room_again_after_a_deletion() {
        let mut api = ApiServer::new(1);
        let user: Rc<str> = "kubectl".into();
        let namespace = |name: &str| {
            let object = Object::from_value(Kind::NAMESPACE, serde_json::json!({"metadata": {"name": name}}));
            Request::new(&user, Verb::Create, Kind::NAMESPACE, Key::new("", name))
                .body(Body::Object(object.unwrap()))
        };
        let map = |name: &str, verb: Verb| {
            let object = Object::from_value(
                Kind::CONFIG_MAP,
                serde_json::json!({"metadata": {"name": name, "namespace": "a"}}),
            );
            let body = if verb == Verb::Create { Body::Object(object.unwrap()) } else { Body::None };
            Request::new(&user, verb, Kind::CONFIG_MAP, Key::new("a", name)).body(body)
        };
        api.request(&namespace("a"));
        for i in 1..OBJECTS_LIMIT {
            assert_eq!(api.request(&map(&format!("c{i}"), Verb::Create)).code(), 201);
        }
        let refused = api.request(&map("one-more", Verb::Create));
        assert_eq!(refused.code(), 500);
        let Response::Failure(status) = refused else { panic!("not a refusal") };
        assert!(status.message.contains(&format!("{OBJECTS_LIMIT} objects")), "{status}");
        assert_eq!(api.request(&map("c1", Verb::Delete)).code(), 200);
        assert_eq!(api.request(&map("one-more", Verb::Create)).code(), 201);
    }
}
