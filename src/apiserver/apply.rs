//! Server-side apply: a configuration is merged into what is stored, or becomes it
//! (`k8s.io/apiserver/pkg/endpoints/handlers/patch.go`, applyPatcher).

use serde_json::Value;

use super::apiextensions::View;
use super::context::RequestContext;
use super::decode::to_object;
use super::managed_fields::{self, Applier, Layout};
use super::registry::{check_name, scale_of};
use super::stage::Stage;
use super::{ApiServer, kinds};
use crate::api::go_types::{self, Json};
use crate::api::quote::go_quote;
use crate::api::{Kind, Manager, Object};
use crate::apimachinery::{Body, Request, Response, Status, Subresource};

impl ApiServer {
    /// Applies a configuration. After a dry run the field managers that the object would have are left in the context.
    pub(super) fn apply(
        &mut self,
        r: &Request,
        config: &Value,
        force: bool,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let answer = self.apply_undoable(r, config, force, cx);
        if answer.is_err() {
            cx.managers = None;
        }
        answer
    }

    fn apply_undoable(
        &mut self,
        r: &Request,
        config: &Value,
        force: bool,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let scale = r.subresource == Subresource::Scale;
        let (kind, api_version) =
            if scale { ("Scale", "autoscaling/v1") } else { (r.kind.as_str(), r.kind.api_version()) };
        cx.enter(Stage::Decode, "", None);
        check(config, kind, api_version)?;
        let at = r.object();
        let old = match self.current(r, cx) {
            Err(e) if e.is_not_found() => None,
            found => Some(found?),
        };
        let managers = self.managers(&at);
        let manager = cx.manager(r);
        let by = Applier { manager: &manager, subresource: r.subresource.as_str(), force, now: self.now };
        if scale {
            let old = old.ok_or_else(|| Status::not_found(r.kind, &r.key.name))?;
            if let Some(view) = &cx.view {
                return Err(no_scale_to_apply_to(view, &managers));
            }
            let have = scale_of(&old).ok_or_else(Status::no_such_path)?;
            let decoded =
                go_types::decode(go_types::scale(), &Json::from(config)).map_err(Status::bad_request)?;
            // A name that the configuration does not have stays that of the scale.
            if let Some(name) = decoded.value.pointer("/metadata/name").and_then(Value::as_str) {
                check_name(name, &r.key.name)?;
            }
            let wanted = decoded.value.pointer("/spec/replicas").and_then(Value::as_i64);
            let replicas = have.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
            let managers =
                managed_fields::apply_scale(r.kind, &managers, wanted.map(|n| (replicas, n)), &by)?;
            cx.managers = Some(managers.into());
            let replicas = i32::try_from(wanted.unwrap_or(replicas)).unwrap_or(i32::MAX);
            let version = decoded.value.pointer("/metadata/resourceVersion").and_then(Value::as_str);
            let resource_version = version.map(str::to_owned);
            let body = Body::Scale { replicas, resource_version };
            return self.scale(&Request { body, ..r.clone() }, cx);
        }
        if old.is_some() {
            cx.enter(Stage::Patch, "", old.as_ref());
        }
        let live = old.as_ref().map(|old| kinds::versions::present(r.kind, old.to_value()));
        let view = cx.view.clone();
        let layout = view.as_ref().map_or(Layout::BuiltIn(r.kind), View::layout);
        let applied = managed_fields::apply(layout, live.as_ref(), config, &managers, &by)?;
        let object = match &view {
            Some(view) => view.object(applied.value.clone())?,
            None => object_of(r.kind, &applied.value)?,
        };
        match old {
            // A policy may have something to say to an apply that changes nothing.
            Some(old)
                if applied.managers[..] == managers[..]
                    && live.as_ref() == Some(&applied.value)
                    && !self.has_policies(r.kind) =>
            {
                Ok(Response::Object { object: old, created: false })
            }
            Some(old) => {
                cx.managers = Some(applied.managers.into());
                self.store_patched(r, old, object, cx)
            }
            None if !object.uid().is_empty() => {
                let why = format!(
                    "uid mismatch: the provided object specified uid {}, and no existing object was found",
                    object.uid()
                );
                Err(Status::conflict(r.kind, &r.key.name, &why))
            }
            None => {
                check_name(object.name(), &r.key.name)?;
                if r.subresource != Subresource::None {
                    return Err(Status::not_found(r.kind, &r.key.name));
                }
                cx.managers = Some(applied.managers.into());
                self.create_instead(r, object, cx)
            }
        }
    }
}

/// 500: the scale of a custom object cannot be applied to, because its managers' fields cannot be brought into the
/// version of the scale (`crConverter` of apiextensions).
fn no_scale_to_apply_to(view: &View, managers: &[Manager]) -> Status {
    let why = "failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1";
    if managed_fields::of_scale(managers, &view.replicas_path()).is_empty() {
        return Status::new(500, "", format!("failed to create manager for existing fields: {why}"));
    }
    Status::new(500, "", why)
}

/// Checks apiVersion and kind of a configuration (`versionCheckManager`), and that it names no field managers. Its name is
/// checked after the merge, because an object that is there has one (`applyPatch` in `endpoints/handlers/patch.go`).
fn check(config: &Value, kind: &str, api_version: &str) -> Result<(), Status> {
    let text = |p: &str| config.pointer(p).and_then(Value::as_str).unwrap_or_default();
    let (its_version, its_kind) = (text("/apiVersion"), text("/kind"));
    if (its_version, its_kind) != (api_version, kind) {
        let (group, version) = its_version.rsplit_once('/').unwrap_or(("", its_version));
        return Err(Status::bad_request(format!("invalid object type: {group}/{version}, Kind={its_kind}")));
    }
    if config.pointer("/metadata/managedFields").is_some_and(|v| !v.is_null()) {
        return Err(Status::bad_request("metadata.managedFields must be nil"));
    }
    Ok(())
}

/// The object that an apply led to, decoded. Its defaults are filled in where it is stored.
fn object_of(kind: Kind, value: &Value) -> Result<Object, Status> {
    let decoded = go_types::decode(go_types::of(kind), &Json::from(value)).map_err(|e| {
        let (k, v) = (kind.as_str(), kind.version());
        Status::bad_request(format!("{k} in version {v} cannot be handled as a {k}: {e}", v = go_quote(v)))
    })?;
    to_object(kind, decoded.value)
}
