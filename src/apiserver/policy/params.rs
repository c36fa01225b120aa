//! The objects that the rules of a policy read as `params` (`CollectParams` of `policy/generic/policy_dispatcher.go`).

use serde_json::Value;

use super::attributes::Attributes;
use crate::api::labels::Selector;
use crate::api::types::admission::{ParamKind, ParamRef};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, go_types};
use crate::apiserver::ApiServer;
use crate::apiserver::kinds::versions;
use crate::apiserver::validation::text;
use crate::etcd;

/// The kind of params that a policy names.
///
/// # Errors
/// The kind is not served.
pub(super) fn kind_of(api: &ApiServer, wanted: &ParamKind) -> Result<Kind, String> {
    let (api_version, kind) = (text(&wanted.api_version), text(&wanted.kind));
    api.kind_of(api_version, kind).ok_or_else(|| {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind}'")
    })
}

/// The params of a binding: one `None` if it has none, and nothing if there is none of those that it names and that is no
/// matter.
///
/// # Errors
/// They cannot be looked for, or there are none and there have to be.
pub(super) fn collect(
    api: &ApiServer,
    of: &Attributes,
    kind: Option<Kind>,
    wanted: Option<&ParamRef>,
) -> Result<Vec<Option<Value>>, String> {
    let (Some(kind), Some(wanted)) = (kind, wanted) else { return Ok(vec![None]) };
    let own = text(&wanted.namespace);
    let namespace = match (kind.namespaced(), own.is_empty()) {
        (true, false) => own,
        (true, true) if of.namespace.is_empty() => {
            return Err(
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
                    .to_owned(),
            );
        }
        (true, true) => of.namespace,
        (false, false) => {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        }
        (false, true) => "",
    };
    let name = text(&wanted.name);
    let found: Vec<Object> = if !name.is_empty() {
        let at = ObjectRef { kind: kind.stored(), key: Key::new(namespace, name) };
        api.stored(&at).cloned().into_iter().collect()
    } else {
        let selector = Selector::from_label_selector(wanted.selector.as_ref())?;
        let data = api.with_defaults(api.etcd.snapshot(), kind.stored());
        let within = kind.namespaced().then_some(namespace);
        let all = etcd::range(&data, kind.stored(), within).map(|(_, r)| &r.object);
        all.filter(|o| selector.matches(o.meta().labels_or_empty())).cloned().collect()
    };
    if found.is_empty() && text(&wanted.parameter_not_found_action) == "Deny" {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(found.iter().map(|object| Some(value_of(api, object, kind))).collect())
}

/// An object as the version of its kind has it.
fn value_of(api: &ApiServer, object: &Object, kind: Kind) -> Value {
    if kind.is_custom() {
        let seen = api.view(kind).and_then(|view| view.read(object));
        return seen.map_or_else(|_| object.to_value(), |o| o.to_value());
    }
    let mut value = versions::present(kind, object.to_value());
    go_types::write_unset(go_types::of(kind), &mut value);
    value
}
