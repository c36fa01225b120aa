//! How objects are brought from one version to another: not at all, or by a webhook. A webhook that is
//! well-formed is refused, too, because there is nothing here that could call it.

use std::collections::BTreeSet;

use super::super::types::{CustomResourceDefinition, WebhookClientConfig};
use crate::apiserver::validation::{Errors, FieldError, Path, dns1035_label, json_strings};

const KNOWN_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

fn versions(crd: &CustomResourceDefinition) -> &[String] {
    let webhook = crd.spec.conversion.as_ref().and_then(|c| c.webhook.as_ref());
    webhook.map_or(&[], |w| &w.conversion_review_versions)
}

/// Whether a definition's ConversionReviews are of a version that is known, if it names any.
pub(super) fn has_known_version(crd: &CustomResourceDefinition) -> bool {
    let versions = versions(crd);
    versions.is_empty() || versions.iter().any(|v| KNOWN_VERSIONS.contains(&v.as_str()))
}

pub(super) fn validate(errs: &mut Errors, crd: &CustomResourceDefinition, known_version: bool) {
    let Some(conversion) = &crd.spec.conversion else { return };
    let path = Path::new("spec").child("conversion");
    let strategy = path.child("strategy");
    if conversion.strategy.is_empty() {
        errs.push(FieldError::required(&strategy, ""));
    } else if !matches!(conversion.strategy.as_str(), "None" | "Webhook") {
        errs.push(FieldError::not_supported(&strategy, &conversion.strategy, &["None", "Webhook"]));
    }
    let config = conversion.webhook.as_ref().and_then(|w| w.client_config.as_ref());
    let at = path.child("webhookClientConfig");
    if conversion.strategy != "Webhook" {
        let detail = "should not be set when strategy is not set to Webhook";
        if config.is_some() {
            errs.push(FieldError::forbidden(&at, detail));
        }
        if !versions(crd).is_empty() {
            errs.push(FieldError::forbidden(&path.child("conversionReviewVersions"), detail));
        }
        return;
    }
    let before = errs.len();
    match config {
        None => errs.push(FieldError::required(&at, "required when strategy is set to Webhook")),
        Some(
            WebhookClientConfig { url: None, service: None, .. }
            | WebhookClientConfig { url: Some(_), service: Some(_), .. },
        ) => {
            errs.push(FieldError::required(&at, "exactly one of url or service is required"));
        }
        Some(_) => {}
    }
    review_versions(errs, versions(crd), known_version, &path.child("conversionReviewVersions"));
    if errs.len() == before {
        errs.push(FieldError::forbidden(
            &strategy,
            "conversion by a webhook is not supported here, only None",
        ));
    }
}

fn review_versions(errs: &mut Errors, versions: &[String], known_version: bool, path: &Path) {
    if versions.is_empty() {
        errs.push(FieldError::required(path, ""));
        return;
    }
    let mut seen = BTreeSet::new();
    for (i, version) in versions.iter().enumerate() {
        if !seen.insert(version) {
            errs.push(FieldError::invalid(&path.index(i), version, "duplicate version"));
            continue;
        }
        for detail in dns1035_label(version) {
            errs.push(FieldError::invalid(&path.index(i), version, detail));
        }
    }
    if known_version && !versions.iter().any(|v| KNOWN_VERSIONS.contains(&v.as_str())) {
        let detail = format!("must include at least one of {}", KNOWN_VERSIONS.join(", "));
        errs.push(FieldError::invalid(path, json_strings(versions), detail));
    }
}
