//! PATCH: a change is applied to what is stored, then it is an update like any other.

use std::rc::Rc;

use super::context::RequestContext;
use super::kinds::pod::status::preserve_observed_generation;
use super::owners::one_owner_once;
use super::registry::{check_name, default_update};
use super::stage::Stage;
use super::validation::invalid;
use super::{ApiServer, rest};
use crate::api::patch::{self, PatchError};
use crate::api::types::{Pod, PodStatus};
use crate::api::{MetaExt, Object, Shared};
use crate::apimachinery::{Body, Details, Patch, Request, Response, Status, Subresource, with_status};

impl ApiServer {
    pub(super) fn patch(&mut self, r: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        if let Body::Patch(Patch::Apply { config, force }) = &r.body {
            return self.apply(r, config, *force, cx);
        }
        if r.subresource == Subresource::Scale {
            return self.scale(r, cx);
        }
        let Body::Patch(change) = &r.body else { return Err(Status::bad_request("a patch needs a body")) };
        cx.enter(Stage::Decode, "", None);
        let old = self.current(r, cx)?;
        cx.enter(Stage::Patch, "", Some(&old));
        if let Patch::PodStatus { from, status } = change
            && let Some(answer) = self.report(r, &old, from, status, cx)
        {
            return answer;
        }
        let object = changed(change, &old)?;
        self.store_patched(r, old, object, cx)
    }

    /// Handles a kubelet's report if the kubelet read the pod that is stored now: then only the status can be wrong or
    /// change, and nothing else is looked at. `None` otherwise; the report is then a patch like any other.
    fn report(
        &mut self,
        r: &Request,
        old: &Object,
        from: &Rc<Pod>,
        status: &Shared<PodStatus>,
        cx: &mut RequestContext,
    ) -> Option<Result<Response, Status>> {
        let pod = old.get::<Pod>().filter(|pod| Rc::ptr_eq(pod, from))?;
        if r.subresource != Subresource::Status || *r.key.name != *pod.metadata.name() || r.dry_run {
            return None;
        }
        // A policy wants to see the whole pod.
        if self.has_policies(r.kind) {
            return None;
        }
        // An update of a pod that is being deleted may be its removal.
        if pod.metadata.is_deleting() || pod.status.is_none() {
            return None;
        }
        let mut status = status.clone();
        if status.qos_class.is_none() {
            status.qos_class = pod.status.as_ref().and_then(|s| s.qos_class.clone());
        }
        if let Some(before) = &pod.status {
            preserve_observed_generation(&mut status, before);
        }
        if cx.notes_stages() {
            let new = with_status(pod, status.clone()).into();
            cx.enter(Stage::Validate, "", Some(&new));
        }
        let errors = rest::validate_pod_status(pod, &status);
        if !errors.is_empty() {
            return Some(Err(invalid(r.kind, &r.key.name, &errors)));
        }
        if pod.status.as_ref() == Some(&status) {
            return Some(Ok(Response::Object { object: old.clone(), created: false }));
        }
        let new: Object = with_status(pod, status).into();
        cx.enter(Stage::Store, "", Some(&new));
        let object = self.write(r.object(), Some(old.clone()), new, r, cx);
        Some(Ok(Response::Object { object, created: false }))
    }

    /// Stores the object that a patch led to.
    pub(super) fn store_patched(
        &mut self,
        r: &Request,
        old: Object,
        mut object: Object,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        self.match_namespace(r, &mut object)?;
        check_name(object.name(), &r.key.name)?;
        cx.enter(Stage::Default, "", Some(&object));
        default_update(r, &mut object, cx)?;
        one_owner_once(&mut object, true, &mut cx.warnings);
        self.store_update(r, old, object, cx)
    }
}

fn changed(change: &Patch, old: &Object) -> Result<Object, Status> {
    let kind = old.kind();
    let between;
    let change = match change {
        Patch::PodStatus { from, status } => {
            let (from, to) = Patch::between(from, status);
            between = Patch::Between { from, to };
            &between
        }
        change => change,
    };
    let value = match change {
        Patch::Between { from, to } if from == old => return Ok(to.clone()),
        Patch::Between { from, to } if kind.is_custom() => {
            let change = patch::create_json_merge_patch(&from.to_value(), &to.to_value());
            Ok(patch::json_merge_patch(old.to_value(), &change))
        }
        Patch::Between { from, to } => {
            let change = patch::create_two_way_merge_patch(kind, &from.to_value(), &to.to_value());
            change.and_then(|c| patch::strategic_merge(kind, old.to_value(), &c))
        }
        Patch::Strategic(_) if kind.is_custom() => return Err(unsupported_patch()),
        Patch::Strategic(p) => patch::strategic_merge(kind, old.to_value(), p),
        Patch::Merge(p) => Ok(patch::json_merge_patch(old.to_value(), p)),
        Patch::Json(p) => patch::json_patch(old.to_value(), p),
        // An apply needs more than the object: see `apply.rs`.
        Patch::Apply { .. } | Patch::PodStatus { .. } => {
            return Err(Status::bad_request("an apply is no patch"));
        }
    };
    let mut value = value.map_err(refusal)?;
    if !kind.is_custom() {
        rest::prepare(kind, &mut value).map_err(Status::bad_request)?;
    }
    Object::from_value(kind, value).map_err(|e| Status::bad_request(e.to_string()))
}

pub(super) fn refusal(e: PatchError) -> Status {
    match e {
        PatchError::BadRequest(m) => Status::bad_request(m),
        // What exactly does not fit is not said.
        PatchError::Unprocessable(_) | PatchError::TestFailed(_) => {
            let m = "the server rejected our request due to an error in our request";
            Status::new(422, "Invalid", m).with(Details::default())
        }
        // An error that no status was made of: it has a code and no reason.
        PatchError::Internal(m) => Status::new(500, "", m),
    }
}

/// 415 for a patch that custom objects do not have: how their lists merge is not known to a strategic merge.
pub(super) fn unsupported_patch() -> Status {
    Status::new(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    )
}
