//! What the sender of a request asks for (`authorizer.Attributes`), as the path and the method say it
//! (`k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`), and how a refusal says it
//! (`…/endpoints/handlers/responsewriters/errors.go`).

use std::rc::Rc;

use crate::api::fields::FieldSelector;
use crate::api::quote::go_quote;
use crate::apimachinery::{Details, HttpRequest, Query, Status, UserInfo, unescape};
use crate::apiserver::validation::path_segment_name;

/// What a user asks to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::apiserver) struct Access {
    pub(in crate::apiserver) user: Rc<UserInfo>,
    /// `list`; of a request that is not for objects the method, `get`.
    pub(in crate::apiserver) verb: String,
    /// What it is to be done to.
    pub(in crate::apiserver) of: Asked,
}

/// What a request is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::apiserver) enum Asked {
    /// Something that is no object: a path.
    Path(String),
    /// Objects.
    Resource(Resource),
}

/// The objects that a request is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::apiserver) struct Resource {
    pub(in crate::apiserver) group: String,
    /// `pods`
    pub(in crate::apiserver) resource: String,
    /// `log`; empty for the objects themselves.
    pub(in crate::apiserver) subresource: String,
    /// Empty for all namespaces, and for what is in none. The namespace of a namespace is itself.
    pub(in crate::apiserver) namespace: String,
    /// Empty for all of a collection.
    pub(in crate::apiserver) name: String,
    /// The field and the value that every object of the request has, from its `fieldSelector`.
    pub(in crate::apiserver) field: Option<(String, String)>,
}

impl Resource {
    /// The same objects, but only those that a field selector matches.
    pub(in crate::apiserver) fn of_fields(self, selector: &FieldSelector) -> Resource {
        Resource { field: exact_field(selector), ..self }
    }

    /// `pods/log`
    pub(super) fn combined(&self) -> String {
        match self.subresource.as_str() {
            "" => self.resource.clone(),
            part => format!("{}/{part}", self.resource),
        }
    }
}

/// The fields by which kubelets and other clients choose objects of their own.
pub(in crate::apiserver) const AUTHORIZED_FIELDS: [&str; 1] = ["spec.nodeName"];

/// The objects that a list, a watch or a deletion of a collection is limited to by `fieldSelector`.
fn exact_field(selector: &FieldSelector) -> Option<(String, String)> {
    let found = AUTHORIZED_FIELDS.iter().find_map(|f| selector.exact(f).map(|value| (*f, value)));
    found.map(|(field, value)| (field.to_owned(), value.to_owned()))
}

impl Access {
    /// What an HTTP request asks for.
    pub(in crate::apiserver) fn of(user: &Rc<UserInfo>, request: &HttpRequest, query: &Query) -> Access {
        let path = unescape(&request.path, false);
        let trimmed = path.trim_matches('/');
        let parts: Vec<&str> = if trimmed.is_empty() { Vec::new() } else { trimmed.split('/').collect() };
        let (group, parts) = match parts.as_slice() {
            ["api", _, rest @ ..] if !rest.is_empty() => ("", rest),
            ["apis", group, _, rest @ ..] if !rest.is_empty() => (*group, rest),
            _ => {
                let verb = request.method.to_lowercase();
                return Access { user: user.clone(), verb, of: Asked::Path(path) };
            }
        };
        let (verb, of) = resource(group, parts, &request.method, query);
        Access { user: user.clone(), verb, of: Asked::Resource(of) }
    }

    /// 403: the user may not do this; with what the authorizers say of it.
    pub(in crate::apiserver) fn forbidden(&self, reason: &str) -> Status {
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let why = format!("{}{reason}", escaped(&self.sentence()));
        match &self.of {
            Asked::Path(_) => {
                Status::new(403, "Forbidden", format!("forbidden: {why}")).with(Details::default())
            }
            Asked::Resource(of) => forbidden(&of.group, &of.resource, &of.name, &why),
        }
    }

    fn sentence(&self) -> String {
        let (user, verb) = (go_quote(&self.user.name), &self.verb);
        match &self.of {
            Asked::Path(path) => format!("User {user} cannot {verb} path {}", go_quote(path)),
            Asked::Resource(of) => {
                let place = match of.namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {}", go_quote(namespace)),
                };
                let (resource, group) = (go_quote(of.combined()), go_quote(&of.group));
                format!("User {user} cannot {verb} resource {resource} in API group {group} {place}")
            }
        }
    }
}

/// Text in which nothing looks like HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// 403 about objects of a resource (`errors.NewForbidden`).
pub(in crate::apiserver) fn forbidden(group: &str, resource: &str, name: &str, why: &str) -> Status {
    let dot = if group.is_empty() { "" } else { "." };
    let of = if name.is_empty() { String::new() } else { format!(" {}", go_quote(name)) };
    let message = format!("{resource}{dot}{group}{of} is forbidden: {why}");
    let details =
        Details { name: name.into(), group: group.into(), kind: resource.into(), ..Details::default() };
    Status::new(403, "Forbidden", message).with(details)
}

fn resource(group: &str, parts: &[&str], method: &str, query: &Query) -> (String, Resource) {
    let (special, parts) = match parts {
        [verb @ ("watch" | "proxy"), rest @ ..] if !rest.is_empty() => (Some(*verb), rest),
        parts => (None, parts),
    };
    let mut verb = special.unwrap_or(match method {
        "POST" => "create",
        "GET" | "HEAD" => "get",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "",
    });
    let (namespace, parts) = match parts {
        ["namespaces", namespace, rest @ ..] => match rest {
            [] | ["status" | "finalize", ..] => (*namespace, parts),
            _ => (*namespace, rest),
        },
        parts => ("", parts),
    };
    let part = |i: usize| parts.get(i).copied().unwrap_or_default();
    let mut of = Resource {
        group: group.to_owned(),
        resource: part(0).to_owned(),
        subresource: if verb == "proxy" { String::new() } else { part(2).to_owned() },
        namespace: namespace.to_owned(),
        name: part(1).to_owned(),
        field: None,
    };
    let selector = FieldSelector::parse(query.text("fieldSelector")).unwrap_or_default();
    if of.name.is_empty() && verb == "get" {
        verb = if query.on("watch") { "watch" } else { "list" };
        if let Some(name) = selector.exact("metadata.name")
            && path_segment_name(name).is_empty()
        {
            of.name = name.to_owned();
        }
    }
    if of.name.is_empty() && verb == "delete" {
        verb = "deletecollection";
    }
    if special.is_none() && matches!(verb, "list" | "watch" | "deletecollection") {
        of.field = exact_field(&selector);
    }
    (verb.to_owned(), of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: &str, path: &str, query: &str) -> (String, Asked) {
        let request = HttpRequest { method: method.into(), path: path.into(), ..HttpRequest::default() };
        let access = Access::of(&Rc::default(), &request, &Query::parse(query));
        (access.verb, access.of)
    }

    /// `staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo_test.go`, `TestGetAPIRequestInfo` and
    /// `TestGetNonAPIRequestInfo`.
    #[test]
    fn a_path_says_what_is_asked_for() {
        let of = |method: &str, path: &str, query: &str| match asked(method, path, query) {
            (verb, Asked::Path(path)) => format!("{verb} {path}"),
            (verb, Asked::Resource(r)) => {
                format!("{verb} {} {}|{}|{}", r.combined(), r.group, r.namespace, r.name)
            }
        };
        for (method, path, query, want) in [
            ("GET", "/api/v1/namespaces", "", "list namespaces ||"),
            ("GET", "/api/v1/namespaces/other", "", "get namespaces |other|other"),
            ("PUT", "/api/v1/namespaces/other/finalize", "", "update namespaces/finalize |other|other"),
            ("GET", "/api/v1/namespaces/other/pods", "", "list pods |other|"),
            ("GET", "/api/v1/namespaces/other/pods/foo", "", "get pods |other|foo"),
            ("HEAD", "/api/v1/namespaces/other/pods/foo", "", "get pods |other|foo"),
            ("GET", "/api/v1/pods", "watch=true", "watch pods ||"),
            ("GET", "/api/v1/pods", "watch=false", "list pods ||"),
            ("GET", "/api/v1/pods", "fieldSelector=metadata.name%3Dfoo", "list pods ||foo"),
            ("GET", "/api/v1/watch/namespaces/other/pods", "", "watch pods |other|"),
            ("DELETE", "/api/v1/namespaces/other/pods", "", "deletecollection pods |other|"),
            (
                "GET",
                "/apis/extensions/v1beta1/namespaces/ns/pods/foo/scale",
                "",
                "get pods/scale extensions|ns|foo",
            ),
            ("GET", "/api/v1/namespaces/ns/pods/foo/proxy/x", "", "get pods/proxy |ns|foo"),
            ("GET", "/apis/batch/v1", "", "get /apis/batch/v1"),
            ("POST", "/healthz/", "", "post /healthz/"),
            ("GET", "/", "", "get /"),
        ] {
            assert_eq!(of(method, path, query), want);
        }
    }
}
