//! PATCH: a change is applied to what is stored, then it is an update like any other.

use super::{ApiServer, Body, Patch, Request, Response, Status, Subresource, defaults};
use crate::api::{Object, patch};

impl ApiServer {
    pub(super) fn patch(&mut self, r: &Request) -> Result<Response, Status> {
        let Body::Patch(change) = &r.body else { return Err(Status::bad_request("a patch needs a body")) };
        let old = self.existing(r)?;
        let mut object = apply(change, &old)?;
        if r.subresource == Subresource::Scale {
            return Err(Status::method_not_supported(r.kind, "patch"));
        }
        defaults::apply(&mut object);
        self.store_update(r, old, object)
    }
}

fn apply(change: &Patch, old: &Object) -> Result<Object, Status> {
    let kind = old.kind();
    let value = match change {
        Patch::Between { from, to } if from == old => return Ok(to.clone()),
        Patch::Between { from, to } => {
            let p = patch::create_two_way_merge_patch(kind, &from.to_value(), &to.to_value());
            patch::strategic_merge(kind, old.to_value(), &p)
        }
        Patch::Strategic(p) => patch::strategic_merge(kind, old.to_value(), p),
        Patch::Merge(p) => Ok(patch::merge(old.to_value(), p)),
        Patch::Json(p) => patch::json(old.to_value(), p),
    };
    let value = value.map_err(|e| Status::new(422, "Invalid", e.to_string()))?;
    Object::from_value(kind, value).map_err(|e| Status::bad_request(e.to_string()))
}
