//! Requests for `/scale`: an object gets another number of replicas.

use serde_json::{Value, json};

use crate::api::quote::go_quote;
use crate::api::{MetaExt, Object, labels};
use crate::apimachinery::{Body, Cause, Details, Request, Response, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::apiextensions::Absent;
use crate::apiserver::context::RequestContext;
use crate::apiserver::kinds::{self, Replicas};
use crate::apiserver::stage::Stage;

impl ApiServer {
    /// Reads the `/scale` of an object, as an object of its own.
    pub(in crate::apiserver) fn get_scale(
        &self,
        r: &Request,
        cx: &RequestContext,
    ) -> Result<Response, Status> {
        let object = self.current(r, cx)?;
        let scale = match &cx.view {
            Some(_) if !r.kind.has_subresource("scale") => {
                return Err(Status::not_found(r.kind, &r.key.name));
            }
            Some(view) => view.scale_of(&object, Absent::Refused)?,
            None => scale_of(&object).ok_or_else(Status::no_such_path)?,
        };
        let read = Object::from_value(crate::api::scale::kind(), scale);
        let object = read.map_err(|e| Status::new(500, "InternalError", e.to_string()))?;
        Ok(Response::Object { object, created: false })
    }

    /// Handles a request for `/scale`: the object gets another size.
    pub(in crate::apiserver) fn scale(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let Body::Scale { replicas, resource_version } = &r.body else { return Err(Status::no_such_path()) };
        cx.enter(Stage::Decode, "", None);
        let old = self.current(r, cx)?;
        let mut object = match &cx.view {
            Some(view) => view.with_replicas(&old, *replicas)?,
            None if *replicas < 0 => return Err(invalid_scale(&r.key.name, *replicas)),
            None => {
                let scale = kinds::storage(r.kind).scale.ok_or_else(Status::no_such_path)?;
                let mut object = old.clone();
                (scale.set)(&mut object, *replicas);
                object
            }
        };
        cx.enter(Stage::Patch, "", Some(&old));
        // A custom object is changed whatever its version, if the scale has none.
        if cx.view.is_none() || resource_version.is_some() {
            object.set_resource_version(resource_version.as_deref());
        }
        self.store_update(r, old, object, cx)
    }
}

/// 422 for a Scale with negative replicas.
fn invalid_scale(name: &str, replicas: i32) -> Status {
    let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
    Status::new(
        422,
        "Invalid",
        format!("Scale.autoscaling {name} is invalid: spec.replicas: {message}", name = go_quote(name)),
    )
    .with(Details {
        name: name.into(),
        group: "autoscaling".into(),
        kind: "Scale".into(),
        causes: vec![Cause { reason: "FieldValueInvalid".into(), message, field: "spec.replicas".into() }],
        ..Details::default()
    })
}

/// The scale of an object; `None` if its kind has none.
pub(in crate::apiserver) fn scale_of(object: &Object) -> Option<Value> {
    let Replicas { wanted, observed, selector } = (kinds::storage(object.kind()).scale?.read)(object)?;
    let meta = object.meta();
    let mut spec_value = json!({});
    // Zero is left out.
    if let Some(n) = wanted.filter(|n| *n != 0) {
        spec_value["replicas"] = n.into();
    }
    let mut value = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1",
        "metadata": {"name": meta.name(), "namespace": meta.namespace(), "uid": meta.uid()},
        "spec": spec_value,
        "status": {"replicas": observed},
    });
    if let Some(rv) = object.resource_version() {
        value["metadata"]["resourceVersion"] = rv.into();
    }
    if let Some(t) = &meta.creation_timestamp {
        value["metadata"]["creationTimestamp"] = t.0.to_string().into();
    }
    let selector = labels::Selector::from_label_selector(Some(&selector)).ok().map(|s| s.to_string());
    if let Some(s) = selector.filter(|s| !s.is_empty()) {
        value["status"]["selector"] = s.into();
    }
    Some(value)
}
