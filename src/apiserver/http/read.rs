//! GET: one object, or a list of them (`k8s.io/apiserver/pkg/endpoints/handlers/get.go`).

use std::ops::Bound;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::custom;
use super::path::Target;
use super::query::{Violation, invalid_options, violation};
use crate::api::fields::FieldSelector;
use crate::api::go_types::{self, Json};
use crate::api::labels::Selector;
use crate::api::quote::go_quote;
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Cause, Details, Query, Status};
use crate::apiserver::apiextensions::View;
use crate::apiserver::{ApiServer, fields};
use crate::etcd::{Record, Records};

/// Which objects of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selectors {
    labels: Selector,
    fields: FieldSelector,
    name: Option<String>,
    /// How custom objects are seen that are selected by fields of their own.
    view: Option<View>,
}

impl Selectors {
    pub(super) fn parse(target: &Target, query: &Query) -> Result<Selectors, Status> {
        let labels = Selector::parse(query.text("labelSelector")).map_err(Status::bad_request)?;
        let fields = FieldSelector::parse(query.text("fieldSelector"))
            .and_then(|f| match &target.view {
                Some(view) => fields::for_view(f, view),
                None => fields::for_kind(f, target.kind),
            })
            .map_err(Status::bad_request)?;
        Ok(Selectors { labels, fields, name: None, view: target.view.clone() })
    }

    pub(super) fn matches(&self, object: &Object) -> bool {
        self.name.as_deref().is_none_or(|n| n == object.name())
            && self.labels.matches(object.meta().labels_or_empty())
            && match &self.view {
                Some(view) => fields::matches_in(&self.fields, object, view),
                None => fields::matches(&self.fields, object),
            }
    }

    /// Only the object of that name.
    ///
    /// # Errors
    /// 400: the field selector does not ask for that name.
    pub(super) fn only(&mut self, name: &str) -> Result<(), Status> {
        if !self.fields.is_empty() && self.fields.exact("metadata.name") != Some(name) {
            let message = "fieldSelector metadata.name doesn't match requested name";
            return Err(Status::bad_request(message));
        }
        self.name = Some(name.to_owned());
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }
}

/// The objects of one kind in a snapshot of the store, one after the other. The snapshot is shared with the
/// store, so a cursor costs the same however many objects there are.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    data: Records,
    kind: Kind,
    namespace: Option<String>,
    selectors: Selectors,
    /// After which key the next object is looked for.
    after: Bound<ObjectRef>,
    /// How many objects are still to come at most.
    left: usize,
}

impl Cursor {
    /// A cursor before the first object.
    pub(super) fn new(data: Records, kind: Kind, namespace: Option<String>, selectors: Selectors) -> Cursor {
        let first = ObjectRef { kind, key: Key::new(namespace.as_deref().unwrap_or_default(), "") };
        Cursor { data, kind, namespace, selectors, after: Bound::Included(first), left: usize::MAX }
    }

    /// The objects that are still to come, however many.
    fn rest(&self) -> impl Iterator<Item = (&ObjectRef, &Record)> {
        self.data
            .range((self.after.clone(), Bound::Unbounded))
            .map(|(key, record)| (key, &**record))
            .take_while(|(k, _)| {
                k.kind == self.kind && self.namespace.as_deref().is_none_or(|n| &*k.key.namespace == n)
            })
            .filter(|(_, r)| self.selectors.matches(&r.object))
    }

    /// Calls `take` with the next objects for as long as it says that it wants more; whether all were taken.
    pub(super) fn take_while(&mut self, mut take: impl FnMut(&Record) -> bool) -> bool {
        let (mut taken, mut last, mut more) = (0, None, true);
        for (at, record) in self.rest() {
            if !more || taken == self.left {
                break;
            }
            (taken, last) = (taken + 1, Some(at.clone()));
            more = take(record);
        }
        self.left -= taken;
        if let Some(last) = last {
            self.after = Bound::Excluded(last);
        }
        if more {
            self.left = 0;
        }
        self.left == 0
    }
}

/// A part of a collection.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The objects of the list, which are read while the answer is written.
    pub cursor: Cursor,
    pub revision: u64,
    /// The token that leads to the next part; empty for the last.
    pub next: String,
    /// How many come after; not counted where a selector would have to be asked.
    pub remaining: Option<usize>,
}

impl List {
    /// All its objects, and the revision that they were read at.
    pub(super) fn into_items(mut self) -> (Vec<Object>, u64) {
        let mut items = Vec::new();
        self.cursor.take_while(|record| {
            items.push(record.object.clone());
            true
        });
        (items, self.revision)
    }

    /// `metadata` of a list.
    pub(super) fn metadata(&self) -> Value {
        let mut meta = json!({"resourceVersion": self.revision.to_string()});
        if !self.next.is_empty() {
            meta["continue"] = self.next.as_str().into();
        }
        if let Some(n) = self.remaining {
            meta["remainingItemCount"] = n.into();
        }
        meta
    }
}

/// A revision in a query; 0 and none are none.
pub(super) fn revision_of(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<u64>() {
        Ok(0) => Ok(None),
        Ok(n) => Ok(Some(n)),
        Err(e) => {
            let why = match e.kind() {
                std::num::IntErrorKind::PosOverflow => "value out of range",
                _ => "invalid syntax",
            };
            let text = go_quote(text);
            Err(format!("resourceVersion: Invalid value: {text}: strconv.ParseUint: parsing {text}: {why}"))
        }
    }
}

fn forbidden(field: &'static str, why: &str) -> Violation {
    violation("FieldValueForbidden", field, format!("Forbidden: {why}"))
}

/// Whether a watch that does not say so gets what is there at its beginning (`SetListOptionsDefaults`).
fn initial_by_default(query: &Query) -> bool {
    !query.has("sendInitialEvents")
        && query.text("resourceVersionMatch").is_empty()
        && matches!(query.text("resourceVersion"), "" | "0")
}

/// Whether a watch gets what is there at its beginning, and is told where that ends if it takes bookmarks. A watch through a
/// path with the prefix `watch` has to say so.
pub(super) fn initial_events(query: &Query) -> bool {
    query.on("sendInitialEvents") || (query.on("watch") && initial_by_default(query))
}

/// What is wrong with the options of a list or watch.
pub(super) fn check_list_options(query: &Query, watch: bool) -> Result<(), Status> {
    const MATCH: &str = "resourceVersionMatch";
    let by_default = watch && initial_by_default(query);
    let matching = if by_default { "NotOlderThan" } else { query.text(MATCH) };
    let initial = by_default || query.has("sendInitialEvents");
    let (continues, exact) = (!query.text("continue").is_empty(), matching == "Exact");
    let mut errors = Vec::new();
    if watch {
        if initial && matching != "NotOlderThan" {
            errors.push(forbidden(
                MATCH,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ));
        }
        if !matching.is_empty() && !initial {
            errors.push(forbidden(
                MATCH,
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ));
        }
        if !matching.is_empty() && matching != "NotOlderThan" {
            let m = format!("Unsupported value: {}: supported values: \"NotOlderThan\"", go_quote(matching));
            errors.push(violation("FieldValueNotSupported", MATCH, m));
        }
        if !matching.is_empty() && continues {
            errors.push(forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
        }
    } else {
        if !matching.is_empty() {
            if query.text("resourceVersion").is_empty() {
                errors.push(forbidden(
                    MATCH,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if continues {
                errors.push(forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"));
            }
            if !exact && matching != "NotOlderThan" {
                let m = format!(
                    "Unsupported value: {}: supported values: \"Exact\", \"NotOlderThan\", \"\"",
                    go_quote(matching)
                );
                errors.push(violation("FieldValueNotSupported", MATCH, m));
            }
            if exact && query.text("resourceVersion") == "0" {
                errors.push(forbidden(
                    MATCH,
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ));
            }
        }
        if initial {
            errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
    }
    invalid_options("ListOptions", errors)
}

/// 504: a revision that is not there yet.
pub(super) fn too_large(asked: u64, current: u64) -> Status {
    Status::new(504, "Timeout", format!("Timeout: Too large resource version: {asked}, current: {current}"))
        .with(Details {
            causes: vec![Cause {
                reason: "ResourceVersionTooLarge".into(),
                message: "Too large resource version".into(),
                field: String::new(),
            }],
            ..Details::default()
        })
}

impl ApiServer {
    /// One object.
    pub(super) fn http_get(&self, target: &Target, query: &Query) -> Result<Object, Status> {
        self.check_revision(query)?;
        let (kind, name) = (target.kind, target.name.as_deref().unwrap_or_default());
        let at = crate::api::ObjectRef::new(kind, target.namespace.as_deref().unwrap_or_default(), name);
        let stored = self.stored(&at).cloned();
        let stored = stored.ok_or_else(|| Status::not_found(kind, name))?;
        match &target.view {
            Some(view) => view.read(&stored),
            None => Ok(stored),
        }
    }

    fn check_revision(&self, query: &Query) -> Result<Option<u64>, Status> {
        let asked = revision_of(query.text("resourceVersion"))
            .map_err(|e| Status::bad_request(format!("invalid resource version: {e}")))?;
        match asked {
            Some(n) if n > self.etcd.revision() => Err(too_large(n, self.etcd.revision())),
            asked => Ok(asked),
        }
    }

    /// A collection, or a part of it.
    pub(super) fn http_list(&self, target: &Target, query: &Query) -> Result<List, Status> {
        query.number("timeoutSeconds")?;
        let limit = query.number("limit")?.unwrap_or(0).max(0);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let selectors = Selectors::parse(target, query)?;
        check_list_options(query, false)?;
        let token = query.text("continue");
        // What may be of any revision comes from the watch cache, which gives it whole (`computeListLimit`).
        let limit = if token.is_empty() && query.text("resourceVersion") == "0" { 0 } else { limit };
        let (revision, start) = if token.is_empty() {
            let asked = self.check_revision(query)?;
            let matching = query.text("resourceVersionMatch");
            let exact = matching == "Exact" || (matching.is_empty() && limit > 0);
            (asked.filter(|_| exact), String::new())
        } else {
            if revision_of(query.text("resourceVersion")) != Ok(None) {
                return Err(Status::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            let (revision, start) =
                read_token(token).map_err(|e| Status::bad_request(format!("invalid continue token: {e}")))?;
            (u64::try_from(revision).ok(), start)
        };
        let revision = revision.unwrap_or(self.etcd.revision());
        let data = self.etcd.at(revision).map_err(|_| expired(&start))?;
        let data = self.with_defaults(data, target.kind);
        if let Some(view) = &target.view {
            let mut all = self.etcd.range(target.kind, None);
            let unreadable = all.find_map(|(_, r)| view.schema_of(&r.object).err());
            unreadable.map_or(Ok(()), |e| Err(custom::initializing(target.kind, &e.message)))?;
        }
        let all = selectors.is_empty();
        let mut cursor = Cursor::new(data, target.kind, target.namespace.clone(), selectors);
        if !start.is_empty() {
            let (namespace, name) = match (&target.namespace, start.split_once('/')) {
                (None, Some((namespace, name))) if target.kind.namespaced() => (namespace, name),
                (namespace, _) => (namespace.as_deref().unwrap_or_default(), start.as_str()),
            };
            cursor.after = Bound::Excluded(ObjectRef::new(target.kind, namespace, name));
        }
        if limit == 0 {
            return Ok(List { cursor, revision, next: String::new(), remaining: None });
        }
        let mut rest = cursor.rest();
        let last = rest.by_ref().take(limit).last().map(|(at, _)| at.key.clone());
        let remaining = rest.count();
        let next = match last {
            Some(last) if remaining > 0 => {
                let all_namespaces = target.namespace.is_none() && target.kind.namespaced();
                let key = if all_namespaces { last.to_string() } else { last.name.to_string() };
                write_token(Some(revision), &key)
            }
            _ => String::new(),
        };
        cursor.left = limit;
        Ok(List { cursor, revision, next, remaining: (remaining > 0 && all).then_some(remaining) })
    }
}

/// 410 for a list from a revision that is forgotten. One that was to go on after `start` can go on at the latest revision.
fn expired(start: &str) -> Status {
    if start.is_empty() {
        return Status::expired("The resourceVersion for the provided list is too old.");
    }
    let message = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
    Status { continues: write_token(None, start), ..Status::expired(message) }
}

/// A token says which revision is being listed, `None` being the latest, and after which key to go on.
fn write_token(revision: Option<u64>, last: &str) -> String {
    let revision = revision.map_or(json!(-1), Value::from);
    let token = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": format!("{last}\u{0}")});
    URL_SAFE_NO_PAD.encode(token.to_string())
}

fn read_token(token: &str) -> Result<(i64, String), String> {
    let invalid = |why: String| format!("continue key is not valid: {why}");
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|e| {
        let at = match e {
            base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => at,
            _ => token.len() / 4 * 4,
        };
        invalid(format!("illegal base64 data at input byte {at}"))
    });
    // Go does not mind bits that are left over.
    let bytes = match bytes {
        Err(_) if lenient(token).is_some() => lenient(token).unwrap_or_default(),
        other => other?,
    };
    let json = go_types::parse(&bytes).map_err(invalid)?;
    if json.get("v").and_then(Json::as_str) != Some("meta.k8s.io/v1") {
        let version = json.get("v").and_then(Json::as_str).unwrap_or_default();
        return Err(format!(
            "continue key is not valid: server does not recognize this encoded version {}",
            go_quote(version)
        ));
    }
    let revision = match json.get("rv") {
        Some(Json::Number(n)) => n.parse::<i64>().ok().filter(|n| *n != 0),
        _ => None,
    };
    let Some(revision) = revision else {
        return Err(
            "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
                .into(),
        );
    };
    let start = json.get("start").and_then(Json::as_str).unwrap_or_default();
    if start.is_empty() {
        return Err("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)".into());
    }
    Ok((revision, start.trim_end_matches('\u{0}').to_owned()))
}

fn lenient(token: &str) -> Option<Vec<u8>> {
    use base64::alphabet::URL_SAFE;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone);
    GeneralPurpose::new(&URL_SAFE, config).decode(token).ok()
}
