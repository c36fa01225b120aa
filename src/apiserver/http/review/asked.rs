//! What a review of access asks about (`pkg/registry/authorization/util/helpers.go`).

use std::rc::Rc;

use serde_json::Value;

use super::text;
use crate::api::fields::FieldSelector;
use crate::apimachinery::UserInfo;
use crate::apiserver::authorization::{AUTHORIZED_FIELDS, Access, Asked, Resource};

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The user that a review names.
pub(super) fn user(asked: &Value) -> UserInfo {
    let extra = asked.pointer("/spec/extra").and_then(Value::as_object);
    UserInfo {
        name: text(asked, "/spec/user").to_owned(),
        uid: text(asked, "/spec/uid").to_owned(),
        groups: texts(asked.pointer("/spec/groups")),
        extra: extra.into_iter().flatten().map(|(k, v)| (k.clone(), texts(Some(v)))).collect(),
    }
}

/// The field and the value that a selector demands of all objects.
fn field(selector: &Value) -> Option<(String, String)> {
    let requirements = selector.get("requirements").and_then(Value::as_array).into_iter().flatten();
    requirements.filter(|r| text(r, "/operator") == "In").find_map(|r| {
        let values = texts(r.get("values"));
        let [value] = values.as_slice() else { return None };
        let key = text(r, "/key");
        AUTHORIZED_FIELDS.contains(&key).then(|| (key.to_owned(), value.clone()))
    })
}

/// What the user would do.
pub(super) fn access(user: Rc<UserInfo>, asked: &Value) -> Access {
    if let Some(of) = asked.pointer("/spec/nonResourceAttributes") {
        let path = Asked::Path(text(of, "/path").to_owned());
        return Access { user, verb: text(of, "/verb").to_owned(), of: path };
    }
    let of = asked.pointer("/spec/resourceAttributes").unwrap_or(&Value::Null);
    let own = |key: &str| text(of, key).to_owned();
    let resource = Resource {
        group: own("/group"),
        resource: own("/resource"),
        subresource: own("/subresource"),
        namespace: own("/namespace"),
        name: own("/name"),
        field: of.get("fieldSelector").and_then(field),
    };
    let raw = text(of, "/fieldSelector/rawSelector");
    let resource = match raw {
        "" => resource,
        raw => resource.of_fields(&FieldSelector::parse(raw).unwrap_or_default()),
    };
    Access { user, verb: own("/verb"), of: Asked::Resource(resource) }
}
