//! An operator as people write it with kube-rs: a custom resource by `derive`, a controller with a finalizer, children,
//! a status by server-side apply, events, reflectors and discovery.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, EvictParams, GroupVersionKind, ListParams, Patch,
    PatchParams, PostParams,
};
use kube::core::PartialObjectMeta;
use kube::discovery::{Discovery, Scope, verbs};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event as Note, EventType, Recorder};
use kube::runtime::finalizer::{Event as Finalize, finalizer};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::wait::{Condition, await_condition, conditions};
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{
    Client, Config, CustomResource, CustomResourceExt as _, Error, KubeSchema, Resource as _,
    ResourceExt as _,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use steady_door::{Options, Running, Time};

const GROUP: &str = "shop.example.com";
const FINALIZER: &str = "shop.example.com/cleanup";
const SHOP: &str = "main";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[kube(
    group = "shop.example.com",
    version = "v1",
    kind = "Shop",
    namespaced,
    status = "ShopStatus",
    shortname = "sh",
    category = "retail",
    selectable = ".spec.owner",
    derive = "PartialEq",
    scale(
        spec_replicas_path = ".spec.counters",
        status_replicas_path = ".status.open",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Open", type_ = "integer", json_path = ".status.open"),
    validation = Rule::new("self.metadata.name.size() < 20").message("the name of a shop is short")
)]
#[x_kube(validation = Rule::new("self.counters <= 5 || self.large").message("only a large shop has more than 5 counters"))]
#[serde(rename_all = "camelCase")]
pub struct ShopSpec {
    #[schemars(range(min = 0, max = 20))]
    counters: i32,
    #[serde(default)]
    large: bool,
    #[x_kube(validation = Rule::new("self == oldSelf").message("a shop is not sold"))]
    owner: String,
    #[serde(default = "colours")]
    colours: Vec<String>,
}

fn colours() -> Vec<String> {
    vec!["green".into()]
}

#[derive(Serialize, Deserialize, schemars::JsonSchema, Clone, Debug, Default, PartialEq)]
pub struct ShopStatus {
    open: i32,
    selector: String,
}

fn shop(counters: i32) -> Shop {
    Shop::new(SHOP, ShopSpec { counters, large: false, owner: "ada".into(), colours: colours() })
}

fn door() -> Running {
    let options = Options { time: Time::Clock, ..Options::default() };
    Running::start(options, || steady::cluster::Cluster::new(&steady::cluster::Config::nodes(2))).unwrap()
}

/// A client, after the definition of shops is established.
async fn client(door: &Running) -> Client {
    let client = Client::try_from(Config::new(door.url().parse().unwrap())).unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let apply = PatchParams::apply("operator");
    definitions.patch(Shop::crd_name(), &apply, &Patch::Apply(Shop::crd())).await.unwrap();
    patiently(await_condition(definitions, Shop::crd_name(), conditions::is_crd_established()))
        .await
        .unwrap();
    client
}

/// No condition here takes this long; without it a test that fails would hang.
const PATIENCE: Duration = Duration::from_secs(60);

async fn patiently<T>(wait: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, wait).await.unwrap()
}

/// Waits until `condition` holds of the object `name`.
async fn until<K>(api: Api<K>, name: &str, condition: impl Condition<K>) -> Option<K>
where
    K: kube::Resource + Clone + std::fmt::Debug + Send + serde::de::DeserializeOwned + 'static,
{
    let wait = await_condition(api.clone(), name, condition);
    match tokio::time::timeout(PATIENCE, wait).await {
        Ok(found) => found.unwrap(),
        Err(_) => panic!("still {:#?}", api.get_opt(name).await),
    }
}

struct Operator {
    client: Client,
    recorder: Recorder,
    syncs: AtomicUsize,
    cleanups: AtomicUsize,
}

type SyncError = kube::runtime::finalizer::Error<Error>;

fn children(shop: &Shop) -> (ConfigMap, Deployment) {
    let owner = shop.controller_owner_ref(&()).unwrap();
    let meta = json!({"name": shop.name_any(), "ownerReferences": [owner]});
    let labels = json!({"shop": shop.name_any()});
    let map = json!({"metadata": meta, "data": {"colours": shop.spec.colours.join(",")}});
    let deployment = json!({
        "metadata": meta,
        "spec": {
            "replicas": shop.spec.counters,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "counter", "image": "nginx:1.27"}]},
            },
        },
    });
    (serde_json::from_value(map).unwrap(), serde_json::from_value(deployment).unwrap())
}

async fn sync(shop: Arc<Shop>, operator: Arc<Operator>) -> Result<Action, SyncError> {
    let namespace = shop.namespace().unwrap();
    let shops: Api<Shop> = Api::namespaced(operator.client.clone(), &namespace);
    finalizer(&shops, FINALIZER, shop, |event| async {
        match event {
            Finalize::Apply(shop) => apply(&shop, &operator, &namespace).await,
            Finalize::Cleanup(shop) => {
                operator.cleanups.fetch_add(1, Ordering::SeqCst);
                tell(&operator, &shop, "Closed").await?;
                Ok(Action::await_change())
            }
        }
    })
    .await
}

async fn tell(operator: &Operator, shop: &Shop, reason: &str) -> Result<(), Error> {
    let note = Note {
        type_: EventType::Normal,
        reason: reason.into(),
        note: Some(format!("{} counters", shop.spec.counters)),
        action: "Sync".into(),
        secondary: None,
    };
    operator.recorder.publish(&note, &shop.object_ref(&())).await
}

async fn apply(shop: &Shop, operator: &Operator, namespace: &str) -> Result<Action, Error> {
    operator.syncs.fetch_add(1, Ordering::SeqCst);
    let (map, deployment) = children(shop);
    let name = shop.name_any();
    let params = PatchParams::apply("operator").force();
    Api::<ConfigMap>::namespaced(operator.client.clone(), namespace)
        .patch(&name, &params, &Patch::Apply(with_type::<ConfigMap>(&map)))
        .await?;
    let deployment = Api::<Deployment>::namespaced(operator.client.clone(), namespace)
        .patch(&name, &params, &Patch::Apply(with_type::<Deployment>(&deployment)))
        .await?;
    let open = deployment.status.and_then(|s| s.ready_replicas).unwrap_or(0);
    let status = json!({
        "apiVersion": Shop::api_version(&()),
        "kind": Shop::kind(&()),
        "status": {"open": open, "selector": format!("shop={name}")},
    });
    Api::<Shop>::namespaced(operator.client.clone(), namespace)
        .patch_status(&name, &params, &Patch::Apply(status))
        .await?;
    tell(operator, shop, "Synced").await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

/// An object with the type that a server-side apply needs.
fn with_type<K: kube::Resource<DynamicType = ()> + Serialize>(object: &K) -> Value {
    let mut value = serde_json::to_value(object).unwrap();
    value["apiVersion"] = K::api_version(&()).into();
    value["kind"] = K::kind(&()).into();
    value
}

fn retry(_: Arc<Shop>, error: &SyncError, _: Arc<Operator>) -> Action {
    // A test that fails shows this.
    eprintln!("{error}: {:?}", std::error::Error::source(error));
    Action::requeue(Duration::from_millis(200))
}

fn start(client: &Client) -> (Arc<Operator>, tokio::task::JoinHandle<Vec<String>>) {
    let operator = Arc::new(Operator {
        client: client.clone(),
        recorder: Recorder::new(client.clone(), "shop-operator".into()),
        syncs: AtomicUsize::new(0),
        cleanups: AtomicUsize::new(0),
    });
    // Only what fails is kept.
    let run = Controller::new(Api::<Shop>::all(client.clone()), watcher::Config::default().streaming_lists())
        .owns(Api::<Deployment>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .run(sync, retry, operator.clone())
        .filter_map(|result| async { result.err().map(|e| e.to_string()) })
        .collect::<Vec<String>>();
    (operator, tokio::spawn(run))
}

#[tokio::test]
async fn an_operator_keeps_its_children() {
    let door = door();
    let client = client(&door).await;
    let (operator, run) = start(&client);
    let shops: Api<Shop> = Api::default_namespaced(client.clone());
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let made = shops.create(&PostParams::default(), &shop(2)).await.unwrap();
    let open =
        |n: i32| move |s: Option<&Shop>| s.and_then(|s| s.status.as_ref()).is_some_and(|s| s.open == n);
    let now = until(shops.clone(), SHOP, open(2)).await.unwrap();
    assert_eq!(now.finalizers(), [FINALIZER]);
    assert_eq!((now.metadata.generation, &now.spec), (Some(1), &made.spec));
    let owners = now.managed_fields();
    let status = owners.iter().find(|o| o.subresource.as_deref() == Some("status")).unwrap();
    assert_eq!((status.manager.as_deref(), status.operation.as_deref()), (Some("operator"), Some("Apply")));

    // A child that somebody changes, or deletes, is put back.
    let strange = json!({"data": {"colours": "red"}});
    maps.patch(SHOP, &PatchParams::default(), &Patch::Merge(strange)).await.unwrap();
    let green = |m: Option<&ConfigMap>| {
        m.and_then(|m| m.data.as_ref()).is_some_and(|d| d.get("colours").map(String::as_str) == Some("green"))
    };
    until(maps.clone(), SHOP, green).await;
    let old = deployments.get(SHOP).await.unwrap().uid().unwrap();
    deployments.delete(SHOP, &DeleteParams::background()).await.unwrap();
    let another = |d: Option<&Deployment>| d.is_some_and(|d| d.uid().as_deref() != Some(old.as_str()));
    until(deployments.clone(), SHOP, another).await;

    // The scale subresource changes the spec, and the operator follows.
    let scale = json!({"spec": {"replicas": 4}});
    let scaled = shops.patch_scale(SHOP, &PatchParams::default(), &Patch::Merge(scale)).await.unwrap();
    assert_eq!(scaled.spec.unwrap().replicas, Some(4));
    assert_eq!(scaled.status.unwrap().selector.as_deref(), Some("shop=main"));
    until(shops.clone(), SHOP, open(4)).await;

    // Its events are counted in a series, in both versions of the API.
    let events: Api<Event> = Api::default_namespaced(client.clone());
    let about = ListParams::default().fields("regarding.kind=Shop,regarding.name=main");
    let told = events.list(&about).await.unwrap().items;
    assert!(told.iter().any(|e| e.note.as_deref() == Some("2 counters") && e.series.is_some()), "{told:?}");
    let core: Api<k8s_openapi::api::core::v1::Event> = Api::default_namespaced(client.clone());
    let about = ListParams::default().fields("involvedObject.kind=Shop,reason=Synced");
    let old_form = core.list(&about).await.unwrap().items;
    assert!(
        !old_form.is_empty()
            && old_form.iter().all(|e| e.reporting_component.as_deref() == Some("shop-operator"))
    );

    // The finalizer holds the shop until the operator has cleaned up; then its children go.
    let uid = shops.get(SHOP).await.unwrap().uid().unwrap();
    shops.delete(SHOP, &DeleteParams::default()).await.unwrap();
    until(shops.clone(), SHOP, conditions::is_deleted(&uid)).await;
    assert_eq!(operator.cleanups.load(Ordering::SeqCst), 1);
    until(deployments.clone(), SHOP, |d: Option<&Deployment>| d.is_none()).await;
    until(maps.clone(), SHOP, |m: Option<&ConfigMap>| m.is_none()).await;
    assert!(!run.is_finished());
    run.abort();
    assert!(operator.syncs.load(Ordering::SeqCst) >= 4);
}

/// Code and message of a refused request.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> (u16, String) {
    match result.unwrap_err() {
        Error::Api(status) => (status.code, status.message.clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rules_of_a_derived_definition_hold() {
    let door = door();
    let client = client(&door).await;
    let shops: Api<Shop> = Api::default_namespaced(client.clone());
    let post = PostParams::default();
    let mut many = shop(21);
    many.spec.large = true;
    let invalid = |fields: &str| format!("Shop.shop.example.com \"main\" is invalid: {fields}");
    assert_eq!(
        refused(shops.create(&post, &many).await),
        (
            422,
            invalid(
                "spec.counters: Invalid value: 21: spec.counters in body should be less than or equal to 20"
            )
        )
    );
    assert_eq!(
        refused(shops.create(&post, &shop(6)).await),
        (422, invalid("spec: Invalid value: only a large shop has more than 5 counters"))
    );
    let mut long = shop(1);
    long.metadata.name = Some("a-shop-with-a-long-name".into());
    assert!(refused(shops.create(&post, &long).await).1.contains("the name of a shop is short"));
    // What the schema has a default for can be left out.
    let gvk = GroupVersionKind::gvk(GROUP, "v1", "Shop");
    let (resource, capabilities) = kube::discovery::pinned_kind(&client, &gvk).await.unwrap();
    assert_eq!((capabilities.scope.clone(), resource.plural.as_str()), (Scope::Namespaced, "shops"));
    assert!(capabilities.supports_operation(verbs::WATCH));
    let mut parts: Vec<_> = capabilities.subresources.iter().map(|(r, _)| r.plural.clone()).collect();
    parts.sort();
    assert_eq!(parts, ["scale", "status"]);
    let dynamic: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let little = DynamicObject::new(SHOP, &resource).data(json!({"spec": {"counters": 1, "owner": "ada"}}));
    let made = dynamic.create(&post, &little).await.unwrap();
    assert_eq!(
        made.data["spec"],
        json!({"colours": ["green"], "counters": 1, "large": false, "owner": "ada"})
    );
    let sold = json!({"spec": {"owner": "bob"}});
    assert_eq!(
        refused(shops.patch(SHOP, &PatchParams::default(), &Patch::Merge(sold)).await),
        (422, invalid("spec.owner: Invalid value: \"bob\": a shop is not sold"))
    );
    // A field that the definition names can select.
    let by_owner = |owner: &str| ListParams::default().fields(&format!("spec.owner={owner}"));
    assert_eq!(shops.list(&by_owner("ada")).await.unwrap().items.len(), 1);
    assert_eq!(shops.list(&by_owner("bob")).await.unwrap().items.len(), 0);
    // An entry is changed and written back.
    let mut entry = shops.entry(SHOP).await.unwrap().or_insert(|| shop(3));
    entry.get_mut().spec.counters = 5;
    entry.commit(&post).await.unwrap();
    assert_eq!(shops.get(SHOP).await.unwrap().spec.counters, 5);

    let discovery = Discovery::new(client.clone()).run().await.unwrap();
    let group = discovery.get(GROUP).unwrap();
    assert_eq!(group.preferred_version(), Some("v1"));
    assert!(group.recommended_kind("Shop").is_some());
    let served: Vec<ApiResource> =
        discovery.groups().flat_map(|g| g.recommended_resources()).map(|r| r.0).collect();
    // Whatever discovery says can be listed, can be listed as objects.
    for resource in &served {
        let (_, able) = discovery
            .resolve_gvk(&GroupVersionKind::gvk(&resource.group, &resource.version, &resource.kind))
            .unwrap();
        if able.supports_operation(verbs::LIST) {
            let all: Api<DynamicObject> = Api::all_with(client.clone(), resource);
            all.list(&ListParams::default()).await.unwrap_or_else(|e| panic!("{}: {e}", resource.plural));
        }
    }
}

#[tokio::test]
async fn reflectors_keep_up() {
    let door = door();
    let client = client(&door).await;
    let shops: Api<Shop> = Api::default_namespaced(client.clone());
    shops.create(&PostParams::default(), &shop(1)).await.unwrap();
    let (reader, writer) = reflector::store();
    let streamed = watcher(shops.clone(), watcher::Config::default().streaming_lists());
    let mut changes = Box::pin(reflector::reflector(writer, streamed).default_backoff().applied_objects());
    assert_eq!(patiently(changes.try_next()).await.unwrap().unwrap().spec.counters, 1);
    patiently(async {
        let mut waiting = std::pin::pin!(reader.wait_until_ready());
        tokio::select! {
            ready = &mut waiting => ready.unwrap(),
            _ = async { while changes.try_next().await.unwrap().is_some() {} } => {}
        }
    })
    .await;
    let more = json!({"spec": {"counters": 3}});
    shops.patch(SHOP, &PatchParams::default(), &Patch::Merge(more)).await.unwrap();
    assert_eq!(patiently(changes.try_next()).await.unwrap().unwrap().spec.counters, 3);
    let key = ObjectRef::new(SHOP).within("default");
    assert_eq!(reader.get(&key).unwrap().spec.counters, 3);

    // Metadata alone, in pages.
    let parts: Api<PartialObjectMeta<Shop>> = Api::default_namespaced(client.clone());
    let metadata = watcher(parts, watcher::Config::default().page_size(1));
    let mut metadata = Box::pin(metadata.applied_objects());
    let part = patiently(metadata.try_next()).await.unwrap().unwrap();
    assert_eq!((part.metadata.name.as_deref(), part.metadata.generation), (Some(SHOP), Some(2)));

    // The definition goes, and with it every shop.
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let uid = definitions.get(Shop::crd_name()).await.unwrap().uid().unwrap();
    definitions.delete(Shop::crd_name(), &DeleteParams::default()).await.unwrap();
    until(definitions, Shop::crd_name(), conditions::is_deleted(&uid)).await;
    assert_eq!(refused(shops.list(&ListParams::default()).await).0, 404);
}

#[tokio::test]
async fn a_budget_refuses_an_eviction() {
    let door = door();
    let client = client(&door).await;
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let mut owner = shop(1);
    owner.metadata.uid = Some("0".into());
    let (_, mut deployment) = children(&owner);
    deployment.metadata.owner_references = None;
    deployments.create(&PostParams::default(), &deployment).await.unwrap();
    until(deployments, SHOP, conditions::is_deployment_completed()).await;
    let budgets: Api<k8s_openapi::api::policy::v1::PodDisruptionBudget> =
        Api::default_namespaced(client.clone());
    let budget = json!({"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"shop": SHOP}}}});
    budgets.create(&PostParams::default(), &serde_json::from_value(budget).unwrap()).await.unwrap();
    until(budgets, "b", |b: Option<&k8s_openapi::api::policy::v1::PodDisruptionBudget>| {
        b.and_then(|b| b.status.as_ref()).is_some_and(|s| s.current_healthy == Some(1))
    })
    .await;
    // By default kube-rs repeats what is refused with 429, for minutes.
    let mut config = Config::new(door.url().parse().unwrap());
    config.default_retry = false;
    let pods: Api<Pod> = Api::default_namespaced(Client::try_from(config).unwrap());
    let pod = pods.list(&ListParams::default()).await.unwrap().items.remove(0).name_any();
    assert_eq!(
        refused(pods.evict(&pod, &EvictParams::default()).await),
        (429, "Cannot evict pod as it would violate the pod's disruption budget.".into())
    );
}
