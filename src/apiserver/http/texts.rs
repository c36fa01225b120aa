//! Texts of objects, written once and shared by all who read them (`pkg/storage/cacher`, cachingObject).

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;

use super::negotiate::MetaVersion;
use crate::api::go_types::{self, Type};
use crate::api::{Kind, Object};
use crate::apiserver::apiextensions::View;
use crate::apiserver::kinds::versions;
use crate::apiserver::managed_fields::with_managers;
use crate::apiserver::registry::managers_after;
use crate::etcd::Note;

/// The most that one generation of a [`TextCache`] holds, in bytes. There are two.
const GENERATION: usize = 48 * 1024 * 1024;

/// How an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// The whole object.
    Whole,
    /// `PartialObjectMetadata`.
    Metadata(MetaVersion),
}

/// An object as a revision left it, or as it was when a revision deleted it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Version<'a> {
    /// Its kind, in the version in which the object is shown.
    pub kind: Kind,
    pub object: &'a Object,
    /// How a custom object is seen; `None` for a built-in kind.
    pub view: Option<&'a View>,
    /// Who owns its fields.
    pub notes: Option<&'a Note>,
    /// The revision that wrote or deleted the object. No other object has the same one.
    pub revision: u64,
    /// Whether the revision deleted the object. Its `resourceVersion` is that revision then.
    pub gone: bool,
}

impl Version<'_> {
    /// The object, in the version that was asked for. One that no version of the definition can read any more is shown
    /// as it is stored.
    pub(super) fn object(&self) -> Cow<'_, Object> {
        match self.view.map(|view| view.read(self.object)) {
            Some(Ok(object)) => Cow::Owned(object),
            Some(Err(_)) | None => Cow::Borrowed(self.object),
        }
    }

    /// The object's JSON with its field managers.
    pub(super) fn value(&self) -> Value {
        let managers = self.notes.map(managers_after).unwrap_or_default();
        let mut value = with_managers(self.object().to_value(), &managers);
        if self.gone {
            value["metadata"]["resourceVersion"] = self.revision.to_string().into();
        }
        versions::present(self.kind, value)
    }

    fn text(&self, form: Form) -> String {
        let (kind, value) = (self.kind, self.value());
        match form {
            Form::Whole => go_types::to_json(go_types::of(kind), &value, None),
            Form::Metadata(version) => partial(kind, &value, version),
        }
    }
}

/// The text of an object's `PartialObjectMetadata`.
fn partial(kind: Kind, value: &Value, version: MetaVersion) -> String {
    let metadata = value.get("metadata");
    let text = match (metadata, go_types::of(kind).field("metadata").map(|f| f.kind.bare())) {
        (Some(metadata), Some(Type::Struct(meta))) => go_types::to_json(meta, metadata, None),
        (Some(metadata), _) if kind.is_custom() => go_types::to_json(go_types::object_meta(), metadata, None),
        (Some(metadata), _) => metadata.to_string(),
        (None, _) => "{}".to_owned(),
    };
    let version = version.api_version();
    format!("{{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"{version}\",\"metadata\":{text}}}")
}

type Generation = BTreeMap<(u64, bool, Form, &'static str), Bytes>;

/// The texts that were written or read last. Whoever serves connections keeps one cache for the one cluster
/// that it serves: two clusters may have different objects of the same revision. A cache holds at most 96 MiB.
#[derive(Clone, Debug, Default)]
pub struct TextCache {
    /// What was used since the generations last changed.
    young: Generation,
    /// What was used only before that.
    old: Generation,
    /// The size of the young texts, in bytes.
    bytes: usize,
}

impl TextCache {
    /// Forgets what was not used since this was last called.
    pub fn age(&mut self) {
        self.old = std::mem::take(&mut self.young);
        self.bytes = 0;
    }

    /// The text of an object.
    pub(super) fn text(&mut self, version: Version<'_>, form: Form) -> Bytes {
        // One object has a text for each version of its definition, and another one when the definition changes.
        if version.view.is_some() {
            return Bytes::from(version.text(form));
        }
        let key = (version.revision, version.gone, form, version.kind.api_version());
        if let Some(text) = self.young.get(&key) {
            return text.clone();
        }
        let text = self.old.remove(&key).unwrap_or_else(|| {
            let mut text = version.text(form);
            text.shrink_to_fit();
            Bytes::from(text)
        });
        if self.bytes + text.len() > GENERATION {
            self.age();
        }
        self.bytes += text.len();
        self.young.insert(key, text.clone());
        text
    }
}
