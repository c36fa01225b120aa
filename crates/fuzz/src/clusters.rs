//! What has to hold of a cluster, whatever happened to it.

use std::collections::{BTreeMap, BTreeSet};

use steady::api::types::{EndpointSlice, Event, Pod};
use steady::api::{Kind, MetaExt, Object};
use steady::apiserver::Write;
use steady::cluster::{Cluster, Stopped};
use steady::kubelet;
use steady::session::{Depth, Session, Start, scenario};

thread_local! {
    /// A session with objects of many kinds, steady.
    static BASE: Session = begin();
}

/// The session that inputs are tried on.
pub(crate) fn base() -> Session {
    BASE.with(Clone::clone)
}

fn begin() -> Session {
    let mut s = Session::new(Start::default());
    if let Some(first) = scenario::find("01-first-deployment") {
        s.apply(&first.manifest);
    }
    for line in [
        "create configmap c --from-literal=a=b",
        "create secret generic s --from-literal=a=b",
        "expose deployment web --port=80",
        "create job j --image=team/x:1 -- true",
        "create cronjob cron --image=team/x:1 --schedule='*/5 * * * *' -- true",
        "create quota q --hard=pods=40",
    ] {
        s.kubectl(line, &[]);
    }
    for _ in 0..120 {
        if !s.step(Depth::Command, None) {
            break;
        }
    }
    // Its history is not part of what is tried.
    Session::with_cluster(s.start().clone(), s.cluster().clone())
}

/// Whether nothing has changed. The whole of a cluster is compared for some inputs, by their length.
pub(crate) fn unchanged(before: &Cluster, after: &Cluster, length: usize) {
    assert_eq!(
        before.api().etcd().revision(),
        after.api().etcd().revision(),
        "what was refused has written something"
    );
    assert_eq!(before.now(), after.now(), "what was refused has taken time");
    if length % 16 == 5 {
        assert_eq!(before.digest(), after.digest(), "what was refused has changed something");
    }
}

/// The path of an object of a built-in kind.
pub(crate) fn path_of(version: &str, kind: &str, namespace: &str, name: &str) -> Option<String> {
    let kind = Kind::of(version, kind)?;
    let root = if version.contains('/') { "apis" } else { "api" };
    let namespaces = if namespace.is_empty() { String::new() } else { format!("namespaces/{namespace}/") };
    Some(format!("/{root}/{version}/{namespaces}{}/{name}", kind.plural()))
}

/// Holds writes that came one after the other to what every write promises.
pub(crate) fn rising(before: &Cluster, writes: &[Write]) {
    let mut revision = before.api().etcd().revision();
    for w in writes {
        assert!(w.revision > revision, "{}: revision {} after {revision}", w.object, w.revision);
        revision = w.revision;
        if let Some(next) = &w.next {
            one_controller(next);
            let own: u64 = next.resource_version().and_then(|r| r.parse().ok()).unwrap_or_default();
            assert_eq!(own, w.revision, "{}: the object says another revision", w.object);
        }
        if let (Some(prev), Some(next)) = (&w.prev, &w.next) {
            let (was, is) = (prev.meta().uid(), next.meta().uid());
            assert_eq!(was, is, "{}: a uid changed", w.object);
            let generation = |o: &Object| o.meta().generation.unwrap_or_default();
            assert!(generation(prev) <= generation(next), "{}: a generation fell", w.object);
        }
    }
}

/// Whether each object is after these writes as it was before them.
pub(crate) fn cancel_out(writes: &[Write]) -> bool {
    let mut first: BTreeMap<String, Option<Object>> = BTreeMap::new();
    let mut last: BTreeMap<String, Option<Object>> = BTreeMap::new();
    for w in writes {
        let at = w.object.to_string();
        first.entry(at.clone()).or_insert_with(|| w.prev.clone());
        last.insert(at, w.next.clone());
    }
    first == last
}

fn one_controller(object: &Object) {
    let owners = object.meta().owner_references.iter().flatten();
    let controllers = owners.filter(|o| o.controller == Some(true)).count();
    assert!(controllers <= 1, "{} has {controllers} controllers", object.reference());
}

/// What holds at any moment.
pub(crate) fn whole(cluster: &Cluster) {
    let etcd = cluster.api().etcd();
    let mut uids = BTreeMap::new();
    for (at, record) in etcd.iter() {
        one_controller(&record.object);
        assert!(record.mod_revision <= etcd.revision(), "{at} is newer than the store");
        assert_eq!(*at, record.object.reference(), "an object stands under another name");
        let uid = record.object.meta().uid();
        // Only a uid that is there can be that of another object.
        let other = if uid.is_empty() { None } else { uids.insert(uid.to_owned(), at) };
        assert!(other.is_none(), "{at} has the uid of {other:?}");
    }
    for p in cluster.processes() {
        for i in &p.informers {
            assert!(i.resource_version <= etcd.revision(), "{}: a cache is ahead of the store", p.name);
        }
    }
}

/// What holds of a cluster in which nothing is left to do, and no fault is left. Nothing holds yet if something is left to do.
pub(crate) fn at_rest(cluster: &Cluster) {
    // Notifications that lead to no command may be under way in a cluster in which nothing is left to do.
    let mut cluster = cluster.clone();
    if cluster.next_command(None) == Err(Stopped::Idle) {
        caches(&cluster);
        gone_everywhere(&cluster);
    }
}

/// Every cache of a process that runs equals the store.
fn caches(cluster: &Cluster) {
    let etcd = cluster.api().etcd();
    for p in cluster.processes().filter(|p| p.running && !p.waits()) {
        for i in p.informers.iter().filter(|i| !i.is_stopped() && i.has_synced()) {
            let cached: BTreeMap<String, (String, String)> =
                p.caches.of(i.kind).list(None).map(|o| (o.key().to_string(), version(o))).collect();
            let stored: BTreeMap<String, (String, String)> = etcd
                .range(i.kind.stored(), None)
                .filter(|(_, r)| i.filter.matches(&r.object))
                .map(|(at, r)| (at.key.to_string(), version(&r.object)))
                .collect();
            assert!(
                cached == stored,
                "{} of {:?}: its cache of {} is not as the store: {}",
                p.name,
                p.node,
                i.kind.as_str(),
                differences(&cached, &stored)
            );
        }
    }
}

fn version(object: &Object) -> (String, String) {
    (object.meta().uid().to_owned(), object.resource_version().map(str::to_owned).unwrap_or_default())
}

fn differences(a: &BTreeMap<String, (String, String)>, b: &BTreeMap<String, (String, String)>) -> String {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differ = keys.into_iter().filter(|k| a.get(*k) != b.get(*k)).take(5);
    differ.map(|k| format!("{k}: {:?} and {:?}", a.get(k), b.get(k))).collect::<Vec<_>>().join("; ")
}

/// What was deleted is nowhere: neither with a kubelet, nor in its network, nor behind a Service.
fn gone_everywhere(cluster: &Cluster) {
    let etcd = cluster.api().etcd();
    let pods: BTreeMap<String, &Pod> = etcd
        .range(Kind::POD, None)
        .filter_map(|(at, r)| Some((at.key.to_string(), &**r.object.get::<Pod>()?)))
        .collect();
    for p in cluster.processes().filter(|p| p.running) {
        for state in p.components.iter().filter_map(|c| c.state().downcast_ref::<kubelet::State>()) {
            for (key, runtime) in &state.pods {
                let there = pods.get(&key.to_string()).is_some_and(|p| p.metadata.uid() == &*runtime.uid);
                assert!(
                    there || runtime.static_pod.is_some(),
                    "{:?}: the kubelet has {key}, which is gone",
                    p.node
                );
            }
            for (address, key) in &state.node.addresses {
                let known = pods.contains_key(&key.to_string()) || state.pods.contains_key(key);
                assert!(known, "{:?}: {address} is that of {key}, which is gone", p.node);
            }
        }
    }
    let mut addresses: BTreeMap<&str, &str> = BTreeMap::new();
    for (key, pod) in &pods {
        let running = pod.status.as_ref().filter(|s| s.phase.as_deref() == Some("Running"));
        let own = pod.spec.as_ref().is_some_and(|s| s.host_network != Some(true));
        if let Some(ip) = running.filter(|_| own).and_then(|s| s.pod_ip.as_deref()) {
            let other = addresses.insert(ip, key);
            assert!(other.is_none(), "{key} and {other:?} both have {ip}");
        }
    }
    let names =
        |kind: Kind| etcd.range(kind, None).map(|(at, _)| at.key.to_string()).collect::<BTreeSet<_>>();
    let services = names(Kind::SERVICE);
    for (at, r) in etcd.range(Kind::ENDPOINT_SLICE, None) {
        let Some(slice) = r.object.get::<EndpointSlice>() else { continue };
        let labels = slice.metadata.labels.as_ref();
        let label = |name: &str| labels.and_then(|l| l.get(name)).map(String::as_str);
        if label("endpointslice.kubernetes.io/managed-by") != Some("endpointslice-controller.k8s.io") {
            continue;
        }
        let service =
            format!("{}/{}", at.key.namespace, label("kubernetes.io/service-name").unwrap_or_default());
        assert!(services.contains(&service), "{at} is that of {service}, which is gone");
        for target in slice.endpoints.iter().flatten().filter_map(|e| e.target_ref.as_ref()) {
            let pod = format!("{}/{}", at.key.namespace, target.name.as_deref().unwrap_or_default());
            assert!(pods.contains_key(&pod), "{at} has {pod}, which is gone");
        }
    }
}

/// The events about one object by one component of an older API's recorder: its filter lets 25 pass, and then one every 300
/// seconds. A process that starts again has a new filter.
pub(crate) fn bounded_events(cluster: &Cluster, seconds: i64, starts: usize) {
    let mut counts: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    for (_, r) in cluster.api().etcd().range(Kind::EVENT, None) {
        let Some(event) = r.object.get::<Event>() else { continue };
        let Some(source) = event.source.as_ref() else { continue };
        let (component, host) =
            (source.component.clone().unwrap_or_default(), source.host.clone().unwrap_or_default());
        if component.is_empty() || event.event_time.is_some() {
            continue;
        }
        let about = &event.involved_object;
        let about = format!("{:?} {:?} {:?} {:?}", about.kind, about.namespace, about.name, about.uid);
        *counts.entry((component, host, about)).or_default() += 1;
    }
    let most = (26 + seconds.max(0) as usize / 300) * (1 + starts);
    for ((component, host, about), n) in counts {
        assert!(n <= most, "{component} {host} has written {n} events about {about}; {most} are let through");
    }
}
