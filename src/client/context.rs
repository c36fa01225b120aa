//! What a sync works with: the caches as they were when it began, requests, and its effects.
//!
//! A sync is straight-line `async` code that stops at each of its requests, so that each can be a
//! step of its own with other components in between. The state of a stopped sync is its key, the
//! caches it began with and the answers it got: from these it can be run again up to the same
//! request, which is what a copy of a cluster does (see [`Controller`](super::Controller)).

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::call::ApiCall;
use super::indexer::Caches;
use super::key::{AnyKey, WorkKey};
use super::recorder::Recorded;
use super::sync::{Effect, Pending, Published, Shared};
use super::timer::Wait;
use crate::api::types::{Condition, ObjectReference, Pod, PodStatus};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, Timestamp, later};
use crate::apimachinery::{Binding, Body, DeleteOptions, Patch, Request, Subresource, Verb};

/// What a sync works with. `S` is what its controller remembers, `K` the type of its keys. Cloning it
/// shares it.
pub struct Context<S = (), K = Key> {
    shared: Rc<RefCell<Shared<S>>>,
    caches: Rc<Caches>,
    now: Timestamp,
    key: PhantomData<fn(K)>,
}

impl<S, K> Clone for Context<S, K> {
    fn clone(&self) -> Self {
        Context { shared: self.shared.clone(), caches: self.caches.clone(), now: self.now, key: PhantomData }
    }
}

/// The objects of a kind, as the component believes them to be.
pub struct Lister<'a, T> {
    caches: &'a Caches,
    kind: PhantomData<T>,
}

impl<'a, T: ApiKind> Lister<'a, T> {
    /// The object of a key.
    pub fn get(&self, key: &Key) -> Option<&'a Rc<T>> {
        self.caches.of(T::KIND).get(key).and_then(T::from_object)
    }

    /// The objects of a namespace; all objects with `None`.
    pub fn list(&self, namespace: Option<&'a str>) -> impl Iterator<Item = &'a Rc<T>> {
        self.caches.of(T::KIND).list(namespace).filter_map(T::from_object)
    }

    /// The objects that the object with this uid controls.
    pub fn controlled_by(&self, uid: &str) -> impl Iterator<Item = &'a Rc<T>> {
        self.caches.of(T::KIND).controlled_by(uid).filter_map(T::from_object)
    }

    /// The objects of a namespace that no controller owns.
    pub fn orphans(&self, namespace: &str) -> impl Iterator<Item = &'a Rc<T>> {
        self.caches.of(T::KIND).orphans(namespace).filter_map(T::from_object)
    }
}

impl<S: Clone + 'static, K: WorkKey> Context<S, K> {
    pub(super) fn new(shared: Rc<RefCell<Shared<S>>>) -> Context<S, K> {
        let (caches, now) = {
            let shared = shared.borrow();
            (shared.caches.clone(), shared.now)
        };
        Context { shared, caches, now, key: PhantomData }
    }

    /// The time; it stands still during a sync.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// What the informers had seen when the sync began, or later if this context comes from [`Context::latest`].
    pub fn caches(&self) -> &Caches {
        &self.caches
    }

    /// The same sync with the caches as they were when its last request was answered. Informers go on while a sync
    /// waits for an answer, so what the sync reads afterwards may be newer than what it began with. For a reconciler
    /// whose [`Reconciler::reads_again`](super::Reconciler::reads_again) is false, and before the first answer, the
    /// caches are those that the sync began with.
    #[must_use]
    pub fn latest(&self) -> Context<S, K> {
        let shared = self.shared.borrow();
        let caches =
            shared.cursor.checked_sub(1).and_then(|last| shared.seen.get(last)).unwrap_or(&self.caches);
        Context { shared: self.shared.clone(), caches: caches.clone(), now: self.now, key: PhantomData }
    }

    /// Whether the caches at the last answer are known ([`Context::latest`]).
    pub(super) fn reads_again(&self) -> bool {
        !self.shared.borrow().seen.is_empty()
    }

    /// The objects of a kind.
    pub fn lister<T: ApiKind>(&self) -> Lister<'_, T> {
        Lister { caches: &self.caches, kind: PhantomData }
    }

    /// Reads what the controller remembers between syncs.
    pub fn state<R>(&self, read: impl FnOnce(&S) -> R) -> R {
        read(&self.shared.borrow().state)
    }

    /// Changes what the controller remembers between syncs.
    pub fn update_state(&self, change: impl Fn(&mut S) + 'static) {
        let mut shared = self.shared.borrow_mut();
        change(&mut shared.state);
        shared.effects.push(Effect::State(Box::new(change)));
    }

    /// Says that the component answers requests to itself ([`Reconciler::metrics`](super::Reconciler::metrics))
    /// otherwise than before. Components that look again at regular intervals ([`Wait::Resync`], [`Wait::Poll`])
    /// may find something new, so the cluster waits for them as after a write.
    pub fn publish(&self) {
        self.tell(Published { metrics: true, ..Published::default() });
    }

    /// Says that a process which the component runs has asked the network something: a kubelet's container. The answer
    /// comes as a [`Reconciler::fault`](super::Reconciler::fault). `sends` if it sends a stream of requests.
    pub fn ask_network(&self, sends: bool) {
        self.tell(Published { asks: true, sends, ..Published::default() });
    }

    /// Says that somebody else is reached at an address of the network than before, or that what is said there is another
    /// thing: containers have started or stopped, or the rules of a node are others.
    pub fn change_network(&self) {
        self.tell(Published { listens: true, ..Published::default() });
    }

    /// Says that processes which the component runs write something else than before into volumes that every node reaches.
    pub fn change_storage(&self) {
        self.tell(Published { stores: true, ..Published::default() });
    }

    fn tell(&self, published: Published) {
        self.shared.borrow_mut().effects.push(Effect::Publish(published));
    }

    /// Whether somebody looks at what the sync notes ([`Component::look`](super::Component::look)).
    pub fn is_looked_at(&self) -> bool {
        self.shared.borrow().notes.is_some()
    }

    /// Notes something for whoever looks. It is no effect: nothing that happens depends on it.
    pub fn note(&self, note: impl Any) {
        let mut shared = self.shared.borrow_mut();
        let answers = shared.cursor;
        if let Some(notes) = shared.notes.as_mut() {
            notes.push((answers, Rc::new(note)));
        }
    }

    /// Adds a key to the queue.
    pub fn enqueue(&self, key: K) {
        self.shared.borrow_mut().effects.push(Effect::Add(AnyKey::new(key)));
    }

    /// Adds a key after a while. The cluster is not steady before that.
    pub fn enqueue_after(&self, key: K, after: SignedDuration) {
        self.enqueue_waiting(key, after, Wait::Foreground);
    }

    /// Adds a key after a while, if time passes for another reason: heartbeats, resyncs.
    pub fn enqueue_after_in_background(&self, key: K, after: SignedDuration) {
        self.enqueue_waiting(key, after, Wait::Background);
    }

    /// Adds a key after a while, and says what waits for it.
    pub fn enqueue_waiting(&self, key: K, after: SignedDuration, wait: Wait) {
        let at = later(self.now, after.max(SignedDuration::ZERO));
        self.shared.borrow_mut().effects.push(Effect::AddAt { key: AnyKey::new(key), at, wait });
    }

    /// Takes back what was planned for a key.
    pub fn cancel(&self, key: K) {
        self.shared.borrow_mut().effects.push(Effect::Cancel(AnyKey::new(key)));
    }

    /// Records an event about an object.
    pub fn event<T: ApiKind>(
        &self,
        about: &T,
        type_: &'static str,
        reason: &str,
        message: impl Into<String>,
    ) {
        self.record(Recorded {
            about: object_reference(about),
            type_,
            reason: reason.into(),
            message: message.into(),
            action: "",
            at: self.now,
        });
    }

    /// Records an event.
    pub fn record(&self, event: Recorded) {
        self.shared.borrow_mut().effects.push(Effect::Event(Box::new(event)));
    }

    fn call<T>(&self, verb: Verb, kind: Kind, key: Key, sub: Subresource, body: Body) -> ApiCall<S, T> {
        let user = self.shared.borrow().user.clone();
        let request =
            Request { user, verb, kind, key, subresource: sub, body, dry_run: false, field_manager: None };
        ApiCall {
            shared: self.shared.clone(),
            pending: Some(Pending { request: Rc::new(request), why: None, background: false }),
            kind: PhantomData,
        }
    }

    /// Reads an object from the API server itself, past the caches.
    pub fn get<T: ApiKind>(&self, key: Key) -> ApiCall<S, Rc<T>> {
        self.call(Verb::Get, T::KIND, key, Subresource::None, Body::None)
    }

    /// Creates an object. The answer is the object as it was stored.
    pub fn create<T: ApiKind>(&self, object: T) -> ApiCall<S, Rc<T>> {
        let key = object.meta().key();
        self.call(Verb::Create, T::KIND, key, Subresource::None, Body::Object(object.into()))
    }

    /// Replaces an object, at the revision that it has: a conflict if the stored object has another one.
    pub fn update<T: ApiKind>(&self, object: Rc<T>) -> ApiCall<S, Rc<T>> {
        let key = object.meta().key();
        self.call(Verb::Update, T::KIND, key, Subresource::None, Body::Object(object.into()))
    }

    /// Replaces an object's status.
    pub fn update_status<T: ApiKind>(&self, object: Rc<T>) -> ApiCall<S, Rc<T>> {
        let key = object.meta().key();
        self.call(Verb::Update, T::KIND, key, Subresource::Status, Body::Object(object.into()))
    }

    /// Sends the difference between an object as it was read and as it shall be.
    pub fn patch<T: ApiKind>(&self, from: Rc<T>, to: Rc<T>) -> ApiCall<S, Rc<T>> {
        let key = from.meta().key();
        let change = Patch::Between { from: from.into(), to: to.into() };
        self.call(Verb::Patch, T::KIND, key, Subresource::None, Body::Patch(change))
    }

    /// Sends the difference between an object's status as it was read and as it shall be.
    pub fn patch_status<T: ApiKind>(&self, from: Rc<T>, to: Rc<T>) -> ApiCall<S, Rc<T>> {
        let key = from.meta().key();
        let change = Patch::Between { from: from.into(), to: to.into() };
        self.call(Verb::Patch, T::KIND, key, Subresource::Status, Body::Patch(change))
    }

    /// Applies a condition to the status of an object (server-side apply), and takes it from whoever manages it otherwise.
    pub fn apply_condition<T: ApiKind>(
        &self,
        key: Key,
        condition: &Condition,
        manager: &str,
    ) -> ApiCall<S, Rc<T>> {
        self.apply_status(key, json!({"conditions": [condition]}), manager)
    }

    /// Applies a part of the status of an object (server-side apply), and takes it from whoever manages it otherwise.
    pub fn apply_status<T: ApiKind>(&self, key: Key, status: Value, manager: &str) -> ApiCall<S, Rc<T>> {
        self.apply_to(key, Subresource::Status, json!({"status": status}), manager)
    }

    /// Applies fields of an object (server-side apply), and takes them from whoever manages them otherwise. What the manager has applied
    /// before and does not name any more goes.
    pub fn apply<T: ApiKind>(&self, key: Key, fields: Value, manager: &str) -> ApiCall<S, Rc<T>> {
        self.apply_to(key, Subresource::None, fields, manager)
    }

    fn apply_to<T: ApiKind>(
        &self,
        key: Key,
        subresource: Subresource,
        mut config: Value,
        manager: &str,
    ) -> ApiCall<S, Rc<T>> {
        config["apiVersion"] = T::KIND.api_version().into();
        config["kind"] = T::KIND.as_str().into();
        config["metadata"] = json!({"name": &*key.name});
        if !key.namespace.is_empty() {
            config["metadata"]["namespace"] = key.namespace.to_string().into();
        }
        let change = Patch::Apply { config, force: true };
        let mut call = self.call(Verb::Patch, T::KIND, key, subresource, Body::Patch(change));
        if let Some(pending) = call.pending.as_mut() {
            Rc::make_mut(&mut pending.request).field_manager = Some(manager.into());
        }
        call
    }

    /// Reports a pod's status.
    pub fn report_pod_status(
        &self,
        key: Key,
        from: Rc<Pod>,
        status: crate::api::Shared<PodStatus>,
    ) -> ApiCall<S, Rc<Pod>> {
        let change = Patch::PodStatus { from, status };
        self.call(Verb::Patch, Kind::POD, key, Subresource::Status, Body::Patch(change))
    }

    /// Deletes an object of a kind known at run time.
    pub fn delete(&self, kind: Kind, key: Key, options: DeleteOptions) -> ApiCall<S, Option<Object>> {
        self.call(Verb::Delete, kind, key, Subresource::None, Body::Delete(options))
    }

    /// Deletes all objects of a kind in a namespace. Returns the objects as they were before.
    pub fn delete_collection(
        &self,
        kind: Kind,
        namespace: &str,
        options: DeleteOptions,
    ) -> ApiCall<S, Vec<Object>> {
        let key = Key::new(namespace, "");
        self.call(Verb::DeleteCollection, kind, key, Subresource::None, Body::Delete(options))
    }

    /// Lists the objects of a kind in a namespace, from the API server itself, past the caches.
    pub fn list(&self, kind: Kind, namespace: &str) -> ApiCall<S, Vec<Object>> {
        self.call(Verb::List, kind, Key::new(namespace, ""), Subresource::None, Body::None)
    }

    /// Asks the kubelet of a node what the node and the containers on it use.
    pub fn node_metrics(&self, node: &str) -> ApiCall<S, Vec<Object>> {
        self.call(Verb::Get, Kind::NODE, Key::new("", node), Subresource::Proxy, Body::None)
    }

    /// Hands rules to the kernel of a node. What they are, the component notes in its state; the request makes a step of it.
    pub fn write_rules(&self, node: &str) -> ApiCall<S, Option<Object>> {
        self.call(Verb::Update, Kind::NODE, Key::new("", node), Subresource::Ruleset, Body::None)
    }

    /// Writes the files of a pod's volumes to the disk of its node. What they are, the component notes in its state; the request
    /// makes a step of it.
    pub fn write_volumes(&self, pod: Key) -> ApiCall<S, Option<Object>> {
        self.call(Verb::Update, Kind::POD, pod, Subresource::Volumes, Body::None)
    }

    /// Evicts a pod (`pods/eviction`): 429 if a PodDisruptionBudget forbids it.
    pub fn evict(&self, key: Key) -> ApiCall<S, Option<Object>> {
        self.call(Verb::Create, Kind::POD, key, Subresource::Eviction, Body::None)
    }

    /// Asks whether a user may do something (`subjectaccessreviews`), because of an object. `spec` is that of the review.
    pub fn access_review<T: ApiKind>(&self, because_of: &T, spec: Value) -> ApiCall<S, bool> {
        let review = json!({
            "kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {}, "spec": spec,
        });
        let (key, body) = (because_of.meta().key(), Body::AccessReview(Rc::new(review)));
        self.call(Verb::Create, T::KIND, key, Subresource::AccessReview, body)
    }

    /// Replaces what an object says of its approval.
    pub fn update_approval<T: ApiKind>(&self, object: Rc<T>) -> ApiCall<S, Rc<T>> {
        let key = object.meta().key();
        self.call(Verb::Update, T::KIND, key, Subresource::Approval, Body::Object(object.into()))
    }

    /// Binds the pod with a uid to a node.
    pub fn bind(&self, pod: Key, uid: &str, node: &str) -> ApiCall<S, Option<Object>> {
        let body = Body::Binding(Box::new(Binding { uid: uid.to_owned(), ..Binding::to_node(node) }));
        self.call(Verb::Create, Kind::POD, pod, Subresource::Binding, body)
    }

    /// Sends any request about an object of a kind known at run time; `user` is filled in.
    pub fn send(
        &self,
        verb: Verb,
        kind: Kind,
        key: Key,
        sub: Subresource,
        body: Body,
    ) -> ApiCall<S, Option<Object>> {
        self.call(verb, kind, key, sub, body)
    }
}

/// How an event refers to an object (`reference.GetReference`).
pub fn object_reference<T: ApiKind>(object: &T) -> ObjectReference {
    let meta = object.meta();
    ObjectReference {
        api_version: Some(T::KIND.api_version().into()),
        kind: Some(T::KIND.as_str().into()),
        name: Some(MetaExt::name(meta).into()),
        namespace: Some(MetaExt::namespace(meta).into()).filter(|n: &String| !n.is_empty()),
        uid: Some(MetaExt::uid(meta).into()),
        resource_version: object.resource_version().map(str::to_owned),
        field_path: None,
    }
}
