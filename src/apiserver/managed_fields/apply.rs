//! Server-side apply (`structured-merge-diff/merge`): a manager says which fields it wants, fields that it no longer
//! wants are removed if no other manager wants them, and a conflict names the fields that other managers own.

use std::rc::Rc;

use serde_json::Value;

use super::Layout;
use super::typed;
use super::{Change, before_first_apply, reset_fields, strip};
use crate::api::field_set::{Element, Set, path_text};
use crate::api::order;
use crate::api::quote::go_quote;
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{Kind, Manager, Timestamp, go_types};
use crate::apimachinery::{Cause, Details, Status};
use crate::apiserver::kinds::versions;

/// What an apply leads to.
pub(in crate::apiserver) struct Applied {
    /// The new object; it may be the old one.
    pub value: Value,
    /// Who owns what afterwards.
    pub managers: Vec<Manager>,
}

/// Who applies, and how.
pub(in crate::apiserver) struct Applier<'a> {
    pub manager: &'a Rc<str>,
    pub subresource: &'static str,
    /// Takes fields from others.
    pub force: bool,
    pub now: Timestamp,
}

impl Applier<'_> {
    /// Whether an entry of `managedFields` is that of what this manager applied before.
    fn is(&self, manager: &Manager) -> bool {
        manager.apply && manager.name == *self.manager && *manager.subresource == *self.subresource
    }
}

/// The annotation in which `kubectl apply` leaves the configuration, and the manager that takes over what it says.
const LAST_APPLIED: &str = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";
const KUBECTL: &str = "kubectl";

/// Why an apply is refused.
enum Refused {
    /// The configuration is none of the kind.
    NotTyped(Status),
    /// Others own what it changes.
    Conflicts(Vec<Conflict>),
}

/// Applies a configuration to an object, or to none. kubectl may change what it applied by itself
/// before, on the client's side (`managedfields/internal/lastappliedmanager.go`).
///
/// # Errors
/// 409 with the fields that others own; 500 for what is not in the schema, as Kubernetes has it.
pub(in crate::apiserver) fn apply(
    layout: Layout<'_>,
    live: Option<&Value>,
    config: &Value,
    managers: &[Manager],
    by: &Applier<'_>,
) -> Result<Applied, Status> {
    let first;
    let managers = match live {
        Some(live) if managers.is_empty() => {
            first = before_first_apply(layout, live, by);
            &first
        }
        _ => managers,
    };
    let mut applied = apply_or_take_up(layout, live, config, managers, by)?;
    if &**by.manager == KUBECTL {
        remember(&mut applied.value, config);
    }
    Ok(applied)
}

/// Updates the annotation of `kubectl apply`, if the object has it, after an apply of kubectl's on the server's side
/// (`managedfields/internal/lastappliedupdater.go`).
fn remember(value: &mut Value, config: &Value) {
    let Some(Value::String(last)) = value.pointer_mut(LAST_APPLIED) else { return };
    if last.is_empty() {
        return;
    }
    let mut config = config.clone();
    if let Some(Value::Object(annotations)) = config.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED_CONFIG_ANNOTATION);
    }
    *last = go_types::go_json(&config) + "\n";
}

fn apply_or_take_up(
    layout: Layout<'_>,
    live: Option<&Value>,
    config: &Value,
    managers: &[Manager],
    by: &Applier<'_>,
) -> Result<Applied, Status> {
    let conflicts = match apply_once(layout, live, config, managers, by) {
        Ok(applied) => return Ok(applied),
        Err(Refused::NotTyped(status)) => return Err(status),
        Err(Refused::Conflicts(conflicts)) => conflicts,
    };
    let allowed = live.filter(|_| &**by.manager == KUBECTL).and_then(|live| last_applied(layout, live));
    let Some(allowed) = allowed else { return Err(refusal(&conflicts)) };
    let is_allowed = |c: &Conflict| allowed.at(&c.path).is_some_and(|s| s.member);
    let rest: Vec<Conflict> = conflicts.into_iter().filter(|c| !is_allowed(c)).collect();
    if !rest.is_empty() {
        return Err(refusal(&rest));
    }
    match apply_once(layout, live, config, managers, &Applier { force: true, ..*by }) {
        Ok(applied) => Ok(applied),
        Err(Refused::NotTyped(status)) => Err(status),
        Err(Refused::Conflicts(conflicts)) => Err(refusal(&conflicts)),
    }
}

/// The fields that were applied on the client's side and are still as they were applied.
fn last_applied(layout: Layout<'_>, live: &Value) -> Option<Set> {
    let kind = layout.kind();
    let config: Value = serde_json::from_str(live.pointer(LAST_APPLIED)?.as_str()?).ok()?;
    let of = |key: &str| config.get(key).and_then(Value::as_str);
    if of("kind") != Some(kind.as_str()) || of("apiVersion") != Some(kind.api_version()) {
        return None;
    }
    let place = layout.place();
    let set = typed::field_set(place, &config).ok()?;
    let differs = typed::compare(place, &config, live);
    Some(set.difference(&differs.modified).difference(&differs.added).difference(&differs.removed))
}

fn apply_once(
    layout: Layout<'_>,
    live: Option<&Value>,
    config: &Value,
    managers: &[Manager],
    by: &Applier<'_>,
) -> Result<Applied, Refused> {
    let (kind, place) = (layout.kind(), layout.place());
    let set = typed::field_set(place, config)
        .map_err(|errors| Refused::NotTyped(not_typed(kind, config, &errors)))?;
    let reset = reset_fields(layout, by.subresource);
    let set = strip(set, &reset);
    let empty;
    let live = match live {
        Some(l) => l,
        None => {
            empty = layout.empty();
            &empty
        }
    };
    let mut value = typed::merge(place, Some(live), Some(config));
    let mine = |m: &Manager| by.is(m);
    let mut out: Vec<Manager> = managers.to_vec();
    let last = out.iter().find(|m| mine(m)).map(|m| m.fields.clone());
    let mut me = Manager {
        name: by.manager.clone(),
        apply: true,
        api_version: kind.api_version().into(),
        subresource: by.subresource.into(),
        time: out.iter().find(|m| mine(m)).and_then(|m| m.time),
        fields: Rc::new(set.clone()),
    };
    // What this manager applied last time and no manager wants any more is removed.
    if let Some(last) = last {
        let same = |m: &Manager| kind.is_custom() || *m.api_version == *kind.api_version();
        let others = out.iter().filter(|m| !mine(m) && same(m));
        let kept = others.fold(set.clone(), |all, m| all.union(&m.fields));
        let gone = last.difference(&kept);
        typed::remove(place, &mut value, &gone, &kept);
    }
    out.retain(|m| !mine(m));
    let comparison = typed::compare(place, live, &value);
    let changed = strip(comparison.modified.union(&comparison.added), &reset);
    let removed = comparison.removed;
    let mut conflicts = Vec::new();
    for m in &mut out {
        // A manager's fields are those of the version that it wrote them in.
        let other = versions::of(kind, &m.api_version).filter(|v| v.api_version() != kind.api_version());
        let elsewhere = other.map(|other| {
            let stored = |value: &Value| {
                let mut value = value.clone();
                versions::to_stored(kind, &mut value);
                value
            };
            Change::of(Layout::BuiltIn(other), Some(&stored(live)), &stored(&value), by.subresource)
        });
        let (changed, removed) =
            elsewhere.as_ref().map_or((&changed, &removed), |change| (&change.taken, &change.removed));
        let theirs = m.fields.intersection(changed);
        conflicts.extend(theirs.paths().into_iter().map(|path| Conflict {
            manager: m.name.clone(),
            using: (!m.apply).then(|| m.api_version.clone()),
            subresource: m.subresource.clone(),
            path,
        }));
        let rest = m.fields.difference(&theirs).difference(removed);
        if rest != *m.fields {
            m.fields = Rc::new(rest);
        }
    }
    if !conflicts.is_empty() && !by.force {
        return Err(Refused::Conflicts(conflicts));
    }
    if value != *live {
        me.time = Some(by.now);
    }
    out.push(me);
    out.retain(|m| !m.fields.is_empty());
    Ok(Applied { value, managers: out })
}

/// A field that another manager owns.
pub(in crate::apiserver) struct Conflict {
    manager: Rc<str>,
    /// The API version, for a manager by update.
    using: Option<Rc<str>>,
    subresource: Rc<str>,
    path: Vec<Element>,
}

impl Conflict {
    fn manager_text(&self) -> String {
        let mut text = go_quote(&self.manager);
        if !self.subresource.is_empty() {
            text.push_str(&format!(" with subresource {}", go_quote(&self.subresource)));
        }
        if let Some(v) = &self.using {
            text.push_str(&format!(" using {v}"));
        }
        text
    }
}

fn refusal(conflicts: &[Conflict]) -> Status {
    let causes = conflicts
        .iter()
        .map(|c| Cause {
            reason: "FieldManagerConflict".into(),
            message: format!("conflict with {}", c.manager_text()),
            field: path_text(&c.path),
        })
        .collect();
    let message = match conflicts {
        [c] => format!(
            "Apply failed with 1 conflict: conflict with {}: {}",
            c.manager_text(),
            path_text(&c.path)
        ),
        many => {
            let mut managers: Vec<String> = many.iter().map(Conflict::manager_text).collect();
            order::sort(&mut managers);
            managers.dedup();
            let mut lines = Vec::new();
            for manager in managers {
                lines.push(format!("conflicts with {manager}:"));
                let theirs = many.iter().filter(|c| c.manager_text() == manager);
                lines.extend(theirs.map(|c| format!("- {}", path_text(&c.path))));
            }
            format!("Apply failed with {} conflicts: {}", many.len(), lines.join("\n"))
        }
    };
    Status::new(409, "Conflict", message).with(Details { causes, ..Details::default() })
}

fn not_typed(kind: Kind, config: &Value, errors: &[String]) -> Status {
    let meta = |key: &str| config.pointer(&format!("/metadata/{key}")).and_then(Value::as_str).unwrap_or("");
    let why = match errors {
        [one] => one.clone(),
        many => {
            let mut lines = vec!["errors:".to_owned()];
            lines.extend(many.iter().map(|e| format!("  {e}")));
            lines.join("\n")
        }
    };
    Status::new(
        500,
        "",
        format!(
            "failed to create typed patch object ({}/{}; {}/{}, Kind={}): {why}",
            meta("namespace"),
            meta("name"),
            kind.group(),
            kind.version(),
            kind.as_str()
        ),
    )
}

/// The field managers of `spec.replicas`, for an apply through `scale`: another manager that owns it objects, in
/// words of the scale's own version.
///
/// # Errors
/// 409.
pub(in crate::apiserver) fn apply_scale(
    kind: Kind,
    managers: &[Manager],
    replicas: Option<(i64, i64)>,
    by: &Applier<'_>,
) -> Result<Vec<Manager>, Status> {
    let path = super::field(&["spec", "replicas"]);
    let mine = |m: &Manager| by.is(m);
    let mut out = managers.to_vec();
    let changes = replicas.is_some_and(|(old, new)| old != new);
    if changes {
        let conflicts: Vec<Conflict> = out
            .iter()
            .filter(|m| !mine(m) && m.fields.at(&path).is_some_and(|s| s.member))
            .map(|m| Conflict {
                manager: m.name.clone(),
                using: (!m.apply).then(|| "autoscaling/v1".into()),
                subresource: m.subresource.clone(),
                path: path.clone(),
            })
            .collect();
        if !conflicts.is_empty() && !by.force {
            return Err(refusal(&conflicts));
        }
    }
    let mut set = Set::default();
    set.insert(&path);
    if changes {
        for m in out.iter_mut().filter(|m| !mine(m)) {
            m.fields = Rc::new(m.fields.difference(&set));
        }
    }
    let time = if changes { Some(by.now) } else { out.iter().find(|m| mine(m)).and_then(|m| m.time) };
    out.retain(|m| !mine(m) && !m.fields.is_empty());
    if replicas.is_some() {
        out.push(Manager {
            name: by.manager.clone(),
            apply: true,
            api_version: kind.api_version().into(),
            subresource: by.subresource.into(),
            time,
            fields: Rc::new(set),
        });
    }
    Ok(out)
}
