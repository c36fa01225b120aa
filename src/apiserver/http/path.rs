//! What a path names (`k8s.io/apiserver/pkg/endpoints/request`).

use crate::api::Kind;
use crate::apimachinery::{Status, Subresource};
use crate::apiserver::apiextensions::{Definitions, View};

use super::discovery;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestPath {
    /// `/api`
    CoreVersions,
    /// `/apis`
    Groups,
    /// `/apis/apps`
    Group(String),
    /// `/api/v1`, `/apis/apps/v1`
    Resources {
        /// The API group; empty for the core group.
        group: String,
        /// `v1`
        version: String,
    },
    /// `/version`
    Version,
    /// `/healthz`, `/readyz/ping` …
    Health {
        /// `readyz`
        endpoint: &'static str,
        /// The one check that is asked for, as the rest of the path names it; `None` for all.
        check: Option<String>,
    },
    /// `/`: which paths there are.
    Index,
    /// `/openapi/v3` and below: the rest of the path.
    OpenApi(String),
    /// Objects of a kind.
    Objects(Target),
    /// A collection of a kind that Kubernetes has and Steady has not: there are never any.
    Unbuilt {
        /// `DaemonSet`
        kind: &'static str,
        /// `apps/v1`
        api_version: String,
        /// Whether the path ends with an object's name.
        name: Option<String>,
        /// `daemonsets.apps`
        resource: String,
    },
    /// A review, which is answered and not stored.
    Review {
        /// The kind of review.
        review: Review,
        /// The namespace that it is sent to; `None` for most.
        namespace: Option<String>,
    },
    /// A part of an object that the API server asks others for, or makes: `pods/log`, `nodes/proxy`,
    /// `serviceaccounts/token` …
    Runtime {
        /// The object's kind.
        kind: Kind,
        /// The object's namespace; empty for a Node.
        namespace: String,
        /// The object's name; of `proxy` with what stands before and after it, `https:node-1:10250`.
        name: String,
        /// The part: `log`, `proxy`, `token`.
        part: &'static str,
    },
    /// `/.well-known/openid-configuration`: who issues tokens of ServiceAccounts.
    OpenIdConfiguration,
    /// `/openid/v1/jwks`: the keys that such tokens are checked with.
    OpenIdKeys,
    /// `/metrics` and other paths that Steady refuses with 501; the reason.
    NotImplemented(&'static str),
    /// A path below a served group that names no resource: 404.
    NoSuchResource,
    /// A path that nothing serves: 404.
    Nothing,
}

/// A kind of review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    /// SelfSubjectReview: who the sender is.
    SelfSubject,
    /// TokenReview: whose token it is.
    Token,
    /// SelfSubjectAccessReview: whether the sender may do something.
    SelfSubjectAccess,
    /// SelfSubjectRulesReview: what the sender may do.
    SelfSubjectRules,
    /// SubjectAccessReview: whether a user may do something.
    SubjectAccess,
    /// LocalSubjectAccessReview: whether a user may do something in a namespace.
    LocalSubjectAccess,
}

impl Review {
    /// The review of this kind, if the kind is one.
    pub(super) fn of(kind: &str) -> Option<Review> {
        Some(match kind {
            "SelfSubjectReview" => Review::SelfSubject,
            "TokenReview" => Review::Token,
            "SelfSubjectAccessReview" => Review::SelfSubjectAccess,
            "SelfSubjectRulesReview" => Review::SelfSubjectRules,
            "SubjectAccessReview" => Review::SubjectAccess,
            "LocalSubjectAccessReview" => Review::LocalSubjectAccess,
            _ => return None,
        })
    }

    /// Whether the review is sent to a namespace.
    pub(super) fn namespaced(self) -> bool {
        self == Review::LocalSubjectAccess
    }
}

/// What a path of the API names: the objects of a kind, or one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The kind of the objects.
    pub kind: Kind,
    /// In which namespace; `None` for all, or for a cluster-scoped kind.
    pub namespace: Option<String>,
    /// Which one; `None` for the collection.
    pub name: Option<String>,
    /// Which part of it.
    pub subresource: Subresource,
    /// Whether the path has the old prefix `watch`.
    pub watch: bool,
    /// How objects of a custom kind are seen: in the version of the path. `None` for a built-in kind.
    pub(in crate::apiserver) view: Option<View>,
}

/// The parts of objects that nodes answer, or that are no objects.
const RUNTIME: &[(Kind, &str)] = &[
    (Kind::POD, "attach"),
    (Kind::POD, "exec"),
    (Kind::POD, "log"),
    (Kind::POD, "portforward"),
    (Kind::POD, "proxy"),
    (Kind::NODE, "proxy"),
    (Kind::SERVICE, "proxy"),
    (Kind::SERVICE_ACCOUNT, "token"),
];

/// Whether what stands under a path is a text that is kept as it is: the documents of OpenAPI and OpenID, which no serializer
/// writes, so `pretty` changes nothing (`k8s.io/kube-openapi/pkg/handler3`, `pkg/routes/openidmetadata.go`).
pub(super) fn is_finished_text(path: &str) -> bool {
    ["/openapi/", "/openid/", "/.well-known/"].iter().any(|above| path.starts_with(above))
}

/// Reads a path of a server with definitions. A custom resource is looked for where no built-in one has the path.
///
/// # Errors
/// 404 for a part that a definition does not have, 500 for a definition that cannot be served.
pub fn parse_in(path: &str, definitions: &Definitions) -> Result<RequestPath, Status> {
    let path = crate::apimachinery::unescape(path, false);
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    match built_in(&parts) {
        found @ (RequestPath::Nothing | RequestPath::NoSuchResource) if !definitions.is_empty() => {
            match custom(&parts, definitions)? {
                RequestPath::Nothing => Ok(found),
                found => Ok(found),
            }
        }
        found => Ok(found),
    }
}

/// Reads a path of a server without definitions.
#[cfg(test)]
pub fn parse(path: &str) -> RequestPath {
    parse_in(path, &Definitions::default()).unwrap_or(RequestPath::Nothing)
}

fn built_in(parts: &[&str]) -> RequestPath {
    match parts {
        ["api"] => RequestPath::CoreVersions,
        ["apis"] => RequestPath::Groups,
        ["version"] => RequestPath::Version,
        [] | ["index.html"] => RequestPath::Index,
        ["healthz", rest @ ..] => health("healthz", rest),
        ["readyz", rest @ ..] => health("readyz", rest),
        ["livez", rest @ ..] => health("livez", rest),
        ["metrics", ..] => RequestPath::NotImplemented("nothing is measured here, so there are no metrics"),
        ["openid", "v1", "jwks"] => RequestPath::OpenIdKeys,
        [".well-known", "openid-configuration"] => RequestPath::OpenIdConfiguration,
        ["openapi", rest @ ..] => RequestPath::OpenApi(rest.join("/")),
        ["api", "v1"] => RequestPath::Resources { group: String::new(), version: "v1".into() },
        ["api", "v1", rest @ ..] => resource("", "v1", rest),
        ["apis", group] if discovery::has_group(group) => RequestPath::Group((*group).into()),
        ["apis", group, version] if discovery::has_version(group, version) => {
            RequestPath::Resources { group: (*group).into(), version: (*version).into() }
        }
        ["apis", group, version, rest @ ..] if !rest.is_empty() && discovery::has_group(group) => {
            resource(group, version, rest)
        }
        // Below a place that there is, the answer is an object; elsewhere it is not.
        ["api", ..] => RequestPath::NoSuchResource,
        _ => RequestPath::Nothing,
    }
}

fn health(endpoint: &'static str, rest: &[&str]) -> RequestPath {
    RequestPath::Health { endpoint, check: (!rest.is_empty()).then(|| rest.join("/")) }
}

/// What a path below `/apis` names that no built-in resource has.
///
/// # Errors
/// 404 for a part that the definition does not have, 500 for a definition that cannot be served.
fn custom(parts: &[&str], definitions: &Definitions) -> Result<RequestPath, Status> {
    let is_version = |group: &str, version: &str| definitions.versions(group).contains(&version);
    match parts {
        ["apis", group] if !definitions.versions(group).is_empty() => Ok(RequestPath::Group((*group).into())),
        ["apis", group, version] if is_version(group, version) => {
            Ok(RequestPath::Resources { group: (*group).into(), version: (*version).into() })
        }
        ["apis", group, version, rest @ ..] => custom_objects(group, version, rest, definitions),
        _ => Ok(RequestPath::Nothing),
    }
}

fn custom_objects(
    group: &str,
    version: &str,
    rest: &[&str],
    definitions: &Definitions,
) -> Result<RequestPath, Status> {
    let Some(Place { watch, namespace, plural, name, part }) = Place::of(rest) else {
        return Ok(RequestPath::Nothing);
    };
    let Some(definition) = definitions.find(group, plural) else { return Ok(RequestPath::Nothing) };
    let Some(kind) = definition.served(version) else { return Ok(RequestPath::Nothing) };
    // One object's path has the namespace of the object; a collection may be read in all namespaces.
    let misplaced =
        if kind.namespaced() { namespace.is_none() && name.is_some() } else { namespace.is_some() };
    if misplaced {
        return Ok(RequestPath::Nothing);
    }
    let view = definition.view(version)?;
    let subresource = match part {
        "" => Subresource::None,
        "status" if kind.has_subresource("status") => Subresource::Status,
        "scale" if kind.has_subresource("scale") => Subresource::Scale,
        _ => return Err(Status::not_found(kind, name.as_deref().unwrap_or_default())),
    };
    Ok(RequestPath::Objects(Target { kind, namespace, name, subresource, watch, view: Some(view) }))
}

/// What stands in a path behind group and version.
pub(super) struct Place<'a> {
    /// Whether it has the old prefix `watch`.
    pub(super) watch: bool,
    pub(super) namespace: Option<String>,
    pub(super) plural: &'a str,
    pub(super) name: Option<String>,
    /// The part of the object; empty for the object itself.
    pub(super) part: &'a str,
}

impl<'a> Place<'a> {
    /// `None` for a path that is too long.
    pub(super) fn of(rest: &[&'a str]) -> Option<Place<'a>> {
        let (watch, rest) = match rest {
            ["watch", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        // `namespaces/x/status` is a part of a namespace, `namespaces/x/pods` is what lies in it.
        let (namespace, rest) = match rest {
            ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some((*namespace).to_owned()), rest),
            rest => (None, rest),
        };
        let (plural, name, part) = match rest {
            [plural] => (*plural, None, ""),
            [plural, name] => (*plural, Some((*name).to_owned()), ""),
            [plural, name, part] => (*plural, Some((*name).to_owned()), *part),
            // What follows is the path that is asked for behind the proxy.
            [plural, name, part @ "proxy", ..] => (*plural, Some((*name).to_owned()), *part),
            _ => return None,
        };
        Some(Place { watch, namespace, plural, name, part })
    }
}

fn resource(group: &str, version: &str, rest: &[&str]) -> RequestPath {
    let Some(Place { watch, namespace, plural, name, part: sub }) = Place::of(rest) else {
        return RequestPath::NoSuchResource;
    };
    let Some(kind) = Kind::of_resource(group, version, plural) else {
        return unbuilt(group, version, &Place { watch, namespace, plural, name, part: sub });
    };
    let misplaced =
        if kind.namespaced() { name.is_some() && namespace.is_none() } else { namespace.is_some() };
    if let Some(name) = &name
        && let Some((_, part)) = RUNTIME.iter().find(|(k, p)| *k == kind && *p == sub)
        && !misplaced
    {
        let namespace = namespace.unwrap_or_default();
        return RequestPath::Runtime { kind, namespace, name: name.clone(), part };
    }
    let subresource = match sub {
        "" => Subresource::None,
        s if !kind.has_subresource(s) => return RequestPath::NoSuchResource,
        "status" => Subresource::Status,
        "scale" => Subresource::Scale,
        "binding" => Subresource::Binding,
        "eviction" => Subresource::Eviction,
        "finalize" => Subresource::Finalize,
        "ephemeralcontainers" => Subresource::EphemeralContainers,
        "resize" => Subresource::Resize,
        "approval" => Subresource::Approval,
        _ => return RequestPath::NoSuchResource,
    };
    if misplaced {
        return RequestPath::NoSuchResource;
    }
    RequestPath::Objects(Target { kind, namespace, name, subresource, watch, view: None })
}

fn unbuilt(group: &str, version: &str, place: &Place<'_>) -> RequestPath {
    let Place { namespace, plural, name, .. } = place;
    let kind = discovery::find(group, version, plural).filter(|_| place.part.is_empty());
    let Some(kind) = kind else { return RequestPath::NoSuchResource };
    if let Some(review) = Review::of(kind) {
        return match name {
            None if review.namespaced() == namespace.is_some() && !place.watch => {
                RequestPath::Review { review, namespace: namespace.clone() }
            }
            _ => RequestPath::NoSuchResource,
        };
    }
    RequestPath::Unbuilt {
        kind,
        api_version: if group.is_empty() { version.into() } else { format!("{group}/{version}") },
        name: name.clone(),
        resource: if group.is_empty() { (*plural).into() } else { format!("{plural}.{group}") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_objects_and_places() {
        let target = |path: &str| match parse(path) {
            RequestPath::Objects(t) => (t.kind, t.namespace, t.name, t.subresource),
            other => panic!("{path}: {other:?}"),
        };
        let some = |s: &str| Some(s.to_owned());
        assert_eq!(target("/api/v1/namespaces/x"), (Kind::NAMESPACE, None, some("x"), Subresource::None));
        assert_eq!(
            target("/api/v1/namespaces/x/finalize"),
            (Kind::NAMESPACE, None, some("x"), Subresource::Finalize)
        );
        assert_eq!(target("/api/v1/namespaces/x/pods"), (Kind::POD, some("x"), None, Subresource::None));
        assert_eq!(target("/api/v1/namespaces/a%3Ab+c").1, None);
        assert_eq!(target("/api/v1/namespaces/a%3Ab+c").2, some("a:b+c"));
        assert_eq!(parse("/api/v1/pods/p"), RequestPath::NoSuchResource);
        assert_eq!(parse("/api/v1/pods/p/log"), RequestPath::NoSuchResource);
        let proxied = parse("/api/v1/nodes/n/proxy/pods");
        assert!(matches!(proxied, RequestPath::Runtime { kind, .. } if kind == Kind::NODE));
        assert_eq!(parse("/api/v1/nodes/n/log"), RequestPath::NoSuchResource);
        assert_eq!(parse("/apis/example.com/v1"), RequestPath::Nothing);
        assert_eq!(parse("/api/v2/pods"), RequestPath::NoSuchResource);
        assert_eq!(parse("/apis/apps/v2/deployments"), RequestPath::NoSuchResource);
    }
}
