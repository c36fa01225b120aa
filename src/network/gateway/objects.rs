//! The objects of the Gateway API (`apis/v1` in kubernetes-sigs/gateway-api v1.5.1) and of the controller's own group, as far as they are
//! read. They are of custom kinds, so they come as JSON.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::api::types::LabelSelector;
use crate::api::{Key, MetaExt, Object, Timestamp};

/// The group of the Gateway API.
pub const GROUP: &str = "gateway.networking.k8s.io";
/// The controller's own group.
pub const OWN_GROUP: &str = "gateway.nginx.org";

/// An object of a custom kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Source<T> {
    /// Its namespace and name.
    pub key: Key,
    /// Its uid.
    pub uid: Rc<str>,
    /// `metadata.generation`
    pub generation: i64,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// Its specification.
    pub spec: T,
    /// Its status, as JSON.
    pub status: Value,
}

impl<T: DeserializeOwned> Source<T> {
    /// Reads an object; `None` if its specification is not one of this kind.
    pub fn of(object: &Object) -> Option<Source<T>> {
        let custom = object.custom()?;
        let meta = custom.meta();
        let fields = custom.fields();
        Some(Source {
            key: object.key(),
            uid: meta.uid().into(),
            generation: meta.generation.unwrap_or_default(),
            created: meta.creation_timestamp.as_ref().map(|t| t.0),
            spec: serde_json::from_value(fields.get("spec")?.clone()).ok()?,
            status: fields.get("status").cloned().unwrap_or_default(),
        })
    }
}

impl<T> Source<T> {
    /// By what of two objects the one that counts more is found: it is older, or its name comes first (`ngfsort`).
    pub fn age(&self) -> (Option<Timestamp>, &str, &str) {
        (self.created, &self.key.namespace, &self.key.name)
    }
}

/// The specification of a GatewayClass.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GatewayClassSpec {
    /// Whose class it is.
    pub controller_name: String,
    /// An object with parameters.
    pub parameters_ref: Option<ParametersRef>,
}

/// A reference to parameters.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ParametersRef {
    /// The group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace; absent in a Gateway.
    pub namespace: Option<String>,
}

/// The specification of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GatewaySpec {
    /// The name of its class.
    pub gateway_class_name: String,
    /// Where it listens.
    pub listeners: Vec<Listener>,
    /// The addresses that it asks for.
    pub addresses: Vec<Address>,
    /// What goes to the objects that are made for it.
    pub infrastructure: Option<Infrastructure>,
}

/// An address that a Gateway asks for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Address {
    /// `IPAddress`, `Hostname`, or a type of an implementation.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// The address.
    pub value: String,
}

/// What goes to the objects that are made for a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Infrastructure {
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    pub annotations: BTreeMap<String, String>,
    /// An NginxProxy of the Gateway's namespace.
    pub parameters_ref: Option<ParametersRef>,
}

/// A listener of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Listener {
    /// Its name.
    pub name: String,
    /// The host that it is for; all if absent.
    pub hostname: Option<String>,
    /// The port.
    pub port: u16,
    /// `HTTP`, `HTTPS`, `TLS`, `TCP`, `UDP`, or a protocol of an implementation.
    pub protocol: String,
    /// What is said of TLS.
    pub tls: Option<Tls>,
    /// Which routes it lets attach.
    pub allowed_routes: Option<AllowedRoutes>,
}

/// What a listener says of TLS.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tls {
    /// `Terminate` or `Passthrough`.
    pub mode: Option<String>,
    /// The Secrets with certificates.
    pub certificate_refs: Vec<SecretRef>,
    /// Options of the implementation.
    pub options: BTreeMap<String, String>,
}

/// A reference to a Secret.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretRef {
    /// The group; empty for that of Secrets.
    pub group: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The name.
    pub name: String,
    /// The namespace; that of the Gateway if absent.
    pub namespace: Option<String>,
}

/// Which routes a listener lets attach.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AllowedRoutes {
    /// Of which namespaces.
    pub namespaces: Option<RouteNamespaces>,
    /// Of which kinds; those of the protocol if absent.
    pub kinds: Option<Vec<RouteKind>>,
}

/// The namespaces of routes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteNamespaces {
    /// `All`, `Same` or `Selector`.
    pub from: Option<String>,
    /// The labels of the namespaces.
    pub selector: Option<LabelSelector>,
}

/// A kind of routes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteKind {
    /// The group.
    pub group: Option<String>,
    /// The kind.
    pub kind: String,
}

/// What HTTPRoutes and GRPCRoutes have in common.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteSpec {
    /// What it wants to attach to.
    pub parent_refs: Vec<ParentRef>,
    /// The hosts that it is for.
    pub hostnames: Vec<String>,
    /// Its rules. Those of a GRPCRoute are not read.
    pub rules: Vec<HttpRule>,
}

/// A reference to a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ParentRef {
    /// The group.
    pub group: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The namespace; that of the route if absent.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The name of a listener.
    pub section_name: Option<String>,
    /// The port of listeners.
    pub port: Option<u16>,
}

/// A rule of an HTTPRoute.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpRule {
    /// Its name.
    pub name: Option<String>,
    /// Which requests it is for.
    pub matches: Vec<HttpMatch>,
    /// What is done with them.
    pub filters: Vec<Filter>,
    /// Where they are sent.
    pub backend_refs: Vec<BackendRef>,
    /// How long they may take.
    pub timeouts: Option<Value>,
}

/// Which requests a rule is for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpMatch {
    /// The path.
    pub path: Option<PathMatch>,
    /// Header fields.
    pub headers: Vec<ValueMatch>,
    /// Parameters of the query.
    pub query_params: Vec<ValueMatch>,
    /// The method.
    pub method: Option<String>,
}

/// How a path is compared.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PathMatch {
    /// `Exact`, `PathPrefix` or `RegularExpression`.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// The path, or the expression.
    pub value: Option<String>,
}

/// How a header field or a parameter is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValueMatch {
    /// `Exact` or `RegularExpression`.
    #[serde(rename = "type")]
    pub type_: Option<String>,
    /// Its name.
    pub name: String,
    /// The value, or the expression.
    pub value: String,
}

impl ValueMatch {
    /// Whether the value is a regular expression.
    pub fn is_expression(&self) -> bool {
        self.type_.as_deref() == Some("RegularExpression")
    }
}

/// What is done with a request or its answer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Filter {
    /// Which of the others it is.
    #[serde(rename = "type")]
    pub type_: String,
    /// Changes header fields of the request.
    pub request_header_modifier: Option<HeaderFilter>,
    /// Changes header fields of the answer.
    pub response_header_modifier: Option<HeaderFilter>,
    /// Sends the client elsewhere.
    pub request_redirect: Option<Redirect>,
    /// Changes host and path.
    pub url_rewrite: Option<Rewrite>,
    /// A filter of the implementation.
    pub extension_ref: Option<ParametersRef>,
}

/// Changes of header fields.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HeaderFilter {
    /// Fields whose value is added.
    pub add: Vec<NameValue>,
    /// Fields that are replaced.
    pub set: Vec<NameValue>,
    /// Fields that are taken away.
    pub remove: Vec<String>,
}

/// A header field.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NameValue {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Where a client is sent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Redirect {
    /// `http` or `https`.
    pub scheme: Option<String>,
    /// Another host.
    pub hostname: Option<String>,
    /// Another path.
    pub path: Option<PathChange>,
    /// Another port.
    pub port: Option<u16>,
    /// The status.
    pub status_code: Option<u16>,
}

/// What becomes of host and path.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rewrite {
    /// Another host.
    pub hostname: Option<String>,
    /// Another path.
    pub path: Option<PathChange>,
}

/// What becomes of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PathChange {
    /// `ReplaceFullPath` or `ReplacePrefixMatch`.
    #[serde(rename = "type")]
    pub type_: String,
    /// The whole path.
    pub replace_full_path: Option<String>,
    /// What stands in the place of the prefix.
    pub replace_prefix_match: Option<String>,
}

impl PathChange {
    /// What is put in, whole or in the place of the prefix.
    pub fn text(&self) -> &str {
        let whole = self.type_ == "ReplaceFullPath";
        let text = if whole { &self.replace_full_path } else { &self.replace_prefix_match };
        text.as_deref().unwrap_or_default()
    }
}

/// A reference to a backend.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BackendRef {
    /// The group; empty for that of Services.
    pub group: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The name.
    pub name: String,
    /// The namespace; that of the route if absent.
    pub namespace: Option<String>,
    /// The port of the Service.
    pub port: Option<i32>,
    /// Its part of the requests.
    pub weight: Option<i32>,
    /// Filters for this backend alone.
    pub filters: Vec<Value>,
}

/// The specification of a ReferenceGrant.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GrantSpec {
    /// Who may refer.
    pub from: Vec<GrantFrom>,
    /// To what, in the namespace of the grant.
    pub to: Vec<GrantTo>,
}

/// Who may refer to objects of another namespace.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct GrantFrom {
    /// The group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace.
    pub namespace: String,
}

/// What may be referred to.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct GrantTo {
    /// The group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name; any if absent.
    pub name: Option<String>,
}
