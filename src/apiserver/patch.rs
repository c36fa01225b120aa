//! PATCH: a change is applied to what is stored, then it is an update like any other.

use super::apply::check_name;
use super::{ApiServer, Body, Patch, Request, Response, Status, Subresource, defaults, http};
use crate::api::Object;
use crate::api::patch;

impl ApiServer {
    pub(super) fn patch(&mut self, r: &Request) -> Result<Response, Status> {
        if let Body::Patch(Patch::Apply { config, force }) = &r.body {
            return self.apply(r, config, *force);
        }
        if r.subresource == Subresource::Scale {
            return self.scale(r);
        }
        let Body::Patch(change) = &r.body else { return Err(Status::bad_request("a patch needs a body")) };
        let old = self.existing(r)?;
        let object = changed(change, &old)?;
        self.store_patched(r, old, object)
    }

    /// Stores what a patch made of an object.
    pub(super) fn store_patched(
        &mut self,
        r: &Request,
        old: Object,
        mut object: Object,
    ) -> Result<Response, Status> {
        self.match_namespace(r, &mut object)?;
        check_name(object.name(), &r.key.name)?;
        match r.subresource {
            Subresource::Status => defaults::apply_to_status(&mut object),
            _ => defaults::apply(&mut object),
        }
        self.store_update(r, old, object)
    }
}

fn changed(change: &Patch, old: &Object) -> Result<Object, Status> {
    let kind = old.kind();
    let value = match change {
        Patch::Between { from, to } if from == old => return Ok(to.clone()),
        Patch::Between { from, to } => {
            let change = patch::create_two_way_merge_patch(kind, &from.to_value(), &to.to_value());
            change.and_then(|c| patch::strategic_merge(kind, old.to_value(), &c))
        }
        Patch::Strategic(p) => patch::strategic_merge(kind, old.to_value(), p),
        Patch::Merge(p) => Ok(patch::json_merge_patch(old.to_value(), p)),
        Patch::Json(p) => patch::json_patch(old.to_value(), p),
        // An apply needs more than the object: see `apply.rs`.
        Patch::Apply { .. } => return Err(Status::bad_request("an apply is no patch")),
    };
    let mut value = value.map_err(http::refusal)?;
    defaults::prepare(kind, &mut value);
    Object::from_value(kind, value).map_err(|e| Status::bad_request(e.to_string()))
}
