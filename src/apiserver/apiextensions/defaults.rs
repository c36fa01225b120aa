//! What a definition is defaulted to (`pkg/apis/apiextensions/v1/defaults.go`).

use super::types::{CustomResourceConversion, CustomResourceDefinition};

/// Fills in what may be left out: the names that follow from the kind, no conversion, and the
/// versions that objects are stored in. This is done to every definition that is decoded.
pub fn set_defaults(crd: &mut CustomResourceDefinition) {
    let names = &mut crd.spec.names;
    if names.singular.as_deref().is_none_or(str::is_empty) {
        // A kind without a name leaves an empty singular, which is as good as none.
        names.singular = Some(names.kind.to_lowercase()).filter(|s| !s.is_empty());
    }
    if names.list_kind.as_deref().is_none_or(str::is_empty) && !names.kind.is_empty() {
        names.list_kind = Some(format!("{}List", names.kind));
    }
    let conversion = crd
        .spec
        .conversion
        .get_or_insert_with(|| CustomResourceConversion { strategy: "None".to_owned(), webhook: None });
    if let Some(service) =
        conversion.webhook.as_mut().and_then(|w| w.client_config.as_mut()).and_then(|c| c.service.as_mut())
    {
        service.port.get_or_insert(443);
    }
    let status = crd.status.get_or_insert_default();
    if status.stored_versions.as_ref().is_none_or(Vec::is_empty) {
        let storage = crd.spec.versions.iter().find(|v| v.storage);
        status.stored_versions = storage.map(|v| vec![v.name.clone()]);
    }
}
