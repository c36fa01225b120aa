//! Secret.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/secret/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::ByteString;
use serde_json::{Map, Value};

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::types::Secret;
use crate::api::well_known::{SECRET_TYPE_SERVICE_ACCOUNT_TOKEN, SERVICE_ACCOUNT_NAME_ANNOTATION};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::default;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::immutable_data::{MAX_SIZE, WHEN_IMMUTABLE, immutable_flag, same};
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::{Errors, FieldError, Path, config_map_key, name_is_dns_subdomain, text};

impl Strategy for Secret {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Type",
            "Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
        ),
        Column::of(
            "Data",
            "string",
            "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::These(&["type", "metadata.namespace", "metadata.name"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        prepare_for_create, prepare_for_status_update, validate_status_update, warnings_on_create,
        warnings_on_update
    }

    /// Moves `stringData`, which is only written, into `data`, over what `data` has under the same keys.
    fn convert(body: &mut Value) -> Result<(), String> {
        let Value::Object(fields) = body else { return Ok(()) };
        let Some(Value::Object(texts)) = fields.remove("stringData") else { return Ok(()) };
        if texts.is_empty() {
            return Ok(());
        }
        let data = fields.entry("data").or_insert(Value::Null);
        if !data.is_object() {
            *data = Value::Object(Map::new());
        }
        if let Value::Object(data) = data {
            for (key, text) in texts {
                data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
            }
        }
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        default(&mut Rc::make_mut(this).type_, "Opaque");
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        // Versions before 1.9 let clients leave the type out of an update.
        if text(&this.type_).is_empty() {
            Rc::make_mut(this).type_.clone_from(&old.type_);
        }
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        let path = Path::new("data");
        let none = BTreeMap::new();
        let data = self.data.as_ref().unwrap_or(&none);
        let mut size = 0;
        for (key, value) in data {
            invalid_each(errs, &path.key(key), key, config_map_key(key));
            size += value.0.len();
        }
        if size > MAX_SIZE {
            errs.push(FieldError::too_long(&path, MAX_SIZE));
        }
        let mut require = |key: &str| errs.push(FieldError::required(&path.key(key), ""));
        match text(&self.type_) {
            SECRET_TYPE_SERVICE_ACCOUNT_TOKEN => {
                let name = self.metadata.annotation(SERVICE_ACCOUNT_NAME_ANNOTATION);
                if name.unwrap_or_default().is_empty() {
                    let at = Path::new("metadata").child("annotations").key(SERVICE_ACCOUNT_NAME_ANNOTATION);
                    errs.push(FieldError::required(&at, ""));
                }
            }
            "kubernetes.io/dockercfg" => docker_config(errs, data, ".dockercfg", &path),
            "kubernetes.io/dockerconfigjson" => docker_config(errs, data, ".dockerconfigjson", &path),
            "kubernetes.io/basic-auth"
                if !data.contains_key("username") && !data.contains_key("password") =>
            {
                require("username");
                require("password");
            }
            "kubernetes.io/ssh-auth" if data.get("ssh-privatekey").is_none_or(|key| key.0.is_empty()) => {
                require("ssh-privatekey");
            }
            "kubernetes.io/tls" => {
                for key in ["tls.crt", "tls.key"] {
                    if !data.contains_key(key) {
                        require(key);
                    }
                }
            }
            _ => {}
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        if self.type_ != old.type_ {
            errs.push(FieldError::invalid(&Path::new("type"), text(&self.type_), IMMUTABLE));
        }
        if old.immutable == Some(true) {
            immutable_flag(errs, self.immutable);
            if !same(&self.data, &old.data) {
                errs.push(FieldError::forbidden(&Path::new("data"), WHEN_IMMUTABLE));
            }
        }
        self.validate(errs);
    }

    fn field(&self, path: &str) -> Option<String> {
        self.type_.clone().filter(|_| path == "type")
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let count = self.data.as_ref().map_or(0, BTreeMap::len);
        vec![
            name(&self.metadata),
            text(&self.type_).to_owned(),
            count.to_string(),
            created(&self.metadata, now),
        ]
    }
}

/// Validates that `key` holds a JSON object.
fn docker_config(errs: &mut Errors, data: &BTreeMap<String, ByteString>, key: &str, path: &Path) {
    let at = path.key(key);
    let Some(bytes) = data.get(key) else {
        errs.push(FieldError::required(&at, ""));
        return;
    };
    // The words after the value are those of Go's JSON decoder; ours name the common cases alike.
    let message = if bytes.0.is_empty() {
        "unexpected end of JSON input".to_owned()
    } else {
        match serde_json::from_str::<Value>(&String::from_utf8_lossy(&bytes.0)) {
            Ok(Value::Object(_) | Value::Null) => return,
            Ok(other) => {
                let kind = match other {
                    Value::Array(_) => "array",
                    Value::String(_) => "string",
                    Value::Bool(_) => "bool",
                    _ => "number",
                };
                format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
            }
            Err(e) if e.is_eof() => "unexpected end of JSON input".to_owned(),
            Err(_) => {
                let first = String::from_utf8_lossy(&bytes.0).trim_start().chars().next().unwrap_or(' ');
                format!("invalid character '{first}' looking for beginning of value")
            }
        }
    };
    errs.push(FieldError::invalid(&at, "<secret contents redacted>", message));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_become_data() {
        let mut body = json!({"data": {"a": "b2xk", "b": "Yg=="}, "stringData": {"a": "new", "c": ""}});
        assert_eq!(Secret::convert(&mut body), Ok(()));
        assert_eq!(body, json!({"data": {"a": "bmV3", "b": "Yg==", "c": ""}}));
        let mut body = json!({"data": null, "stringData": {"a": "b"}});
        assert_eq!(Secret::convert(&mut body), Ok(()));
        assert_eq!(body, json!({"data": {"a": "Yg=="}}));
    }
}
