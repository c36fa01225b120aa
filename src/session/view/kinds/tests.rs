#![allow(clippy::unwrap_used)]
use super::*;
use crate::api::ObjectRef;
use crate::cluster::Fault;
use crate::session::view::card::Standing;
use crate::session::view::events::Condition;
use crate::session::view::graph::Drawing;
use crate::session::view::{Declared, declared};
use crate::session::{Depth, Session, Start};

/// What the page says of a session's cluster.
fn now(session: &Session) -> (Drawing, Declared) {
    let boot = session.cluster_at(0).unwrap();
    let mut drawing = Drawing::default();
    drawing.draw(session.cluster(), &boot);
    let said = declared(session.cluster(), &drawing);
    (drawing, said)
}

/// What is wrong with an object.
fn ails(session: &Session, kind: Kind, name: &str) -> Option<Ails> {
    let said = now(session).1.ailing;
    said.into_iter().find(|a| a.object.kind == kind && &*a.object.key.name == name).map(|a| a.ails)
}

/// The type, status and reason of the condition that says what is wrong with an object.
fn condition(session: &Session, kind: Kind, name: &str) -> Option<(String, String, String)> {
    match ails(session, kind, name)? {
        Ails::Condition(Condition { type_, status, reason, .. }) => Some((type_, status, reason)),
        _ => None,
    }
}

fn standing(session: &Session, kind: Kind, name: &str) -> Option<(bool, String)> {
    let (drawing, _) = now(session);
    let namespace = if kind.namespaced() { "default" } else { "" };
    let node = drawing.graph().find(&ObjectRef::new(kind, namespace, name)).unwrap();
    match &drawing.graph().node(node).unwrap().card {
        Card::Resource(standing) => standing.clone().map(|Standing { good, word }| (good, word)),
        _ => None,
    }
}

/// The kinds and names of the objects to which lines lead from an object.
fn lines_from(session: &Session, kind: Kind, name: &str) -> Vec<String> {
    let (drawing, _) = now(session);
    let graph = drawing.graph();
    let namespace = if kind.namespaced() { "default" } else { "" };
    let from = graph.find(&ObjectRef::new(kind, namespace, name)).unwrap();
    let to = graph.edges.iter().filter(|e| e.from == from).filter_map(|e| graph.node(e.to));
    to.map(|n| format!("{} {}", n.reference.kind.as_str(), n.reference.key.name)).collect()
}

fn run(session: &mut Session) {
    while session.step(Depth::Command, None) {}
}

fn do_all(session: &mut Session, lines: &[&str]) {
    for line in lines {
        let out = session.kubectl(line, &[]);
        assert_eq!(out.exit, 0, "{line}: {}", out.stderr);
    }
    run(session);
}

#[test]
fn every_kind_can_be_deleted_but_nodes() {
    let session = Session::new(Start::default());
    for kind in Kind::BUILT_IN {
        let view = of(*kind);
        let value = serde_json::json!({"metadata": {"name": "x"}, "spec": {}});
        // Some kinds want more fields; their tests are elsewhere.
        let Ok(object) = Object::from_value(*kind, value) else { continue };
        let deletes = view.offers(session.cluster(), &object).iter().any(|o| o.key == "act-delete");
        assert_eq!(deletes, *kind != Kind::NODE, "{}", kind.as_str());
    }
}

#[test]
fn a_keeper_is_a_component() {
    let session = Session::new(Start::default());
    let cluster = session.cluster();
    let names: Vec<_> = cluster.actors().filter_map(|actor| cluster.actor_name(actor)).collect();
    for kind in Kind::BUILT_IN {
        let keeper = of(*kind).about().keeper;
        assert!(keeper.is_empty() || names.iter().any(|n| **n == *keeper), "{}: {keeper}", kind.as_str());
    }
}

#[test]
fn a_service_without_endpoints_says_so() {
    let mut session = Session::new(Start::default());
    do_all(&mut session, &["create deployment web --image=nginx", "expose deployment web --port=80"]);
    assert_eq!(ails(&session, Kind::SERVICE, "web"), None);
    do_all(&mut session, &["scale deployment web --replicas=0"]);
    assert_eq!(ails(&session, Kind::SERVICE, "web"), Some(Ails::NoEndpoints));
    // The EndpointSlice controller leaves out a named port that a pod does not have (`podutil.FindPort`).
    do_all(
        &mut session,
        &[
            "scale deployment web --replicas=1",
            "patch service web --type=json -p '[{\"op\":\"replace\",\"path\":\"/spec/ports/0/targetPort\",\"value\":\"http\"}]'",
        ],
    );
    assert_eq!(ails(&session, Kind::SERVICE, "web"), Some(Ails::NoSuchTargetPort("http".to_owned())));
    let named = r#"[{"op":"add","path":"/spec/template/spec/containers/0/ports","value":[{"name":"http","containerPort":80}]}]"#;
    do_all(&mut session, &[&format!("patch deployment web --type=json -p '{named}'")]);
    assert_eq!(ails(&session, Kind::SERVICE, "web"), None);
    // A name for another host has no endpoints.
    do_all(&mut session, &["create service externalname far --external-name=example.com"]);
    assert_eq!(ails(&session, Kind::SERVICE, "far"), None);
}

#[test]
fn an_ingress_names_the_service_that_is_not_there() {
    let mut session = Session::new(Start::default());
    do_all(
        &mut session,
        &[
            "create service externalname there --external-name=example.com",
            "create ingress in --class=c --rule=a.example.com/=there:80 --rule=a.example.com/gone=gone:80",
        ],
    );
    let gone = ObjectRef::new(Kind::SERVICE, "default", "gone");
    assert_eq!(ails(&session, Kind::INGRESS, "in"), Some(Ails::Missing(gone)));
    assert_eq!(lines_from(&session, Kind::INGRESS, "in"), ["Service there"]);
    do_all(&mut session, &["create service externalname gone --external-name=example.com"]);
    assert_eq!(ails(&session, Kind::INGRESS, "in"), None);
    session.fault(&Fault::IngressNginx { installed: true }).unwrap();
    do_all(&mut session, &["create ingress on --class=nginx --rule=a.example.com/=there:80"]);
    while session.step(Depth::Command, None) {}
    assert_eq!(ails(&session, Kind::INGRESS, "on"), None);
    assert_eq!(ails(&session, Kind::INGRESS, "in"), Some(Ails::NotServed));
}

#[test]
fn a_network_policy_draws_lines_to_its_pods() {
    let mut session = Session::new(Start::default());
    let policy = |name: &str, selector: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: {name}}}\nspec: {{podSelector: {selector}}}\n"
        )
    };
    do_all(&mut session, &["run a --image=nginx -l app=a", "run b --image=nginx -l app=b"]);
    assert_eq!(session.apply(&policy("one", "{matchLabels: {app: a}}")).exit, 0);
    assert_eq!(session.apply(&policy("all", "{}")).exit, 0);
    assert_eq!(lines_from(&session, Kind::NETWORK_POLICY, "one"), ["Pod a"]);
    assert!(lines_from(&session, Kind::NETWORK_POLICY, "all").is_empty());
}

#[test]
fn a_binding_draws_lines_to_its_role_and_accounts() {
    let mut session = Session::new(Start::default());
    do_all(
        &mut session,
        &[
            "create serviceaccount robot",
            "create role reader --verb=get --resource=pods",
            "create clusterrole viewer --verb=get --resource=pods",
            "create rolebinding reads --role=reader --serviceaccount=default:robot --serviceaccount=other:robot",
            "create clusterrolebinding views --clusterrole=viewer --serviceaccount=default:robot",
        ],
    );
    let mut lines = lines_from(&session, Kind::ROLE_BINDING, "reads");
    lines.sort();
    assert_eq!(lines, ["Role reader", "ServiceAccount robot"]);
    let mut lines = lines_from(&session, Kind::CLUSTER_ROLE_BINDING, "views");
    lines.sort();
    assert_eq!(lines, ["ClusterRole viewer", "ServiceAccount robot"]);
}

#[test]
fn a_budget_says_whether_it_allows_a_disruption() {
    let mut session = Session::new(Start::default());
    do_all(
        &mut session,
        &[
            "create deployment web --image=nginx --replicas=2",
            "create poddisruptionbudget web --selector=app=web --min-available=1",
        ],
    );
    let of = |s: &Session| standing(s, Kind::POD_DISRUPTION_BUDGET, "web").unwrap();
    assert_eq!(of(&session), (true, "DisruptionAllowed".into()));
    // As many as are asked for: nothing may be disrupted, and nothing is wrong.
    do_all(&mut session, &["scale deployment web --replicas=1"]);
    assert_eq!(of(&session), (false, "DisruptionAllowed: False".into()));
    assert_eq!(ails(&session, Kind::POD_DISRUPTION_BUDGET, "web"), None);
    // Fewer than are asked for.
    let patch = r#"patch pdb web --type=merge -p '{"spec":{"minAvailable":2}}'"#;
    do_all(&mut session, &[patch]);
    let (type_, status, reason) = condition(&session, Kind::POD_DISRUPTION_BUDGET, "web").unwrap();
    assert_eq!([&*type_, &*status, &*reason], ["DisruptionAllowed", "False", "InsufficientPods"]);
    assert_eq!(lines_from(&session, Kind::POD_DISRUPTION_BUDGET, "web").len(), 1);
}

#[test]
fn a_quota_says_what_is_used_up_and_what_is_overdrawn() {
    let mut session = Session::new(Start::default());
    do_all(&mut session, &["create quota small --hard=pods=2,services=5", "run a --image=nginx"]);
    let of = |s: &Session| standing(s, Kind::RESOURCE_QUOTA, "small").unwrap();
    assert_eq!(of(&session), (true, "pods 1/2".into()));
    do_all(&mut session, &["run b --image=nginx"]);
    assert_eq!(of(&session), (false, "pods 2/2".into()));
    assert_eq!(ails(&session, Kind::RESOURCE_QUOTA, "small"), None);
    do_all(&mut session, &[r#"patch quota small --type=merge -p '{"spec":{"hard":{"pods":"1"}}}'"#]);
    let over = Ails::OverQuota { resource: "pods".into(), used: "2".into(), hard: "1".into() };
    assert_eq!(ails(&session, Kind::RESOURCE_QUOTA, "small"), Some(over));
}

#[test]
fn a_workload_that_a_quota_refuses_says_why() {
    let mut session = Session::new(Start::default());
    do_all(&mut session, &["create quota none --hard=pods=0"]);
    let labels = "{app: x}";
    let template =
        format!("{{metadata: {{labels: {labels}}}, spec: {{containers: [{{name: c, image: nginx}}]}}}}");
    let set = format!(
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: rs}}\nspec: {{replicas: 1, selector: {{matchLabels: {labels}}}, template: {template}}}\n"
    );
    let old = format!(
        "apiVersion: v1\nkind: ReplicationController\nmetadata: {{name: rc}}\nspec: {{replicas: 1, selector: {labels}, template: {template}}}\n"
    );
    assert_eq!(session.apply(&format!("{set}---\n{old}")).exit, 0);
    for _ in 0..60 {
        session.step(Depth::Command, None);
    }
    let short = now(&session).1.short;
    let mut said: Vec<_> = short.iter().map(|s| (&*s.object.key.name, s.reason.as_str())).collect();
    said.sort_unstable();
    assert_eq!(said, [("rc", "FailedCreate"), ("rs", "FailedCreate")]);
}

/// As `kubectl get` has it: the phase of a claim that is being deleted is still `Bound`, and what is shown is `Terminating`.
#[test]
fn a_claim_that_is_being_deleted_says_so() {
    let mut session = Session::new(Start { nodes: 1, ..Start::default() });
    let made = "apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: user}
spec:
  containers: [{name: c, image: busybox, command: [sleep, infinity], volumeMounts: [{name: d, mountPath: /d}]}]
  volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]
";
    assert_eq!(session.apply(made).exit, 0);
    run(&mut session);
    let claim = Kind::PERSISTENT_VOLUME_CLAIM;
    assert_eq!(standing(&session, claim, "data"), Some((true, "Bound".to_owned())));
    do_all(&mut session, &["delete pvc data --wait=false"]);
    run(&mut session);
    assert_eq!(standing(&session, claim, "data"), Some((false, "Terminating".to_owned())));
}

#[test]
fn a_claim_that_is_not_bound_says_its_phase() {
    let mut session = Session::new(Start::default());
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], \
                 storageClassName: none, resources: {requests: {storage: 1Gi}}}\n";
    assert_eq!(session.apply(claim).exit, 0);
    run(&mut session);
    let pending = Ails::Phase { phase: "Pending".into(), reason: String::new(), message: String::new() };
    assert_eq!(ails(&session, Kind::PERSISTENT_VOLUME_CLAIM, "data"), Some(pending));
    // The default class waits for a pod, as is meant.
    let waiting = claim.replace("storageClassName: none, ", "").replace("name: data", "name: later");
    assert_eq!(session.apply(&waiting).exit, 0);
    run(&mut session);
    assert_eq!(ails(&session, Kind::PERSISTENT_VOLUME_CLAIM, "later"), None);
}

#[test]
fn a_volume_that_could_not_be_deleted_says_why() {
    let session = Session::new(Start::default());
    let value = serde_json::json!({
        "metadata": {"name": "v"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/d"}},
        "status": {"phase": "Failed", "message": "no such plug-in", "reason": "NoPlugin"},
    });
    let volume = Object::from_value(Kind::PERSISTENT_VOLUME, value).unwrap();
    let failed =
        Ails::Phase { phase: "Failed".into(), reason: "NoPlugin".into(), message: "no such plug-in".into() };
    assert_eq!(of(Kind::PERSISTENT_VOLUME).ails(session.cluster(), &volume), Some(failed));
}

#[test]
fn a_node_that_is_not_heard_of_says_so() {
    let mut session = Session::new(Start::default());
    assert!(now(&session).1.ailing.is_empty());
    session.fault(&crate::cluster::Fault::NodeDown { node: "node-2".into() }).unwrap();
    session.kubectl("create deployment web --image=nginx --replicas=3", &[]);
    run(&mut session);
    let (type_, status, _) = condition(&session, Kind::NODE, "node-2").unwrap();
    assert_eq!((type_.as_str(), status.as_str()), ("Ready", "Unknown"));
}

#[test]
fn a_namespace_that_cannot_go_says_what_is_left() {
    let mut session = Session::new(Start::default());
    let lines = [
        "create namespace old",
        "create configmap kept -n old",
        r#"patch configmap kept -n old --type=merge -p '{"metadata":{"finalizers":["example.com/keep"]}}'"#,
        "delete namespace old --wait=false",
    ];
    do_all(&mut session, &lines);
    let (type_, status, _) = condition(&session, Kind::NAMESPACE, "old").unwrap();
    assert_eq!(status, "True");
    assert!(
        ["NamespaceContentRemaining", "NamespaceFinalizersRemaining"].contains(&type_.as_str()),
        "{type_}"
    );
}

#[test]
fn a_request_for_a_certificate_says_what_was_decided() {
    let session = Session::new(Start::default());
    let request = |conditions: serde_json::Value| {
        let value = serde_json::json!({
            "metadata": {"name": "me"},
            "spec": {"request": "", "signerName": "example.com/signer"},
            "status": {"conditions": conditions},
        });
        Object::from_value(Kind::CERTIFICATE_SIGNING_REQUEST, value).unwrap()
    };
    let view = of(Kind::CERTIFICATE_SIGNING_REQUEST);
    let card = |word: &str| Card::Resource(Some(Standing { good: false, word: word.into() }));
    assert_eq!(view.card(&request(serde_json::json!([]))), card("Pending"));
    let denied =
        request(serde_json::json!([{"type": "Denied", "status": "True", "reason": "No", "message": "why"}]));
    assert_eq!(view.card(&denied), card("Denied"));
    let Some(Ails::Condition(c)) = view.ails(session.cluster(), &denied) else { panic!() };
    assert_eq!((c.type_.as_str(), c.reason.as_str(), c.message.as_str()), ("Denied", "No", "why"));
}

#[test]
fn a_range_of_services_says_whether_its_addresses_are_given_out() {
    let mut session = Session::new(Start::default());
    let range = "apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {name: more}\nspec: {cidrs: [10.200.0.0/24]}\n";
    assert_eq!(session.apply(range).exit, 0);
    run(&mut session);
    assert_eq!(standing(&session, Kind::SERVICE_CIDR, "more"), Some((true, "Ready".into())));
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {clusterIP: 10.200.0.7, ports: [{port: 80}]}\n";
    assert_eq!(session.apply(service).exit, 0);
    assert_eq!(lines_from(&session, Kind::IP_ADDRESS, "10.200.0.7"), ["Service web"]);
    do_all(&mut session, &["delete servicecidr more --wait=false"]);
    assert_eq!(standing(&session, Kind::SERVICE_CIDR, "more"), Some((false, "Ready: False".into())));
    let condition = condition(&session, Kind::SERVICE_CIDR, "more").unwrap();
    assert_eq!(condition, ("Ready".into(), "False".into(), "Terminating".into()));
}

#[test]
fn a_template_names_what_its_pods_would_name() {
    let mut session = Session::new(Start::default());
    do_all(&mut session, &["create configmap settings --from-literal=a=b"]);
    let template = "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: t}\ntemplate:\n  metadata: {labels: {a: b}}\n  spec: {containers: [{name: c, image: nginx, envFrom: [{configMapRef: {name: settings}}]}]}\n";
    assert_eq!(session.apply(template).exit, 0);
    assert_eq!(lines_from(&session, Kind::POD_TEMPLATE, "t"), ["ConfigMap settings"]);
    let class =
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: sandboxed}\nhandler: gvisor\n";
    assert_eq!(session.apply(class).exit, 0);
    assert_eq!(standing(&session, Kind::RUNTIME_CLASS, "sandboxed"), Some((true, "gvisor".into())));
}
