//! `kubectl top` (`k8s.io/kubectl/pkg/cmd/top`, `pkg/metricsutil`).

use std::collections::BTreeMap;

use super::answer;
use super::call::{Accept, Call, raw};
use super::command::{self, CliCommand, sub};
use super::flags::{Args, Flag, boolean, text};
use super::invocation::{Invocation, Result, fail};
use super::tabwriter;
use crate::api::labels::Selector;
use crate::api::metrics::{self, PodMetrics, Usage};
use crate::api::quantity::{Amount, amount_of};
use crate::api::types::{Node, Pod};
use crate::api::{Kind, MetaExt, Object, Timestamp, order};
use crate::apimachinery::Verb;

/// `top …`
pub(super) const COMMANDS_OF: &[CliCommand] = &[
    sub("node", &["nodes", "no"], &[NODE_FLAGS], &[], node),
    sub("pod", &["pods", "po"], &[POD_FLAGS], &[], pod),
];

pub(super) const HELP: &str = "Display resource (CPU/memory) usage.

 This command provides a view of recent resource consumption for nodes and pods. It fetches metrics from the Metrics Server, which aggregates this data from the kubelet on each node. The Metrics Server must be installed and running in the cluster for this command to work.

 The metrics shown are specifically optimized for Kubernetes autoscaling decisions, such as those made by the Horizontal Pod Autoscaler (HPA) and Vertical Pod Autoscaler (VPA). Because of this, the values may not match those from standard OS tools like 'top', as the metrics are designed to provide a stable signal for autoscalers rather than for pinpoint accuracy.

 FAQ for Metrics Server: https://github.com/kubernetes-sigs/metrics-server/blob/master/FAQ.md

 When to use this command:

  *  For on-the-fly spot-checks of resource usage (e.g. identify which pods are consuming the most resources at a glance, or get a quick sense of the load on your nodes)
  *  Understand current resource consumption patterns
  *  Validate the behavior of your HPA or VPA configurations by seeing the metrics they use for scaling decisions.

 It is not intended to be a replacement for full-featured monitoring solutions. Its primary design goal is to provide a low-overhead signal for autoscalers, not to be a perfectly accurate monitoring tool. For high-accuracy reporting, historical analysis, dashboarding, or alerting, you should use a dedicated monitoring solution.

Available Commands:
  node          Display resource (CPU/memory) usage of nodes
  pod           Display resource (CPU/memory) usage of pods

Usage:
  kubectl top [flags] [options]

Use \"kubectl top <command> --help\" for more information about a given command.
Use \"kubectl options\" for a list of global command-line options (applies to all commands).
";

pub(super) fn group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    command::complaining_group(cx, args, "kubectl top", HELP)
}

/// The flags of `top pod`.
const POD_FLAGS: &[Flag] = &[
    text("selector").short('l'),
    text("field-selector"),
    text("sort-by"),
    boolean("containers"),
    boolean("all-namespaces").short('A'),
    boolean("no-headers"),
    boolean("use-protocol-buffers").or("true"),
    boolean("sum"),
    boolean("show-swap"),
];
/// The flags of `top node`.
const NODE_FLAGS: &[Flag] = &[
    text("selector").short('l'),
    text("sort-by"),
    boolean("no-headers"),
    boolean("use-protocol-buffers").or("true"),
    boolean("show-capacity"),
    boolean("show-swap"),
];

/// Pods that are older than so many seconds have metrics.
const CREATION_DELAY_SECONDS: i64 = 120;
const UNKNOWN: &str = "<unknown>";
const MEBI: i64 = 1024 * 1024;

/// The name in the command line, after the checks of its words and flags.
fn name<'a>(args: &'a Args, path: &str, what: &str, selectors: &[&str]) -> Result<&'a str> {
    if args.words.len() > 1 {
        return command::usage(path, format!("{what} [NAME | -l label]"));
    }
    if !matches!(args.text("sort-by"), "" | "cpu" | "memory") {
        return fail("--sort-by accepts only cpu or memory");
    }
    let name = args.words.first().map_or("", String::as_str);
    if !name.is_empty() && selectors.iter().any(|s| !args.text(s).is_empty()) {
        let selector = if what == "node" { "--selector" } else { "selector" };
        return fail(format!("only one of NAME or {selector} can be provided"));
    }
    match Selector::parse(args.text("selector")) {
        Ok(_) => Ok(name),
        Err(why) => fail(why),
    }
}

/// Checks that discovery has the API.
fn check_available(cx: &mut Invocation<'_>) -> Result {
    let mut found = false;
    for path in ["/api", "/apis"] {
        let answer = cx.exchange(&raw("GET", path, Accept::Discovery, Vec::new()))?;
        let groups = answer.value().get("items").and_then(|v| v.as_array()).into_iter().flatten();
        found |=
            groups.filter_map(|g| g.pointer("/metadata/name")?.as_str()).any(|name| name == metrics::GROUP);
    }
    if found { Ok(()) } else { fail("Metrics API not available") }
}

/// The metrics of one object, or of those that are selected.
fn read(
    cx: &mut Invocation<'_>,
    args: &Args,
    kind: Kind,
    namespace: &str,
    name: &str,
) -> Result<Vec<Object>> {
    if !name.is_empty() {
        let answer = cx.send(&Call::new(Verb::Get, kind, namespace, name))?;
        return Ok(vec![answer::object(kind, answer.value().clone())?]);
    }
    let mut call = Call::new(Verb::List, kind, namespace, "");
    call.chunked = false;
    args.text("selector").clone_into(&mut call.label_selector);
    args.text("field-selector").clone_into(&mut call.field_selector);
    cx.all(call)
}

/// `kubectl top pod`
fn pod(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args, "kubectl top pod", "pod", &["selector", "field-selector"])?;
    check_available(cx)?;
    let all = args.on("all-namespaces");
    let namespace = if all { String::new() } else { cx.namespace.clone() };
    let read = read(cx, args, metrics::pods(), &namespace, name)?;
    let mut pods: Vec<PodMetrics> = read.iter().filter_map(PodMetrics::read).collect();
    if pods.is_empty() {
        explain_nothing(cx, args, &namespace)?;
        let line = match all {
            true => "No resources found\n".to_owned(),
            false => format!("No resources found in {namespace} namespace.\n"),
        };
        cx.err.push_str(&line);
        return Ok(());
    }
    let containers = args.on("containers");
    let swap = args.on("show-swap");
    let mut lines = String::new();
    let columns = usize::from(all) + usize::from(containers) + 3 + usize::from(swap);
    if !args.on("no-headers") {
        line(
            &mut lines,
            all.then_some("NAMESPACE")
                .into_iter()
                .chain(containers.then_some("POD"))
                .chain(["NAME", "CPU(cores)", "MEMORY(bytes)"])
                .chain(swap.then_some("SWAP(bytes)")),
        );
    }
    let sum_of = |p: &PodMetrics| p.containers.iter().fold(Usage::ZERO, |sum, c| sum.plus(c.usage));
    let by = args.text("sort-by");
    order::sort_by_key(&mut pods, |p| {
        let place = if by.is_empty() { p.key.clone() } else { crate::api::Key::new("", "") };
        (largest(by, sum_of(p)), place)
    });
    let used = |name: &str, usage: Usage| {
        let swap = swap.then(|| "0Mi".to_owned());
        [name.to_owned(), cores(usage.cpu), mebibytes(usage.memory)].into_iter().chain(swap)
    };
    for p in &mut pods {
        let own = all.then(|| p.key.namespace.to_string());
        if !containers {
            line(&mut lines, own.into_iter().chain(used(&p.key.name, sum_of(p))));
            continue;
        }
        order::sort_by_key(&mut p.containers, |c| {
            (largest(by, c.usage), if by.is_empty() { c.name.clone() } else { String::new() })
        });
        for c in &p.containers {
            let pod = [p.key.name.to_string()];
            line(&mut lines, own.clone().into_iter().chain(pod).chain(used(&c.name, c.usage)));
        }
    }
    if args.on("sum") {
        let total = pods.iter().fold(Usage::ZERO, |sum, p| sum.plus(sum_of(p)));
        // Kubernetes counts the columns of the header, which is not there with `--no-headers`.
        let columns = if args.on("no-headers") { 3 + usize::from(swap) } else { columns };
        let blank = |n: usize| std::iter::repeat_n(String::new(), n);
        let rule = ["________".to_owned(), "________".to_owned()];
        line(&mut lines, blank(columns.saturating_sub(2)).chain(rule));
        line(&mut lines, blank(columns.saturating_sub(3)).chain(used("", total)));
    }
    cx.out.push_str(&tabwriter::align(&lines, tabwriter::TABLE));
    Ok(())
}

/// Says why there are no metrics; nothing if there are no pods (`verifyEmptyMetrics`).
fn explain_nothing(cx: &mut Invocation<'_>, args: &Args, namespace: &str) -> Result {
    let mut call = Call::new(Verb::List, Kind::POD, namespace, "");
    call.chunked = false;
    args.text("selector").clone_into(&mut call.label_selector);
    args.text("field-selector").clone_into(&mut call.field_selector);
    let pods = cx.all(call)?;
    for pod in pods.iter().filter_map(|o| o.get::<Pod>()) {
        let created = pod.metadata.creation_timestamp.as_ref().map_or(Timestamp::UNIX_EPOCH, |t| t.0);
        let age = cx.now().duration_since(created).as_secs();
        if age > CREATION_DELAY_SECONDS {
            let key = pod.metadata.key();
            return fail(format!("Metrics not available for pod {key}, age: {}", go_seconds(age)));
        }
    }
    if pods.is_empty() { Ok(()) } else { fail("metrics not available yet") }
}

/// `1h2m3s`, as Go prints a duration.
fn go_seconds(seconds: i64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, _) => format!("{minutes}m{rest}s"),
        _ => format!("{hours}h{minutes}m{rest}s"),
    }
}

/// `kubectl top node`
fn node(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args, "kubectl top node", "node", &["selector"])?;
    check_available(cx)?;
    let read = read(cx, args, metrics::nodes(), "", name)?;
    if read.is_empty() {
        return fail("metrics not available yet");
    }
    let nodes = if name.is_empty() {
        let mut call = Call::new(Verb::List, Kind::NODE, "", "");
        call.chunked = false;
        args.text("selector").clone_into(&mut call.label_selector);
        cx.all(call)?
    } else {
        vec![cx.get(Kind::NODE, "", name)?]
    };
    let mut available: BTreeMap<String, BTreeMap<String, Amount>> = BTreeMap::new();
    for node in nodes.iter().filter_map(|o| o.get::<Node>()) {
        let status = node.status.as_ref();
        let of = match args.on("show-capacity") {
            true => status.and_then(|s| s.capacity.as_ref()),
            false => status.and_then(|s| s.allocatable.as_ref()),
        };
        let amounts = of.into_iter().flatten().map(|(k, v)| (k.clone(), amount_of(Some(v)))).collect();
        available.insert(node.metadata.name().to_owned(), amounts);
    }
    let swap = args.on("show-swap");
    let mut lines = String::new();
    if !args.on("no-headers") {
        let own = ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"];
        let more = swap.then_some(["SWAP(bytes)", "SWAP(%)"]);
        line(&mut lines, own.into_iter().chain(more.into_iter().flatten()));
    }
    let by = args.text("sort-by");
    let mut used: Vec<(String, Usage)> =
        read.iter().map(|o| (o.name().to_owned(), metrics::usage_of_node(o))).collect();
    order::sort_by_key(&mut used, |(name, usage)| {
        (largest(by, *usage), if by.is_empty() { name.clone() } else { String::new() })
    });
    for (name, usage) in used {
        let of = available.remove(&name).unwrap_or_default();
        let mut cells = vec![name, cores(usage.cpu)];
        cells.extend(share(usage.cpu, of.get("cpu")));
        cells.push(mebibytes(usage.memory));
        cells.extend(share(usage.memory, of.get("memory")));
        if swap {
            // No node here says how much swap it has.
            cells.extend([UNKNOWN.to_owned(), UNKNOWN.to_owned()]);
        }
        line(&mut lines, cells);
    }
    // The nodes whose kubelets were not reached.
    for name in available.into_keys() {
        let unknown = std::iter::repeat_n(UNKNOWN.to_owned(), if swap { 6 } else { 4 });
        line(&mut lines, [name].into_iter().chain(unknown));
    }
    cx.out.push_str(&tabwriter::align(&lines, tabwriter::TABLE));
    Ok(())
}

/// The key by which the largest comes first; the same for all if nothing is sorted by.
fn largest(by: &str, usage: Usage) -> i64 {
    match by {
        "cpu" => usage.cpu.milli_value().saturating_neg(),
        "memory" => usage.memory.value().saturating_neg(),
        _ => 0,
    }
}

fn cores(amount: Amount) -> String {
    format!("{}m", amount.milli_value())
}

fn mebibytes(amount: Amount) -> String {
    format!("{}Mi", amount.value() / MEBI)
}

/// How much of what is available is used; nothing if that is not known.
fn share(used: Amount, available: Option<&Amount>) -> Option<String> {
    let (used, available) = (used.milli_value(), available?.milli_value());
    let percent = if available == 0 { 0.0 } else { used as f64 / available as f64 * 100.0 };
    Some(format!("{}%", percent as i64))
}

/// A line of cells, each of which ends with a tab.
fn line<T: AsRef<str>>(lines: &mut String, cells: impl IntoIterator<Item = T>) {
    for cell in cells {
        lines.push_str(cell.as_ref());
        lines.push('\t');
    }
    lines.push('\n');
}
