//! PATCH: a change is applied to what is stored, then it is an update like any other.

use std::rc::Rc;

use super::apply::check_name;
use super::context::RequestContext;
use super::registry::{default_update, invalid, one_owner_once};
use super::stages::Stage;
use super::{ApiServer, defaults, http, validation};
use crate::api::types::{Pod, PodStatus};
use crate::api::{MetaExt, Object, Shared, patch};
use crate::apimachinery::{Body, Patch, Request, Response, Status, Subresource, with_status};

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
        // An update of a pod that is being deleted may be its removal.
        if pod.metadata.is_deleting() || pod.status.is_none() {
            return None;
        }
        let mut status = status.clone();
        if status.qos_class.is_none() {
            status.qos_class = pod.status.as_ref().and_then(|s| s.qos_class.clone());
        }
        if cx.notes_stages() {
            let new = with_status(pod, status.clone()).into();
            cx.enter(Stage::Validate, "", Some(&new));
        }
        let errors = validation::validate_pod_status(pod, &status);
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
        Patch::Strategic(_) if kind.is_custom() => return Err(http::unsupported_patch()),
        Patch::Strategic(p) => patch::strategic_merge(kind, old.to_value(), p),
        Patch::Merge(p) => Ok(patch::json_merge_patch(old.to_value(), p)),
        Patch::Json(p) => patch::json_patch(old.to_value(), p),
        // An apply needs more than the object: see `apply.rs`.
        Patch::Apply { .. } | Patch::PodStatus { .. } => {
            return Err(Status::bad_request("an apply is no patch"));
        }
    };
    let mut value = value.map_err(http::refusal)?;
    if !kind.is_custom() {
        defaults::prepare(kind, &mut value);
    }
    Object::from_value(kind, value).map_err(|e| Status::bad_request(e.to_string()))
}
