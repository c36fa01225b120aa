//! `kubectl describe` (`k8s.io/kubectl/pkg/describe`).
//!
//! A description is lines with tabs between a name and its value; they are aligned at the end, or
//! printed with their tabs where kubectl does so.

mod containers;

use std::collections::BTreeMap;

use crate::api::types::PodTemplateSpec;

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
        w.map(1, "Annotations", meta.annotations.as_ref());
    }
    let spec = template.spec.clone().unwrap_or_default();
    if let Some(account) = spec.service_account_name.as_deref().filter(|s| !s.is_empty()) {
        w.line(1, &format!("Service Account:\t{account}"));
    }
    if let Some(inits) = spec.init_containers.as_deref().filter(|c| !c.is_empty()) {
        containers::all(w, "Init Containers", inits, &[], "  ");
    }
    containers::all(w, "Containers", &spec.containers, &[], "  ");
    containers::volumes(w, spec.volumes.as_deref().unwrap_or_default(), "  ");
    if let Some(class) = spec.priority_class_name.as_deref().filter(|c| !c.is_empty()) {
        w.line(1, &format!("Priority Class Name:\t{class}"));
    }
    w.map(1, "Node-Selectors", spec.node_selector.as_ref());
    containers::tolerations(w, spec.tolerations.as_deref().unwrap_or_default(), "  ");
}

/// Collects lines.
#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    /// A line at a level: two blanks each.
    fn line(&mut self, level: usize, text: &str) {
        self.text.extend(std::iter::repeat_n("  ", level));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line as it is.
    fn raw(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A map, one entry a line, under a name.
    fn map(&mut self, level: usize, name: &str, map: Option<&BTreeMap<String, String>>) {
        let entries: Vec<(&String, &String)> = map.into_iter().flatten().collect();
        if entries.is_empty() {
            return self.line(level, &format!("{name}:\t<none>"));
        }
        for (i, (k, v)) in entries.into_iter().enumerate() {
            let pair = if name == "Annotations" { format!("{k}: {v}") } else { format!("{k}={v}") };
            if i == 0 {
                self.line(level, &format!("{name}:\t{pair}"));
            } else {
                self.line(0, &format!("\t{pair}"));
            }
        }
    }
}
