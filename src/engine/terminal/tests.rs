#![allow(clippy::unwrap_used, clippy::panic)]
use super::super::{Answer, Ask, Begin, Completion, Engine, Entry, Input, Output};
use crate::engine::ShellView;
use crate::session::{Link, Replay};

/// What a line does.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// It works, and prints this among other things.
    Prints(&'static str),
    /// It works, has printed this, and goes on.
    Waits(&'static str),
    /// It works: the editor has the object.
    Edits,
    /// It says in words why it cannot be.
    Says(&'static str),
}
use Does::*;

/// What people type every day, in this order, into a cluster in which a Deployment `web` runs.
const EVERYDAY: [(&str, Does); 65] = [
    ("kubectl get pods", Prints("Running")),
    ("get pods -o wide", Prints("NOMINATED NODE")),
    ("k get po -A", Prints("NAMESPACE")),
    ("kubectl get nodes", Prints("node-1")),
    ("kubectl get all", Prints("deployment.apps/web")),
    ("kubectl get deploy,rs", Prints("replicaset.apps/web-")),
    ("kubectl get events --sort-by=.metadata.creationTimestamp | tail -n 3", Prints("Started")),
    ("kubectl get pods -l app=web --show-labels", Prints("app=web,pod-template-hash=")),
    ("kubectl get pods -o name | head -n 1 | xargs kubectl describe", Prints("Events:")),
    ("kubectl get deploy web -o yaml | grep replicas", Prints("replicas: 3")),
    ("kubectl get deploy web -o jsonpath='{.spec.replicas}'", Prints("3")),
    ("kubectl get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName", Prints("NODE")),
    ("kubectl get pods --field-selector=status.phase=Running | wc -l", Prints("4")),
    ("kubectl get pods --no-headers | sort | uniq | awk '{print $1}'", Prints("web-")),
    ("kubectl get pods -w", Waits("Running")),
    ("watch kubectl get pods", Waits("Every 2.0s: kubectl get pods")),
    ("kubectl describe deployment web", Prints("RollingUpdateStrategy")),
    ("kubectl describe node node-1 | grep -A 5 Conditions", Prints("Conditions")),
    ("kubectl create deployment api --image=nginx --replicas=2", Prints("deployment.apps/api created")),
    ("kubectl create configmap settings --from-literal=mode=dark", Prints("created")),
    ("kubectl create secret generic token --from-literal=key=abc", Prints("created")),
    ("kubectl create namespace team", Prints("namespace/team created")),
    ("kubectl create job once --image=busybox -- echo hi", Prints("job.batch/once created")),
    ("kubectl create cronjob nightly --image=busybox --schedule='0 3 * * *' -- date", Prints("created")),
    ("kubectl create role reader --verb=get,list --resource=pods", Prints("created")),
    ("kubectl create serviceaccount robot && kubectl get sa robot", Prints("robot")),
    ("kubectl create deployment x --image=nginx --dry-run=client -o yaml", Prints("kind: Deployment")),
    ("kubectl apply -f manifest.yaml", Prints("deployment.apps/web unchanged")),
    (
        "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: typed}\nEOF",
        Prints("configmap/typed created"),
    ),
    ("kubectl run tmp --image=busybox --restart=Never -- sleep 5", Prints("pod/tmp created")),
    ("kubectl expose deployment web --port=80", Prints("service/web exposed")),
    ("kubectl scale deployment web --replicas=5", Prints("scaled")),
    ("kubectl autoscale deployment api --min=2 --max=5 --cpu-percent=80", Prints("autoscaled")),
    ("kubectl set image deployment/web nginx=nginx:1.28", Prints("image updated")),
    ("kubectl rollout status deployment/web", Waits("Waiting for deployment")),
    ("kubectl rollout history deployment/web", Prints("REVISION")),
    ("kubectl rollout undo deployment/web", Prints("rolled back")),
    ("kubectl rollout restart deployment/web", Prints("restarted")),
    ("kubectl rollout pause deployment/web; kubectl rollout resume deployment/web", Prints("resumed")),
    ("kubectl label pods -l app=web tier=front", Prints("labeled")),
    ("kubectl annotate deployment web note='by hand'", Prints("annotated")),
    (r#"kubectl patch deployment web -p '{"spec":{"replicas":3}}'"#, Prints("patched")),
    ("kubectl set env deployment/web MODE=dark", Prints("env updated")),
    ("kubectl set resources deployment web --limits=cpu=200m", Prints("resource requirements updated")),
    ("kubectl explain pods.spec.containers | head -n 20", Prints("FIELD: containers <[]Container>")),
    ("kubectl explain deployment --recursive", Prints("strategy\t<DeploymentStrategy>")),
    ("kubectl auth can-i create pods", Prints("yes")),
    ("kubectl wait --for=condition=Available deployment/web", Prints("condition met")),
    ("kubectl cordon node-1", Prints("cordoned")),
    ("kubectl drain node-1 --ignore-daemonsets --force", Waits("evicting pod")),
    ("kubectl uncordon node-1", Prints("uncordoned")),
    ("kubectl taint nodes node-2 key=value:NoSchedule", Prints("tainted")),
    ("kubectl api-resources | grep -i deploy", Prints("deploy")),
    ("kubectl scale deployment web --replicas=4 && kubectl diff -f manifest.yaml", Prints("-  replicas: 4")),
    ("kubectl edit deployment web", Edits),
    ("kubectl delete deployment api --wait=false", Prints("deleted")),
    ("kubectl config get-contexts", Prints("CURRENT")),
    ("kubectl config view", Prints("kind: Config")),
    ("kubectl config set-context --current --namespace=team", Prints("modified")),
    ("kubectl get pods  # in the namespace team", Prints("No resources found in team namespace.")),
    ("kubectl cluster-info && kubectl version", Prints("Server Version")),
    ("kubectl top pods -n default", Says("Metrics API not available")),
    ("kubectl port-forward -n default service/web 8080:80", Says("there is no machine on this side")),
    ("kubectl cp manifest.yaml web:/tmp", Says("there is no disk on this side")),
    ("kubectl get pods -o json | jq '.items[].metadata.name'", Says("this shell has no jq")),
];

fn engine() -> Engine {
    let mut engine = Engine::new(|| 0.0);
    engine.handle(Input::Begin(Begin::default()));
    engine
}

fn to_steady(e: &mut Engine) {
    e.handle(Input::ToSteady);
    while e.due().is_some() {
        e.work();
    }
}

/// With the pod `box` of a line that applies it, which runs.
fn with_pod(applied: &str) -> Engine {
    let mut e = engine();
    assert!(typed(&mut e, applied).output.contains("pod/box created"));
    to_steady(&mut e);
    e
}

/// The shell in which the next line is typed.
fn shell(e: &Engine) -> Option<ShellView> {
    e.shown().shell.as_ref().map(|s| (**s).clone())
}

fn prompt(e: &Engine) -> String {
    shell(e).map(|s| s.prompt).unwrap_or_default()
}

fn typed(e: &mut Engine, line: &str) -> Entry {
    let out = e.handle(Input::Terminal(line.into()));
    if out.iter().any(|o| matches!(o, Output::WantTexts)) {
        e.handle(Input::Texts(None));
    }
    last(e)
}

fn last(e: &Engine) -> Entry {
    e.shown().terminal.last().map(|entry| (**entry).clone()).unwrap_or_default()
}

#[test]
fn everyday_lines_work_or_say_why_not() {
    let mut e = engine();
    to_steady(&mut e);
    let mut works = 0;
    for (line, does) in EVERYDAY {
        if !matches!(does, Waits(_)) {
            to_steady(&mut e);
        }
        let entry = typed(&mut e, line);
        let output = entry.output.as_str();
        let right = match does {
            Prints(text) => !entry.waits && output.contains(text),
            Waits(text) => entry.waits && output.contains(text),
            Edits => entry.edits && e.shown().text.starts_with("# Please edit the object below."),
            Says(text) => entry.failed && output.contains(text),
        };
        assert!(right, "{line}: {does:?}\n{entry:#?}");
        works += usize::from(!matches!(does, Says(_)));
        if matches!(does, Edits) {
            e.handle(Input::CancelEdit);
        }
    }
    assert!(works >= 60, "{works}");
    // What was typed is what a link repeats.
    let link = Link::decode(&Link::of(&e.session).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(10) {}
    assert!(replay.finish().same);
}

#[test]
fn a_watch_goes_on_with_the_steps_and_a_step_back_takes_back_what_it_printed() {
    let mut e = engine();
    assert_eq!(typed(&mut e, "kubectl get deployments -w").output.lines().count(), 2);
    let mut printed = vec![last(&e).output];
    for _ in 0..6 {
        e.handle(Input::Step);
        let now = last(&e);
        assert!(now.waits && now.output.starts_with(printed.last().unwrap()));
        printed.push(now.output);
    }
    assert!(printed.last().unwrap().lines().count() > 2, "{printed:?}");
    for before in printed.iter().rev().skip(1) {
        e.handle(Input::Back);
        assert_eq!(last(&e).output, *before);
    }
    // Before the line was typed it has printed what it printed then.
    e.handle(Input::Back);
    assert_eq!(last(&e).output, printed[0]);
    e.handle(Input::Step);
    to_steady(&mut e);
    let end = last(&e).output;
    assert!(end.trim_end().lines().last().unwrap().contains("3/3"), "{end}");
    e.handle(Input::Interrupt);
    assert_eq!(last(&e).output, format!("{end}^C\n"));
    assert!(!last(&e).waits);
}

#[test]
fn what_a_watch_prints_goes_through_a_pipe_line_by_line() {
    let mut e = engine();
    assert_eq!(typed(&mut e, "kubectl get pods -w -o name | grep -v zzz | sed s/pod/POD/").output, "");
    to_steady(&mut e);
    let entry = last(&e);
    assert!(entry.waits);
    assert!(entry.output.lines().count() > 3 && entry.output.starts_with("POD/web-"), "{entry:?}");
    // What needs the end of its input prints nothing before.
    assert_eq!(typed(&mut e, "kubectl get pods -w | sort").output, "");
    assert_eq!(typed(&mut e, "kubectl get pods -w --no-headers | head -n 2").output.lines().count(), 2);
    assert!(!last(&e).waits);
}

#[test]
fn every_event_of_a_watch_is_told_with_its_type() {
    let mut e = engine();
    to_steady(&mut e);
    typed(&mut e, "kubectl get deployment web --watch-only --output-watch-events -o name");
    typed(&mut e, "kubectl get pods -w --output-watch-events");
    assert!(last(&e).output.starts_with("EVENT   NAME"), "{}", last(&e).output);
    e.handle(Input::Do("scale deployment web --replicas=2".into()));
    to_steady(&mut e);
    let output = last(&e).output;
    assert!(output.contains("\nDELETED ") && output.contains("\nMODIFIED "), "{output}");
}

#[test]
fn a_line_whose_later_command_writes_asks_before_it_goes_on() {
    let mut e = engine();
    let line = "kubectl rollout status deployment/web && kubectl scale deployment web --replicas=1";
    assert!(typed(&mut e, line).waits);
    to_steady(&mut e);
    let entry = last(&e);
    assert!(entry.holds && entry.output.contains("successfully rolled out"), "{entry:?}");
    let at = e.shown().at;
    e.handle(Input::Terminal(String::new()));
    assert!(last(&e).output.ends_with("scaled\n") && !last(&e).holds);
    assert_eq!(e.shown().at, at + 1);
    // One step back the line asks again, further back it waits.
    e.handle(Input::Back);
    assert!(last(&e).holds);
    e.handle(Input::Back);
    assert!(last(&e).waits);
}

#[test]
fn time_passes_for_a_line_that_sleeps() {
    let mut e = engine();
    to_steady(&mut e);
    assert!(typed(&mut e, "sleep 3600; echo done").waits);
    e.handle(Input::Terminal(
        "kubectl create cronjob c --image=busybox --schedule='0 * * * *' -- date".into(),
    ));
    assert!(typed(&mut e, "echo begin; sleep 60; echo done").waits);
    assert_eq!(last(&e).output, "begin\n");
    // Nothing else is left to do, so time passes to the next run of the schedule.
    e.handle(Input::Step);
    assert_eq!(last(&e).output, "begin\ndone\n");
}

#[test]
fn what_only_looks_like_a_shell_is_refused_in_words() {
    let mut e = engine();
    for (line, says) in [
        ("kubectl get pods > pods.txt", "pods.txt: no file can be written here"),
        ("kubectl get pods | tee pods.txt", "no file can be written here"),
        ("nonsense --flag", "nonsense: command not found"),
        ("gte pods", "unknown command \"gte\" for \"kubectl\"\n\nDid you mean this?\n\tget\n"),
        ("kubectl get 'pods", "syntax error: unterminated quoted string"),
        ("while true; do kubectl get ns -o name; done", "stopped after 64 commands"),
        ("while true; do :; done", "goes on for ever"),
        ("dig web", "curl, nc, nslookup, ping, traceroute and wget ask from this machine"),
        ("watch kubectl scale deployment web --replicas=9", "it is repeated with every step"),
    ] {
        let entry = typed(&mut e, line);
        assert!(entry.output.contains(says), "{line}: {}", entry.output);
        assert!(!entry.waits, "{line}");
    }
    assert_eq!(typed(&mut e, "kubectl get nodes -o name 2>/dev/null | wc -l").output, "3\n");
    assert_eq!(typed(&mut e, "$ kubectl get nodes -o name \\\n  | head -n 1\n").output, "node/node-1\n");
    assert_eq!(typed(&mut e, "head -n 1 manifest.yaml").output, "apiVersion: apps/v1\n");
    assert!(typed(&mut e, "help rollout status").output.contains("\n    -w, --watch=true\n"));
    assert_eq!(typed(&mut e, "clear").line, "");
    assert!(typed(&mut e, "help").said.is_some());
    let history = typed(&mut e, "history | tail -n 2").output;
    assert!(history.contains("  help\n") && history.ends_with("  history | tail -n 2\n"), "{history}");
}

#[test]
fn the_terminal_is_a_machine_beside_the_cluster() {
    let mut e = engine();
    e.handle(Input::ToSteady);
    typed(&mut e, "kubectl expose deployment web --type=NodePort --port=80");
    e.handle(Input::ToSteady);
    let at = "http://172.18.0.2:$(kubectl get service web -o jsonpath={.spec.ports[0].nodePort})";
    let answered = typed(&mut e, &format!("curl -s {at} | grep -c '<h1>Welcome'")).output;
    assert_eq!(answered, "1\n");
    let entry = typed(&mut e, "curl http://web");
    assert!(entry.astray && entry.output.ends_with("Could not resolve host: web\n"), "{}", entry.output);
    assert!(typed(&mut e, "curl http://web || echo no").astray);
    let closed = typed(&mut e, "curl http://172.18.0.2:1");
    assert!(!closed.astray, "{}", closed.output);
    let on_node = typed(&mut e, &format!("docker exec node-2 curl -s {at} | grep -c '<h1>Welcome'")).output;
    assert_eq!(on_node, "1\n");
}

#[test]
fn an_edit_is_saved_by_apply_and_a_link_repeats_it() {
    let mut e = engine();
    let manifest = e.shown().text.clone();
    assert!(typed(&mut e, "kubectl edit deployment web").edits);
    let opened = e.shown().text.clone();
    assert!(opened.contains("replicas: 3"));
    // The cluster goes on meanwhile.
    e.handle(Input::Step);
    e.handle(Input::Step);
    e.handle(Input::Typed(opened.replace("replicas: 3", "replicas: -1")));
    e.handle(Input::Apply);
    assert!(last(&e).edits && !e.shown().diagnostics.is_empty());
    e.handle(Input::Typed(opened.replace("replicas: 3", "replicas: 4")));
    e.handle(Input::Preview);
    assert!(
        e.shown()
            .preview
            .as_ref()
            .unwrap()
            .changed
            .iter()
            .any(|(_, f)| f.iter().any(|f| f.path == "spec.replicas"))
    );
    e.handle(Input::Apply);
    assert_eq!(last(&e).output, "deployment.apps/web edited\n");
    assert_eq!((&e.shown().text, e.shown().editing.is_none()), (&manifest, true));
    let link = Link::decode(&Link::of(&e.session).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(10) {}
    let replayed = replay.finish();
    assert!(replayed.same);
    assert!(typed(&mut e, "kubectl edit deployment web").edits);
    e.handle(Input::Interrupt);
    assert_eq!(last(&e).output, "Edit cancelled, no changes made.\n");
    assert_eq!(e.shown().text, manifest);
}

#[test]
fn the_namespace_of_the_context_is_kept_and_goes_into_links() {
    let mut e = engine();
    for line in
        ["create namespace team", "config set-context --current --namespace=team", "run p --image=nginx"]
    {
        assert!(!typed(&mut e, line).failed, "{line}: {}", last(&e).output);
        to_steady(&mut e);
    }
    assert_eq!(typed(&mut e, "get pods -o name").output, "pod/p\n");
    assert_eq!(typed(&mut e, "config current-context").output, "steady\n");
    typed(&mut e, "config set-context other --cluster=steady --user=steady");
    assert_eq!(typed(&mut e, "config use-context other").output, "Switched to context \"other\".\n");
    assert_eq!(typed(&mut e, "get pods --context steady -o name").output, "pod/p\n");
    assert_eq!(
        typed(&mut e, "get pods --context nowhere").output,
        "error: context \"nowhere\" does not exist\n"
    );
    let link = Link::of(&e.session).encode();
    let mut page = Engine::new(|| 0.0);
    page.handle(Input::Begin(Begin { link: Some(link), ..Begin::default() }));
    while page.due().is_some() {
        page.work();
    }
    assert_eq!(page.session.cluster().digest(), e.session.cluster().digest());
    assert_eq!(typed(&mut page, "get pods -o name").output, "pod/p\n");
}

#[test]
fn the_texts_of_explain_are_asked_for_once() {
    let mut e = engine();
    let out = e.handle(Input::Terminal("kubectl explain configmaps.data | cat".into()));
    assert!(out.iter().any(|o| matches!(o, Output::WantTexts)) && last(&e).waits);
    let texts = r##"{"kinds": {"v1 ConfigMap": "io.ConfigMap"}, "definitions": {"io.ConfigMap": {
        "description": "What configures.", "properties": {"data": {"description": "The data."}}}}}"##;
    e.handle(Input::Texts(Some(texts.into())));
    assert!(last(&e).output.contains("    The data.") && !last(&e).waits, "{:?}", last(&e));
    assert!(typed(&mut e, "kubectl explain configmaps").output.contains("    What configures."));
}

/// What a script's line printed.
fn scripted(e: &mut Engine, line: &str) -> (crate::kubectl::Output, bool) {
    let mut wants_texts = false;
    let mut printed = None;
    for out in e.handle(Input::Kubectl(line.into())) {
        match out {
            Output::Printed(output) => printed = output,
            Output::WantTexts => wants_texts = true,
            _ => {}
        }
    }
    (printed.unwrap(), wants_texts)
}

/// A script has its answer at once: what waits has not ended, and texts that are not here are said to be missing.
#[test]
fn a_script_learns_that_a_command_waits_and_that_texts_are_missing() {
    let mut e = engine();
    to_steady(&mut e);
    let (out, _) = scripted(&mut e, "wait deployment web --for=jsonpath={.spec.replicas}=9");
    assert!(out.waits, "{out:?}");
    let (out, _) = scripted(&mut e, "drain node-1 --ignore-daemonsets --force");
    assert!(out.waits, "{out:?}");
    let (out, _) = scripted(&mut e, "get pods");
    assert!(!out.waits && out.exit == 0 && out.stderr.is_empty(), "{out:?}");
    let (out, wants) = scripted(&mut e, "explain configmaps.data");
    assert!(wants && out.stderr.contains("being loaded") && out.stdout.contains("FIELD: data"), "{out:?}");
    let texts = r##"{"kinds": {"v1 ConfigMap": "io.ConfigMap"}, "definitions": {"io.ConfigMap": {
        "description": "What configures.", "properties": {"data": {"description": "The data."}}}}}"##;
    e.handle(Input::Texts(Some(texts.into())));
    let (out, wants) = scripted(&mut e, "explain configmaps.data");
    assert!(!wants && out.stderr.is_empty() && out.stdout.contains("The data."), "{out:?}");
}

/// What the terminal shows above belongs to the run before.
#[test]
fn another_run_is_marked_in_the_terminal() {
    let mut e = engine();
    e.handle(Input::OpenScenario("02-self-healing".into()));
    assert!(e.shown().terminal.is_empty());
    typed(&mut e, "kubectl get pods");
    e.handle(Input::OpenScenario("03-scaling".into()));
    let marks = |e: &Engine| e.shown().terminal.iter().filter(|entry| entry.line.is_empty()).count();
    assert_eq!((marks(&e), e.shown().terminal.len()), (1, 2));
    // Once, however many runs are looked at without a line.
    e.handle(Input::OpenScenario("01-first-deployment".into()));
    assert_eq!((marks(&e), e.shown().terminal.len()), (1, 2));
}

fn completed(e: &mut Engine, head: &str) -> Completion {
    let out = e.handle(Input::Ask(1, Ask::Complete(head.into())));
    match out.into_iter().next() {
        Some(Output::Answer(_, answer)) => match *answer {
            Answer::Complete(completion) => completion,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_is_completed_from_the_commands_and_the_cluster() {
    let mut e = engine();
    to_steady(&mut e);
    typed(&mut e, "kubectl create namespace team");
    typed(
        &mut e,
        "kubectl apply -f - <<EOF\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: sites.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: sites, singular: site, kind: Site, shortNames: [wx]}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\nEOF",
    );
    to_steady(&mut e);
    let mut words = |head: &str| completed(&mut e, head).words;
    assert_eq!(words("kubectl des"), ["describe"]);
    assert_eq!(words("roll"), ["rollout"]);
    assert_eq!(words("kubectl rollout re"), ["restart", "resume"]);
    assert_eq!(words("k get depl"), ["deployments"]);
    assert_eq!(words("k get sv"), ["svc"]);
    assert_eq!(words("get sit"), ["sites"]);
    assert_eq!(words("get w"), ["wx"]);
    assert_eq!(words("get pods,serv"), ["pods,serviceaccounts", "pods,servicecidrs", "pods,services"]);
    assert_eq!(words("describe node "), ["node-1", "node-2", "node-3"]);
    assert_eq!(words("doc"), ["docker"]);
    assert_eq!(words("docker "), ["cp", "exec"]);
    assert_eq!(words("docker exec -it n"), ["node-1", "node-2", "node-3"]);
    assert_eq!(words("docker exec node-2 ipt"), ["iptables", "iptables-save"]);
    assert_eq!(words("docker exec node-2 crictl p"), ["pods", "ps"]);
    assert_eq!(words("docker exec node-2 nft list r"), ["ruleset"]);
    assert_eq!(words("describe node node-1 "), ["node-2", "node-3"]);
    assert_eq!(words("scale deployment/"), ["deployment/web"]);
    assert_eq!(words("rollout status d"), ["daemonsets", "deployments", "ds"]);
    assert_eq!(words("get pods -n t"), ["team"]);
    assert_eq!(words("get pods --namespace=t"), ["--namespace=team"]);
    assert_eq!(words("get pods -n team "), [""; 0]);
    assert_eq!(words("get pods --all"), ["--all-namespaces", "--allow-missing-template-keys"]);
    assert_eq!(words("scale deployment web --rep"), ["--replicas="]);
    assert_eq!(words("get pods -o js"), ["json", "jsonpath="]);
    assert_eq!(words("logs deploy/web -c "), ["nginx"]);
    assert_eq!(words("apply -f m"), ["manifest.yaml"]);
    assert_eq!(words("get pods -l app"), ["app=web"]);
    assert_eq!(words("get pods | gr"), ["grep"]);
    assert_eq!(words("get pods -o name | xargs kubectl del"), ["delete"]);
    assert_eq!(words("watch -n 1 kubectl get no"), ["nodes"]);
    assert_eq!(words("explain deployments.spec.strat"), ["deployments.spec.strategy"]);
    assert_eq!(words("config use-context "), ["steady"]);
    assert_eq!(words("auth can-i cr"), ["create"]);
    assert_eq!(words("create confi"), ["configmap"]);
    assert_eq!(words("echo x # get po"), [""; 0]);
    assert_eq!(words("get nonsense "), [""; 0]);
    let pods = words("logs ");
    assert!(pods.len() == 3 && pods.iter().all(|p| p.starts_with("web-")), "{pods:?}");
    let at = completed(&mut e, "get pods; get 'no");
    assert_eq!((at.before.as_str(), at.words), ("get pods; get ", vec!["nodes".to_owned()]));
}

mod attached;
mod docker;
mod inside;
