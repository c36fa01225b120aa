//! The file of a kustomization (`sigs.k8s.io/kustomize/api/types/kustomization.go`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Built;
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};

/// Fields of Kustomize that are not built here.
const UNBUILT: [&str; 13] = [
    "buildMetadata",
    "configurations",
    "crds",
    "generators",
    "helmChartInflationGenerator",
    "helmCharts",
    "helmGlobals",
    "imageTags",
    "openapi",
    "replacements",
    "transformers",
    "validators",
    "vars",
];

/// A kustomization.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Kustomization {
    api_version: String,
    kind: String,
    /// Objects of its own (`metadata.name`), which mean nothing.
    metadata: Map<String, Value>,
    pub(super) resources: Vec<String>,
    /// The older name of directories among the resources.
    pub(super) bases: Vec<String>,
    pub(super) components: Vec<String>,
    pub(super) namespace: String,
    pub(super) name_prefix: String,
    pub(super) name_suffix: String,
    pub(super) labels: Vec<Labels>,
    pub(super) common_labels: BTreeMap<String, String>,
    pub(super) common_annotations: BTreeMap<String, String>,
    pub(super) images: Vec<Image>,
    pub(super) replicas: Vec<Replicas>,
    pub(super) config_map_generator: Vec<Generator>,
    pub(super) secret_generator: Vec<Generator>,
    pub(super) generator_options: Options,
    pub(super) patches: Vec<Patch>,
    pub(super) patches_strategic_merge: Vec<String>,
    pub(super) patches_json6902: Vec<Patch>,
    pub(super) sort_options: Option<SortOptions>,
}

/// Labels, and where they go besides `metadata.labels`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Labels {
    pub(super) pairs: BTreeMap<String, String>,
    pub(super) include_selectors: bool,
    pub(super) include_templates: bool,
}

/// Another name, tag or digest for an image.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) new_name: String,
    pub(super) new_tag: String,
    pub(super) tag_suffix: String,
    pub(super) digest: String,
}

/// The replicas of a workload.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Replicas {
    pub(super) name: String,
    pub(super) count: i64,
}

/// A ConfigMap or a Secret to make.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Generator {
    pub(super) name: String,
    pub(super) namespace: String,
    /// `create`, `merge` or `replace`.
    pub(super) behavior: String,
    pub(super) literals: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) envs: Vec<String>,
    pub(super) env: String,
    /// The type of a Secret.
    #[serde(rename = "type")]
    pub(super) type_: String,
    pub(super) options: Options,
}

/// What generated objects have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Options {
    pub(super) labels: BTreeMap<String, String>,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) disable_name_suffix_hash: bool,
    pub(super) immutable: bool,
}

/// A patch, in the file or in another one.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Patch {
    pub(super) path: String,
    pub(super) patch: String,
    pub(super) target: Option<Target>,
    pub(super) options: BTreeMap<String, bool>,
}

/// Which objects a patch is for; names are regular expressions.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Target {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) label_selector: String,
    pub(super) annotation_selector: String,
}

/// In which order objects are printed.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SortOptions {
    pub(super) order: String,
}

/// Reads the file.
pub(super) fn parse(text: &str) -> Built<Kustomization> {
    let documents = yaml::documents(text, &Limits::default())
        .map_err(|e| format!("invalid Kustomization: {}", e.message))?;
    let Some(document) = documents.into_iter().next() else {
        return Err("kustomization.yaml is empty".into());
    };
    if let Some(field) = UNBUILT.iter().find(|f| document.value.get(**f).is_some()) {
        return Err(format!(
            "the field {field} of a kustomization is not built here",
            field = go_quote(field)
        ));
    }
    let file: Kustomization = serde_json::from_value(document.value).map_err(|e| {
        let text = e.to_string();
        match text.strip_prefix("unknown field `").and_then(|t| t.split_once('`')) {
            Some((field, _)) => format!("invalid Kustomization: json: unknown field \"{field}\""),
            None => format!("invalid Kustomization: {text}"),
        }
    })?;
    let wrong_kind = !matches!(file.kind.as_str(), "" | "Kustomization" | "Component");
    if wrong_kind {
        return Err(format!(
            "kustomization kind must be Kustomization or Component, not {}",
            go_quote(&file.kind)
        ));
    }
    if !file.api_version.is_empty() && !file.api_version.starts_with("kustomize.config.k8s.io/") {
        return Err(format!("apiVersion for {} should be kustomize.config.k8s.io/v1beta1", file.kind));
    }
    if let Some(sort) = file.sort_options.as_ref().filter(|s| !matches!(s.order.as_str(), "legacy" | "fifo"))
    {
        return Err(format!("the order {} of sortOptions is neither legacy nor fifo", go_quote(&sort.order)));
    }
    Ok(file)
}
