//! From bytes to objects, with the API server's words for what they are not
//! (`k8s.io/apiserver/pkg/endpoints/handlers`, `apimachinery/pkg/runtime/serializer/json`).

use serde_json::Value;

use super::discovery;
use crate::api::go_types::{self, GoStruct, Json};
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, Object};
use crate::apimachinery::{FieldValidation, Status};
use crate::apiserver::decode::to_object;

/// How many bytes of a body a message quotes.
const SUMMARY: usize = 30;

/// What newer client-go sends for kinds that it knows.
#[cfg(not(target_arch = "wasm32"))]
pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// What a body is to become: its name, and how the scheme speaks of it.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    pub kind: &'static str,
    pub api_version: &'static str,
    /// A second version that is taken as if it were `api_version` (`rest.GroupVersionAcceptor`).
    pub also: Option<&'static str>,
    pub layout: &'static GoStruct,
}

impl Expected {
    pub(super) fn of(kind: Kind) -> Expected {
        Expected {
            kind: kind.as_str(),
            api_version: kind.api_version(),
            also: None,
            layout: go_types::of(kind),
        }
    }
}

/// Decodes the body of a request into an object of a kind. What is only worth a warning is added to
/// `warnings`.
///
/// # Errors
/// 400, 415.
pub(super) fn decode_object(
    kind: Kind,
    content_type: &str,
    body: &[u8],
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Object, Status> {
    let value = decode_body(Expected::of(kind), content_type, body, validation, warnings)?;
    to_object(kind, value)
}

/// Decodes a body into the JSON of a struct, without what the struct does not know.
pub(super) fn decode_body(
    expected: Expected,
    content_type: &str,
    body: &[u8],
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Value, Status> {
    let media = content_type.split(';').next().unwrap_or_default().trim();
    let unrecognized = |why: &str| {
        Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {why} ({})",
            expected.kind,
            summary(body)
        ))
    };
    let (json, strict) = match media {
        "" | "application/json" => {
            let json = go_types::parse(body)
                .map_err(|e| unrecognized(&format!("couldn't get version/kind; json parse error: {e}")))?;
            (json, Vec::new())
        }
        "application/yaml" => from_yaml(body).map_err(|e| unrecognized(&e))?,
        #[cfg(not(target_arch = "wasm32"))]
        PROTOBUF => {
            (go_types::protobuf::parse(expected.layout, body).map_err(|e| unrecognized(&e))?, Vec::new())
        }
        _ => return Err(unsupported_media()),
    };
    if !matches!(json, Json::Object(_) | Json::Null) {
        let why = format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            json.word()
        );
        return Err(unrecognized(&why));
    }
    for field in ["apiVersion", "kind"] {
        if let Some(other) = json.get(field).filter(|v| !matches!(v, Json::Text(_) | Json::Null)) {
            return Err(unrecognized(&format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go struct field .{field} of type string",
                other.word()
            )));
        }
    }
    decode_json(expected, &json, strict, validation, warnings)
}

/// 415: a body that nobody here can read.
pub(super) fn unsupported_media() -> Status {
    Status::new(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    )
}

/// How a list of what is wrong with a YAML text begins.
const YAML_ERRORS: &str = "yaml: unmarshal errors:";

/// What is said of a strict error where it is none: of a YAML text, line by line.
pub(super) fn advice(strict: &str) -> Vec<String> {
    match strict.strip_prefix(YAML_ERRORS) {
        Some(lines) => {
            lines.split('\n').map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect()
        }
        None => vec![strict.to_owned()],
    }
}

/// The first document of a YAML text; with it keys that were given twice, in one text.
pub(super) fn from_yaml(body: &[u8]) -> Result<(Json, Vec<String>), String> {
    let text = String::from_utf8_lossy(body);
    let limits = Limits { documents: 1, ..Limits::default() };
    let documents = yaml::documents(&text, &limits).map_err(|e| {
        let text = e.kubectl_text();
        text.strip_prefix("error converting YAML to JSON: ").unwrap_or(&text).to_owned()
    })?;
    Ok(match documents.first() {
        Some(d) => {
            let lines = d.warnings.iter().map(|w| format!("\n  line {}: {}", w.line, w.message));
            let lines: String = lines.collect();
            let twice = (!lines.is_empty()).then(|| format!("{YAML_ERRORS}{lines}"));
            (Json::from(&d.value), twice.into_iter().collect())
        }
        None => (Json::Null, Vec::new()),
    })
}

fn decode_json(
    expected: Expected,
    json: &Json,
    mut strict: Vec<String>,
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<Value, Status> {
    let text = |key: &str| json.get(key).and_then(Json::as_str).filter(|t| !t.is_empty());
    let kind = text("kind").unwrap_or(expected.kind);
    let api_version = text("apiVersion").unwrap_or(expected.api_version);
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let cannot = |why: &str| {
        Status::bad_request(format!(
            "{kind} in version {} cannot be handled as a {}: {why}",
            go_quote(version),
            expected.kind
        ))
    };
    let accepted = api_version == expected.api_version || Some(api_version) == expected.also;
    let same = kind == expected.kind && accepted;
    if !same && !discovery::is_registered(api_version, kind) {
        return Err(cannot(&format!(
            "no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
            go_quote(kind),
            go_quote(api_version)
        )));
    }
    if kind != expected.kind {
        return Err(cannot(&format!(
            "converting ({version}.{kind}) to ({}.{}): unknown conversion",
            internal_package(expected.api_version),
            expected.kind
        )));
    }
    let decoded = go_types::decode(expected.layout, json).map_err(|e| cannot(&e))?;
    if !accepted {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            expected.api_version
        )));
    }
    strict.extend(decoded.strict.iter().map(ToString::to_string));
    complain(strict, validation, warnings).map_err(|e| cannot(&e))?;
    Ok(decoded.value)
}

/// The scheme that reads the options of requests, as errors call it.
const OPTIONS_SCHEME: &str = "pkg/apis/meta/internalversion/scheme/register.go:27";

/// Checks that the body of a deletion says that it is DeleteOptions, if it says what it is. Every version of every group
/// has DeleteOptions, for clients of before `meta.k8s.io`.
pub(super) fn check_delete_options(json: &Json) -> Result<(), String> {
    let text = |key: &str| json.get(key).and_then(Json::as_str).filter(|t| !t.is_empty());
    let (kind, version) = (text("kind").unwrap_or("DeleteOptions"), text("apiVersion").unwrap_or("v1"));
    if kind == "DeleteOptions" {
        return Ok(());
    }
    let every_version = matches!(
        kind,
        "CreateOptions"
            | "UpdateOptions"
            | "Status"
            | "APIVersions"
            | "APIGroupList"
            | "APIGroup"
            | "APIResourceList"
    );
    let of_meta = match version {
        "meta.k8s.io/v1" => matches!(
            kind,
            "GetOptions"
                | "ListOptions"
                | "PatchOptions"
                | "Table"
                | "TableOptions"
                | "PartialObjectMetadata"
                | "PartialObjectMetadataList"
                | "WatchEvent"
        ),
        "meta.k8s.io/v1beta1" => {
            matches!(kind, "Table" | "TableOptions" | "PartialObjectMetadata" | "PartialObjectMetadataList")
        }
        _ => false,
    };
    if every_version || of_meta {
        return Err(format!("converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion"));
    }
    Err(format!(
        "no kind {} is registered for version {} in scheme \"{OPTIONS_SCHEME}\"",
        go_quote(kind),
        go_quote(version)
    ))
}

/// What becomes of fields that are unknown or there twice: an error, warnings, or nothing.
pub(super) fn complain(
    strict: Vec<String>,
    validation: FieldValidation,
    warnings: &mut Vec<String>,
) -> Result<(), String> {
    match validation {
        FieldValidation::Strict if !strict.is_empty() => {
            Err(format!("strict decoding error: {}", strict.join(", ")))
        }
        FieldValidation::Warn => {
            warnings.extend(strict.iter().flat_map(|s| advice(s)));
            Ok(())
        }
        FieldValidation::Strict | FieldValidation::Ignore => Ok(()),
    }
}

/// The Go package of a group's internal types.
pub(super) fn internal_package(api_version: &str) -> &str {
    let group = api_version.rsplit_once('/').map_or("core", |(g, _)| g);
    group.split('.').next().unwrap_or(group)
}

/// The beginning of a body, readable if it is JSON.
pub(super) fn summary(body: &[u8]) -> String {
    let cut = body.get(..SUMMARY).unwrap_or(body);
    let dots = if body.len() > SUMMARY { " ..." } else { "" };
    match body.first() {
        None => "<empty>".into(),
        Some(b'{') => format!("{}{dots}", String::from_utf8_lossy(cut)),
        Some(_) => {
            let hex: String = cut.iter().map(|b| format!("{b:02x}")).collect();
            format!("{hex}{dots}")
        }
    }
}
