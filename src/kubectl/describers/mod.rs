//! Descriptions of objects (`k8s.io/kubectl/pkg/describe`), one function for each kind.
//!
//! A description is lines with tabs between a name and its value; they are aligned at the end, or
//! printed with their tabs where kubectl does so.

mod batch;
mod certificates;
mod containers;
mod core;
mod csi_node;
mod endpoints;
mod events;
mod head;
mod ip_addresses;
mod limits;
mod networking;
mod node;
mod pod;
mod rbac;
mod sets;
mod storage;
mod unstructured;
mod volumes;
mod workloads;

use std::collections::BTreeMap;

use super::tabwriter::{self, DESCRIBE};
use crate::api::types::{PodTemplateSpec, Time};
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;

pub(super) use batch::{cron_job, job};
pub(super) use certificates::certificate_signing_request;
pub(super) use core::{config_map, namespace, secret, service};
pub(super) use csi_node::csi_node;
pub(super) use endpoints::{endpoint_slice, endpoints, service_account};
pub(super) use events::{interval, last_seen, of as events};
pub(super) use ip_addresses::{ip_address, service_cidr};
pub(super) use limits::{autoscaler, limit_range, quota};
pub(super) use networking::{ingress, ingress_class, network_policy};
pub(super) use node::node;
pub(super) use pod::pod;
pub(super) use rbac::{access, binding, role};
pub(super) use sets::{daemon_set, stateful_set};
pub(super) use storage::{claim, priority_class, storage_class, volume, volume_attributes_class};
pub(super) use unstructured::describe as unstructured;
pub(super) use workloads::{deployment, disruption_budget, replica_set, replication_controller};

/// The length that an annotation may have on one line, with its key, in bytes.
const LONG: usize = 140;

/// A text, cut if it is too long.
fn shortened(text: &str) -> String {
    match text.char_indices().find(|(i, c)| i + c.len_utf8() > LONG) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The table of conditions; nothing if there are none. A row has the type, the status, the moment of the last report, the
/// moment of the last change, the reason and the message; `reported` is the title of the third column.
fn conditions(w: &mut Writer, reported: &str, rows: impl Iterator<Item = [String; 6]>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    w.line(0, "Conditions:");
    w.line(1, &format!("Type\tStatus\t{reported}\tLastTransitionTime\tReason\tMessage"));
    w.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    for row in rows {
        w.line(1, &row.join(" \t"));
    }
}

/// Annotations without what `apply` keeps for itself (`printAnnotationsMultiline`). One that is long or has several lines
/// stands below its key.
fn annotations(w: &mut Writer, level: usize, all: Option<&BTreeMap<String, String>>) {
    let mut title = "Annotations:";
    for (key, value) in all.into_iter().flatten().filter(|(key, _)| *key != LAST_APPLIED_CONFIG_ANNOTATION) {
        let value = value.strip_suffix('\n').unwrap_or(value);
        let level = if title.is_empty() { 0 } else { level };
        let space = w.space();
        if value.len() + key.len() + 2 > LONG || value.contains('\n') {
            w.line(level, &format!("{title}\t{space}{key}:"));
            value.split('\n').for_each(|line| w.line(0, &format!("\t  {}", cut(line))));
        } else {
            w.line(level, &format!("{title}\t{space}{key}: {value}"));
        }
        title = "";
    }
    if !title.is_empty() {
        w.line(level, &format!("{title}\t{space}<none>", space = w.space()));
    }
}

/// A line of an annotation, cut if it is too long.
fn cut(line: &str) -> String {
    match line.char_indices().find(|(i, c)| i + c.len_utf8() > LONG - 2) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// A moment as descriptions write it.
fn moment(t: Option<&Time>) -> String {
    t.map_or_else(|| "<unset>".to_owned(), |t| t.0.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string())
}

/// A moment that is never left out: none is the first of all.
fn instant(t: Option<&Time>) -> String {
    if t.is_none() { "Mon, 01 Jan 0001 00:00:00 +0000".to_owned() } else { moment(t) }
}

/// A pod template with its tabs, as `rollout history --revision` prints it.
pub(super) fn template(template: &PodTemplateSpec) -> String {
    let mut w = Writer::default();
    pod_template(&mut w, template);
    w.text
}

fn pod_template(w: &mut Writer, template: &PodTemplateSpec) {
    w.line(0, "Pod Template:");
    let meta = template.metadata.clone().unwrap_or_default();
    w.map(1, "Labels", meta.labels.as_ref());
    if meta.annotations.as_ref().is_some_and(|a| !a.is_empty()) {
        annotations(w, 1, meta.annotations.as_ref());
    }
    let spec = template.spec.clone().unwrap_or_default();
    if let Some(account) = spec.service_account_name.as_deref().filter(|s| !s.is_empty()) {
        w.line(1, &format!("Service Account:\t{account}"));
    }
    if let Some(inits) = spec.init_containers.as_deref().filter(|c| !c.is_empty()) {
        containers::all(w, "Init Containers", inits, &[], containers::Of::Template);
    }
    containers::all(w, "Containers", &spec.containers, &[], containers::Of::Template);
    volumes::all(w, spec.volumes.as_deref().unwrap_or_default(), "  ");
    containers::spread(w, spec.topology_spread_constraints.as_deref().unwrap_or_default(), "  ");
    if let Some(class) = spec.priority_class_name.as_deref().filter(|c| !c.is_empty()) {
        w.line(1, &format!("Priority Class Name:\t{class}"));
    }
    w.map(1, "Node-Selectors", spec.node_selector.as_ref());
    containers::tolerations(w, spec.tolerations.as_deref().unwrap_or_default(), "  ");
}

/// Collects lines.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    /// How many levels further in lines stand. What kubectl writes in several pieces has the blanks of these levels
    /// before each of them (`nestedPrefixWriter`).
    nested: usize,
}

impl Writer {
    /// The description, with its columns aligned.
    pub(super) fn aligned(&self) -> String {
        tabwriter::align(&self.text, DESCRIBE)
    }

    /// A line at a level: two blanks each.
    fn line(&mut self, level: usize, text: &str) {
        self.text.extend(std::iter::repeat_n("  ", level + self.nested));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The blanks before a piece of a line that is not its first.
    fn space(&self) -> String {
        "  ".repeat(self.nested)
    }

    /// A line as it is.
    fn raw(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A map, one entry a line, under a name.
    fn map(&mut self, level: usize, name: &str, map: Option<&BTreeMap<String, String>>) {
        let entries: Vec<(&String, &String)> = map.into_iter().flatten().collect();
        let space = self.space();
        if entries.is_empty() {
            return self.line(level, &format!("{name}:\t{space}<none>"));
        }
        for (i, (k, v)) in entries.into_iter().enumerate() {
            let pair = format!("{k}={v}");
            if i == 0 {
                self.line(level, &format!("{name}:\t{space}{pair}"));
            } else {
                self.line(0, &format!("{space}\t{space}{pair}"));
            }
        }
    }
}
