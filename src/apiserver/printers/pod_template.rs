//! Cells about the pods that an object makes.

use crate::api::labels;
use crate::api::types::{LabelSelector, PodTemplateSpec};

/// The names and the images of a template's containers.
pub(in crate::apiserver) fn template_cells(template: Option<&PodTemplateSpec>) -> [String; 2] {
    let containers =
        template.and_then(|t| t.spec.as_ref()).map(|s| s.containers.as_slice()).unwrap_or_default();
    let names: Vec<&str> = containers.iter().map(|c| c.name.as_str()).collect();
    let images: Vec<&str> = containers.iter().map(|c| c.image.as_deref().unwrap_or_default()).collect();
    [names.join(","), images.join(",")]
}

/// A selector; `<none>` if there is none.
pub(in crate::apiserver) fn selector(selector: Option<&LabelSelector>) -> String {
    selector.map_or_else(|| "<none>".to_owned(), labels::format_label_selector)
}
