//! Command lines.

use std::collections::BTreeMap;

use steady::session::{Depth, Session};

use crate::clusters;
use crate::heard::Heard;

pub(crate) const WORDS: &[&str] = &[
    "get ",
    "describe ",
    "delete ",
    "scale ",
    "rollout undo ",
    "rollout status ",
    "rollout history ",
    "set image ",
    "set env ",
    "set resources ",
    "label ",
    "annotate ",
    "patch ",
    "apply -f manifest.yaml ",
    "create ",
    "replace -f manifest.yaml ",
    "expose ",
    "run ",
    "cordon ",
    "drain ",
    "taint nodes ",
    "events ",
    "wait ",
    "explain ",
    "top pod ",
    "logs ",
    "exec ",
    "debug ",
    "auth can-i ",
    "certificate approve ",
    "config view ",
    "diff -f manifest.yaml ",
    "kustomize ",
    "autoscale ",
    "api-resources ",
    "edit ",
    "cp ",
    "port-forward ",
    "deployment ",
    "deploy/web ",
    "pods ",
    "po ",
    "rs ",
    "nodes ",
    "node-1 ",
    "all ",
    "web ",
    "-f ",
    "manifest.yaml ",
    "-o yaml",
    "-o json",
    "-o wide",
    "-o name",
    "-o jsonpath={.items[*].metadata.name}",
    "-o custom-columns=A:.metadata.name,B:.spec",
    "-o go-template={{range .items}}{{.metadata.name}}{{end}}",
    "--replicas=3 ",
    "--all ",
    "-A ",
    "-n kube-system ",
    "-l app=web ",
    "--field-selector=metadata.name=web ",
    "--cascade=orphan ",
    "--grace-period=0 ",
    "--force ",
    "--dry-run=server ",
    "--type=merge ",
    "--type=json ",
    "-p {\"spec\":{}} ",
    "'",
    "\"",
    "\\",
    " -- ",
    "--",
    "-",
    "=",
    ",",
    ":",
    "--for=condition=Ready ",
    "--for=jsonpath={.a}=b ",
    "--timeout=1s ",
    "--help ",
    "-h ",
    "-v=9 ",
    "--watch ",
    "--sort-by=.metadata.name ",
    "--show-labels ",
    "--subresource=status ",
    "--server-side ",
    "--force-conflicts ",
    "--prune ",
    "--selector=x ",
    "--from-literal=a=b ",
    "--image=nginx ",
    "--overrides={} ",
    "--env=A=B ",
    "--limits=cpu=1 ",
    "--requests=cpu=1 ",
    "--tail=-1 ",
    "--since=1h ",
    "--since-time=x ",
    "--previous ",
    "-c x ",
    "--to-revision=1 ",
    "--revision=1 ",
    "a=b:NoExecute ",
    "a- ",
    "*=x ",
    "secret generic s ",
    "configmap c ",
    "job j ",
    "cronjob c --schedule='* * * * *' ",
    "quota q --hard=pods=1 ",
    "ingress i --rule=a/b=c:80 ",
    "--output-version ",
];

/// A manifest that lines name.
const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {a: b}\n";

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let line = &*String::from_utf8_lossy(input);
    let line = line.strip_prefix("kubectl ").unwrap_or(line);
    let base = clusters::base();
    let mut s = base.clone();
    let (out, waits) = s.kubectl_or_wait(line, &[("manifest.yaml", MANIFEST), ("-", MANIFEST)]);
    let bytes = out.stdout.len() + out.stderr.len();
    assert!(bytes < 20_000_000 + 100 * line.len(), "{bytes} bytes are printed");
    out.stderr.lines().take(3).for_each(|l| heard.say("stderr", l));
    out.stdout.lines().take(3).for_each(|l| heard.say("stdout", l));
    assert!(out.exit == 0 || bytes > 0 || waits.is_some(), "it failed without a word");
    if let Some(mut waits) = waits {
        for _ in 0..3 {
            s.step(Depth::Command, None);
            let _ = s.look_again(&mut waits);
        }
    } else if s.at() == base.at() {
        clusters::unchanged(base.cluster(), s.cluster(), line.len());
    } else {
        for _ in 0..3 {
            s.step(Depth::Command, None);
        }
    }
    completed(&base, line, heard);
}

/// What a line can go on with begins with what is written.
fn completed(base: &Session, line: &str, heard: &mut Heard) {
    let cut = line.char_indices().map(|(i, _)| i).nth(line.chars().count() * 2 / 3).unwrap_or(0);
    for text in [line, &line[..cut]] {
        let Some(at) = steady::shell::at_cursor(text) else { continue };
        let found = base.complete(&at.words, &at.partial, &BTreeMap::new());
        assert!(found.iter().all(|f| f.starts_with(&at.partial)), "{:?}: {found:?}", at.partial);
        heard.count("completed", found.len());
    }
}
