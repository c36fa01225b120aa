//! Two implementations in Steady that must give the same result.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use steady::apimachinery::{HttpRequest, HttpResponse};
use steady::cluster::{Cluster, Config};
use steady::session::{Session, Start};

use crate::machine::{Case, Deed, Run, case};

/// A manifest as a person might write it, with lists that are merged by a key.
fn manifest() -> impl Strategy<Value = Value> {
    let word = || prop::sample::select(vec!["a", "b", "c", "d"]);
    let labels = prop::collection::btree_map(word(), word(), 0..3);
    let env = prop::collection::btree_map(word(), word(), 0..4);
    let ports = prop::collection::btree_set(prop::sample::select(vec![80u16, 81, 443, 8080]), 0..3);
    let container = (env, ports, prop::option::of(word())).prop_map(|(env, ports, policy)| {
        let env: Vec<Value> = env.iter().map(|(k, v)| json!({"name": k, "value": v})).collect();
        let ports: Vec<Value> = ports.iter().map(|p| json!({"containerPort": p})).collect();
        let mut c = json!({"image": "team/web:1"});
        let set = |c: &mut Value, field: &str, v: Value| c.as_object_mut().unwrap().insert(field.into(), v);
        if !env.is_empty() {
            set(&mut c, "env", env.into());
        }
        if !ports.is_empty() {
            set(&mut c, "ports", ports.into());
        }
        if let Some(word) = policy {
            set(&mut c, "imagePullPolicy", if word < "c" { "Always" } else { "Never" }.into());
        }
        c
    });
    let containers = prop::collection::btree_map(word(), container, 1..4);
    let numbers = (prop::option::of(0..4i32), prop::option::of(0..9i32), prop::option::of(1..60i64));
    let tolerations = prop::collection::vec(word(), 0..3);
    (labels, containers, numbers, tolerations).prop_map(|(labels, containers, numbers, tolerations)| {
        let (replicas, min_ready, grace) = numbers;
        let containers: Vec<Value> = containers
            .into_iter()
            .map(|(name, mut c)| {
                c.as_object_mut().unwrap().insert("name".into(), name.into());
                c
            })
            .collect();
        let mut template =
            json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}});
        if let Some(grace) = grace {
            template["spec"]["terminationGracePeriodSeconds"] = grace.into();
        }
        if !tolerations.is_empty() {
            let all = tolerations.iter().map(|t| json!({"key": t, "operator": "Exists"}));
            template["spec"]["tolerations"] = all.collect();
        }
        let mut spec = json!({"selector": {"matchLabels": {"app": "web"}}, "template": template});
        if let Some(n) = replicas {
            spec["replicas"] = n.into();
        }
        if let Some(n) = min_ready {
            spec["minReadySeconds"] = n.into();
        }
        let mut metadata = json!({"name": "web", "namespace": "default"});
        if !labels.is_empty() {
            metadata["labels"] = serde_json::to_value(labels).unwrap();
        }
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    })
}

/// The object after these manifests were applied one after the other.
fn applied(manifests: &[Value], how: &str) -> Result<Value, TestCaseError> {
    let mut session = Session::new(Start { nodes: 1, ..Start::default() });
    for m in manifests {
        let text = m.to_string();
        let out = session.kubectl(&format!("apply {how} -f m.yaml"), &[("m.yaml", &text)]);
        prop_assert_eq!(out.exit, 0, "{}", out.stderr);
    }
    let (_, record) =
        session.cluster().api().etcd().range(steady::api::Kind::DEPLOYMENT, None).next().unwrap();
    let mut value = record.object.to_value();
    let meta = value["metadata"].as_object_mut().unwrap();
    // Fields that each way writes for itself.
    for own in ["managedFields", "annotations", "uid", "resourceVersion", "creationTimestamp"] {
        meta.remove(own);
    }
    Ok(value)
}

fn get(cluster: &mut Cluster, path: &str, query: &str) -> HttpResponse {
    let request = HttpRequest {
        method: "GET".into(),
        path: path.into(),
        query: query.into(),
        ..HttpRequest::default()
    };
    cluster.http(&request).0
}

/// The items of a list by name, and the list's revision.
fn listed(cluster: &mut Cluster, path: &str, query: &str) -> (BTreeMap<String, Value>, String) {
    let response = get(cluster, path, query);
    assert_eq!(response.status, 200, "{}", response.body);
    let list: Value = serde_json::from_str(&response.body).unwrap();
    let items = list["items"].as_array().unwrap().iter();
    let named =
        items.map(|o| (o["metadata"]["name"].as_str().unwrap().to_owned(), bare(o.clone()))).collect();
    (named, list["metadata"]["resourceVersion"].as_str().unwrap().to_owned())
}

/// An object without what differs between lists and watches: items of lists have no kind, and the owners of
/// fields are known for the present only (docs/fidelity.md).
fn bare(mut object: Value) -> Value {
    let fields = object.as_object_mut().unwrap();
    fields.remove("kind");
    fields.remove("apiVersion");
    fields["metadata"].as_object_mut().unwrap().remove("managedFields");
    object
}

proptest! {
    #![proptest_config(crate::cases(48))]

    /// `kubectl apply` computes a strategic merge patch from three objects; with `--server-side` the API
    /// server merges by owners of fields. With one writer both must lead to the same object.
    #[test]
    fn both_ways_to_apply_lead_to_the_same_object(manifests in prop::collection::vec(manifest(), 1..4)) {
        let client = applied(&manifests, "")?;
        let server = applied(&manifests, "--server-side")?;
        prop_assert_eq!(client, server);
    }
}

proptest! {
    #![proptest_config(crate::cases(12))]

    /// A list at some revision and a watch from there must lead to the objects of a new list.
    #[test]
    fn a_watch_from_any_revision_ends_in_a_fresh_list(case in case(true, 4), every in 3u64..9) {
        let mut run = after(&case);
        run.heal();
        // Events before the compaction are not available.
        let oldest = run.cluster.api().etcd().compacted().max(1);
        for plural in ["pods", "replicasets", "deployments"] {
            let group = if plural == "pods" { "/api/v1" } else { "/apis/apps/v1" };
            let path = format!("{group}/namespaces/default/{plural}");
            let (now, revision) = listed(&mut run.cluster, &path, "");
            let revision: u64 = revision.parse().unwrap();
            for from in (oldest..=revision).rev().step_by(every as usize) {
                let exact = format!("resourceVersion={from}&resourceVersionMatch=Exact");
                let (mut known, _) = listed(&mut run.cluster, &path, &exact);
                let events = get(&mut run.cluster, &path, &format!("watch=1&timeoutSeconds=1&resourceVersion={from}"));
                prop_assert_eq!(events.status, 200);
                for line in events.body.lines() {
                    let event: Value = serde_json::from_str(line).unwrap();
                    let object = bare(event["object"].clone());
                    let name = object["metadata"]["name"].as_str().unwrap().to_owned();
                    match event["type"].as_str() {
                        Some("ADDED") => prop_assert!(known.insert(name, object).is_none(), "{plural} {from}: {line}"),
                        Some("MODIFIED") => prop_assert!(known.insert(name, object).is_some(), "{plural} {from}: {line}"),
                        Some("DELETED") => prop_assert!(known.remove(&name).is_some(), "{plural} {from}: {line}"),
                        _ => prop_assert!(false, "{line}"),
                    }
                }
                prop_assert_eq!(&known, &now, "{} from {}", plural, from);
            }
        }
    }
}

/// The cluster after a random run.
fn after(case: &Case) -> Run {
    let mut run = Run::new(case);
    run.cluster = Cluster::new(&Config::nodes(2));
    run.perform(&Deed::Apply);
    for (pause, deed) in &case.deeds {
        for _ in 0..*pause {
            let Some(action) = run.choose() else { break };
            let _ = run.cluster.act(&action);
        }
        run.perform(deed);
    }
    run
}
