//! What strict decoding has against an object: the same errors as in the answer to a request with
//! `fieldValidation=Strict`, each with the path of its field.

use serde_json::Value;

use super::ApiServer;
use super::apiextensions::Decode;
use crate::api::go_types::{self, Json, StrictError};
use crate::api::{Kind, Object};

/// A field that strict decoding refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecodable {
    /// The path of the field.
    pub path: String,
    /// What is wrong with the field.
    pub message: String,
}

impl ApiServer {
    /// The unknown fields of an object; if there are none, the first value of a wrong type. Of a
    /// custom kind that the server does not serve, no field counts as unknown.
    pub fn undecodable(&self, kind: Kind, value: &Value) -> Vec<Undecodable> {
        let unknown = match kind.is_custom() {
            true => self.unknown_in_custom(kind, value),
            false => go_types::decode(go_types::of(kind), &Json::from(value))
                .map_or_else(|_| Vec::new(), |d| d.strict),
        };
        if !unknown.is_empty() {
            return unknown
                .into_iter()
                .map(|e| Undecodable { message: e.to_string(), path: e.path })
                .collect();
        }
        // Only types with a decoder of their own, such as quantities, end decoding.
        if !kind.is_custom()
            && let Some((path, message)) = go_types::ends_at(go_types::of(kind), &Json::from(value))
        {
            return vec![Undecodable { path, message }];
        }
        let wrong = Object::from_value(kind, value.clone()).err();
        wrong.map(|e| Undecodable { message: e.to_string(), path: e.path }).into_iter().collect()
    }

    fn unknown_in_custom(&self, kind: Kind, value: &Value) -> Vec<StrictError> {
        let mut value = value.clone();
        let unknown =
            self.view(kind).ok().and_then(|view| view.schema().coerce(&mut value, Decode::Request).ok());
        unknown.into_iter().flatten().map(|path| StrictError { duplicate: false, path }).collect()
    }
}
