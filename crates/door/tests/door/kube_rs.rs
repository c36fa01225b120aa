//! kube-rs, a client library that was written for real clusters.

use futures_util::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Client, Config, Error};
use serde_json::{Value, json};
use steady_door::{Options, Running, Time};

use crate::client::{ask, stepped};

fn client(door: &Running) -> Client {
    Client::try_from(Config::new(door.url().parse().unwrap())).unwrap()
}

fn deployments(door: &Running) -> Api<Deployment> {
    Api::namespaced(client(door), "default")
}

fn web(replicas: i32) -> Deployment {
    serde_json::from_value(json!({
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]},
            },
        },
    }))
    .unwrap()
}

/// Runs until the cluster is steady.
fn run(door: &Running) -> Value {
    let state = ask(door, "POST", "/steady/run", "").json();
    assert_eq!(state["steady"], true, "{state}");
    state
}

/// Code, reason and message of a refused request.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> (u16, String, String) {
    match result.unwrap_err() {
        Error::Api(status) => (status.code, status.reason.clone(), status.message.clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn objects_come_and_go() {
    let door = stepped();
    let api = deployments(&door);
    let post = PostParams::default();
    let made = api.create(&post, &web(3)).await.unwrap();
    assert_eq!(made.metadata.generation, Some(1));
    // Nothing happens until a request asks for it.
    assert_eq!(api.get("web").await.unwrap(), made);
    let sets: Api<ReplicaSet> = Api::namespaced(client(&door), "default");
    assert_eq!(sets.list(&ListParams::default()).await.unwrap().items.len(), 0);
    let step = ask(&door, "POST", "/steady/step", "").json();
    assert_eq!((&step["commands"][0]["by"], &step["steps"]), (&"deployment-controller".into(), &1.into()));
    assert_eq!(sets.list(&ListParams::default()).await.unwrap().items.len(), 1);
    run(&door);
    let pods: Api<Pod> = Api::namespaced(client(&door), "default");
    let selected =
        pods.list(&ListParams::default().labels("app=web").fields("status.phase=Running")).await.unwrap();
    assert_eq!(selected.items.len(), 3);
    let part = pods.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!((part.items.len(), part.metadata.remaining_item_count), (2, Some(1)));
    let rest = ListParams::default().limit(2).continue_token(&part.metadata.continue_.unwrap());
    assert_eq!(pods.list(&rest).await.unwrap().items.len(), 1);

    // Foreground: the dependents are deleted first, then the Deployment.
    api.delete("web", &DeleteParams::foreground()).await.unwrap();
    assert!(api.get("web").await.unwrap().metadata.deletion_timestamp.is_some());
    run(&door);
    assert_eq!(api.get_opt("web").await.unwrap(), None);
    assert_eq!(pods.list(&ListParams::default()).await.unwrap().items.len(), 0);

    // Orphan: the dependents stay, and a new Deployment adopts them.
    api.create(&post, &web(1)).await.unwrap();
    run(&door);
    api.delete("web", &DeleteParams::orphan()).await.unwrap();
    run(&door);
    assert_eq!(pods.list(&ListParams::default()).await.unwrap().items.len(), 1);
    let set = sets.list(&ListParams::default()).await.unwrap().items.remove(0);
    assert_eq!(set.metadata.owner_references, None);
    api.create(&post, &web(1)).await.unwrap();
    run(&door);
    assert_eq!(sets.list(&ListParams::default()).await.unwrap().items[0].metadata.uid, set.metadata.uid);
    // Background: the Deployment is deleted at once, its dependents later.
    assert!(api.delete("web", &DeleteParams::background()).await.unwrap().is_right());
    assert_eq!(api.get_opt("web").await.unwrap(), None);
    run(&door);
    assert_eq!(sets.list(&ListParams::default()).await.unwrap().items.len(), 0);
}

#[tokio::test]
async fn every_sort_of_change() {
    let door = stepped();
    let api = deployments(&door);
    api.create(&PostParams::default(), &web(3)).await.unwrap();
    run(&door);
    let params = PatchParams::default();
    let merge = json!({"spec": {"replicas": 5}});
    assert_eq!(
        api.patch("web", &params, &Patch::Merge(merge)).await.unwrap().spec.unwrap().replicas,
        Some(5)
    );
    let strategic =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "nginx:1"}]}}}});
    let patched = api.patch("web", &params, &Patch::Strategic(strategic)).await.unwrap();
    let containers = patched.spec.unwrap().template.spec.unwrap().containers;
    assert_eq!(containers.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["side", "web"]);

    // Server-side apply: a conflict, then by force.
    let mine = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2}});
    let apply = PatchParams::apply("tester");
    let (code, reason, message) = refused(api.patch("web", &apply, &Patch::Apply(&mine)).await);
    assert_eq!((code, reason.as_str()), (409, "Conflict"));
    assert!(message.contains(".spec.replicas"), "{message}");
    let forced = api.patch("web", &apply.clone().force(), &Patch::Apply(&mine)).await.unwrap();
    assert_eq!(forced.spec.as_ref().unwrap().replicas, Some(2));
    let owners = forced.metadata.managed_fields.unwrap();
    assert!(owners.iter().any(|o| o.manager.as_deref() == Some("tester")));

    // Scale and status are subresources.
    assert_eq!(api.get_scale("web").await.unwrap().spec.unwrap().replicas, Some(2));
    let scale = json!({"spec": {"replicas": 4}});
    api.patch_scale("web", &params, &Patch::Merge(scale)).await.unwrap();
    assert_eq!(api.get("web").await.unwrap().spec.unwrap().replicas, Some(4));
    let before = api.get("web").await.unwrap();
    let status = json!({"status": {"observedGeneration": 99}, "spec": {"replicas": 0}});
    let after = api.patch_status("web", &params, &Patch::Merge(status)).await.unwrap();
    assert_eq!(after.status.unwrap().observed_generation, Some(99));
    assert_eq!(after.spec, before.spec);
    run(&door);
    let done = api.get_status("web").await.unwrap().status.unwrap();
    assert_eq!((done.ready_replicas, done.updated_replicas), (Some(4), Some(4)));

    // A dry run, and an update that comes too late.
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let mut now = api.get("web").await.unwrap();
    now.spec.as_mut().unwrap().replicas = Some(1);
    assert_eq!(api.replace("web", &dry, &now).await.unwrap().spec.unwrap().replicas, Some(1));
    assert_eq!(api.get("web").await.unwrap().spec.unwrap().replicas, Some(4));
    let (code, reason, _) = refused(api.replace("web", &PostParams::default(), &before).await);
    assert_eq!((code, reason.as_str()), (409, "Conflict"));
}

#[tokio::test]
async fn refusals_can_be_read() {
    let door = stepped();
    let api = deployments(&door);
    let (code, reason, message) = refused(api.get("web").await);
    assert_eq!(
        (code, reason.as_str(), message.as_str()),
        (404, "NotFound", "deployments.apps \"web\" not found")
    );
    api.create(&PostParams::default(), &web(1)).await.unwrap();
    let (code, reason, _) = refused(api.create(&PostParams::default(), &web(1)).await);
    assert_eq!((code, reason.as_str()), (409, "AlreadyExists"));
    let mut wrong = web(-1);
    wrong.metadata.name = Some("Wrong".into());
    match api.create(&PostParams::default(), &wrong).await.unwrap_err() {
        Error::Api(status) => {
            assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
            let fields: Vec<_> = status.details.unwrap().causes.into_iter().map(|c| c.field).collect();
            assert_eq!(fields, ["metadata.name", "spec.replicas"]);
        }
        other => panic!("{other:?}"),
    }
    let elsewhere: Api<ConfigMap> = Api::namespaced(client(&door), "nowhere");
    let map = ConfigMap { metadata: web(1).metadata, ..ConfigMap::default() };
    assert_eq!(refused(elsewhere.create(&PostParams::default(), &map).await).0, 404);
    let unknown = Patch::Merge(json!({"spec": {"replica": 1}}));
    let strict = PatchParams {
        field_validation: Some(kube::api::ValidationDirective::Strict),
        ..PatchParams::default()
    };
    assert_eq!(refused(api.patch("web", &strict, &unknown).await).0, 422);
}

#[tokio::test]
async fn a_watch_sees_what_happens() {
    let door = stepped();
    let api = deployments(&door);
    let from = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let mut watch = api.watch(&WatchParams::default().timeout(200), &from).await.unwrap().boxed();
    api.create(&PostParams::default(), &web(2)).await.unwrap();
    run(&door);
    let mut ready = Vec::new();
    while ready.last() != Some(&2) {
        match watch.try_next().await.unwrap().unwrap() {
            WatchEvent::Added(d) => assert_eq!((ready.len(), d.status.unwrap().replicas), (0, None)),
            WatchEvent::Modified(d) => ready.push(d.status.unwrap().ready_replicas.unwrap_or(0)),
            other => panic!("{other:?}"),
        }
    }
    assert!(ready.is_sorted(), "{ready:?}");
    ask(&door, "POST", "/steady/advance?seconds=61", "");
    let WatchEvent::Bookmark(mark) = watch.try_next().await.unwrap().unwrap() else { panic!("no bookmark") };
    api.delete("web", &DeleteParams::default()).await.unwrap();
    assert!(matches!(watch.try_next().await.unwrap(), Some(WatchEvent::Deleted(_))));
    // Another watch continues from the bookmark.
    let again =
        api.watch(&WatchParams::default().timeout(200), &mark.metadata.resource_version).await.unwrap();
    assert!(matches!(again.boxed().try_next().await.unwrap(), Some(WatchEvent::Deleted(_))));
    // The watch's time is over: the stream ends without an error.
    ask(&door, "POST", "/steady/advance?seconds=200", "");
    while let Some(event) = watch.try_next().await.unwrap() {
        assert!(matches!(event, WatchEvent::Bookmark(_)), "{event:?}");
    }
}

#[tokio::test]
async fn the_same_requests_come_to_the_same_cluster() {
    let mut digests = Vec::new();
    for _ in 0..2 {
        let door = stepped();
        let api = deployments(&door);
        api.create(&PostParams::default(), &web(3)).await.unwrap();
        run(&door);
        api.patch("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 1}})))
            .await
            .unwrap();
        run(&door);
        digests.push(ask(&door, "GET", "/steady/digest", "").text());
    }
    assert_eq!(digests[0], digests[1]);
}

#[tokio::test]
async fn time_follows_the_clock() {
    let options = Options { time: Time::Clock, ..Options::default() };
    let door = Running::start(options, || steady::cluster::Cluster::new(&steady::cluster::Config::nodes(2)))
        .unwrap();
    let api = deployments(&door);
    api.create(&PostParams::default(), &web(2)).await.unwrap();
    let mut watch = api.watch(&WatchParams::default(), "0").await.unwrap().boxed();
    // Containers need some seconds to start.
    loop {
        if let WatchEvent::Added(d) | WatchEvent::Modified(d) = watch.try_next().await.unwrap().unwrap()
            && d.status.unwrap().ready_replicas == Some(2)
        {
            break;
        }
    }
    api.patch("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 1}}))).await.unwrap();
    loop {
        if let WatchEvent::Modified(d) = watch.try_next().await.unwrap().unwrap()
            && d.status.unwrap().replicas == Some(1)
        {
            break;
        }
    }
}
