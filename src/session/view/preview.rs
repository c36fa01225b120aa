//! What an apply would do, before it is done.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::ObjectRef;
use crate::api::yaml::{self, Document, Limits};
use crate::apiserver::Write;
use crate::kubectl;
use crate::session::Session;

use super::changes::{FieldChange, field_changes};

/// The effects of an apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// What it would print.
    pub output: kubectl::Output,
    /// The objects it would create.
    pub created: Vec<ObjectRef>,
    /// The fields it would change, by object.
    pub changed: Vec<(ObjectRef, Vec<FieldChange>)>,
    /// Those fields of which the cluster had what the text says before: the apply would take back what was done since. They
    /// are not in `changed`. The engine sets it.
    pub back: Vec<(ObjectRef, Vec<FieldChange>)>,
    /// Whether the text can take over from the cluster what it has in these fields.
    pub follows: bool,
    /// Whether the run has moments after the one that is shown: the apply would begin another branch. The engine sets it.
    pub in_past: bool,
}

impl Preview {
    /// Applies a manifest on a copy of the cluster. The session stays as it is.
    pub fn of(session: &Session, text: &str) -> Preview {
        let (writes, output) = session.preview(text);
        Preview::of_writes(writes, output)
    }

    /// What a command line would change that would write and print this.
    pub fn of_writes(writes: Vec<Write>, output: kubectl::Output) -> Preview {
        let mut preview = Preview { output, ..Preview::default() };
        for Write { object, prev, next, .. } in writes {
            match (prev, next) {
                (None, Some(_)) => preview.created.push(object),
                (Some(old), Some(new)) => {
                    let fields = field_changes(&old, &new);
                    if !fields.is_empty() {
                        preview.changed.push((object, fields));
                    }
                }
                _ => {}
            }
        }
        preview
    }

    /// Whether the apply would change nothing.
    pub fn is_empty(&self) -> bool {
        self.created.is_empty() && self.changed.is_empty() && self.back.is_empty()
    }

    /// Moves those changes to `back` that an apply of another text would make, too: of one with which the cluster agreed once.
    pub fn sort_out(&mut self, text: &str, agreed: &Preview) {
        for (object, fields) in std::mem::take(&mut self.changed) {
            let old = agreed.changed.iter().find(|(o, _)| *o == object).map(|(_, fields)| fields.as_slice());
            let is_old = |f: &FieldChange| old.is_some_and(|all| all.contains(f));
            let (back, own): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_old);
            if !back.is_empty() {
                self.back.push((object.clone(), back));
            }
            if !own.is_empty() {
                self.changed.push((object, own));
            }
        }
        self.follows = !self.back.is_empty() && follow(text, &self.back).is_some();
    }
}

/// The text with what the cluster has in place of what the text says in these fields, without those that the cluster does not
/// have; all else stays as it is. `None` if one of them is not a scalar that stands in the text.
pub fn follow(text: &str, fields: &[(ObjectRef, Vec<FieldChange>)]) -> Option<String> {
    let documents = yaml::documents(text, &Limits::default()).ok()?;
    let is = |d: &Document, o: &ObjectRef| {
        let says = |p: &str| d.value.pointer(p).and_then(Value::as_str);
        let namespace = says("/metadata/namespace").unwrap_or("default");
        says("/kind") == Some(o.kind.as_str())
            && says("/metadata/name") == Some(&*o.key.name)
            && (!o.kind.namespaced() || namespace == &*o.key.namespace)
    };
    let mut text = text.to_owned();
    for (object, fields) in fields {
        let document = documents.iter().position(|d| is(d, object))?;
        for field in fields {
            let said = field.new.as_deref()?;
            text = match &field.old {
                Some(cluster) => yaml::with_scalar(&text, document, &field.path, said, cluster)?,
                None => without(text, document, &field.path, said)?,
            };
        }
    }
    Some(text)
}

/// The text without a field. A map goes key by key, and with its last key it goes itself. `None` if the text does not say
/// `said` there, which is JSON for a map and plain for a scalar.
fn without(text: String, document: usize, path: &str, said: &str) -> Option<String> {
    let map = match serde_json::from_str(said) {
        Ok(Value::Object(map)) if !map.is_empty() => map,
        _ => return yaml::without_field(&text, document, path, said),
    };
    map.iter().try_fold(text, |text, (key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        without(text, document, &format!("{path}.{key}"), &value)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Kind;

    #[test]
    fn a_text_follows_in_its_own_words() {
        let text = "# Mine.\nkind: Service\nmetadata: {name: web}\n---\nkind: Deployment\nmetadata: {name: web}\nspec:\n  \
                    replicas: 3 # three\n  template: {spec: {containers: [{name: c, image: \"nginx:1.27\"}]}}\n";
        let web = ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
        let change = |path: &str, old: &str, new: &str| FieldChange {
            path: path.to_owned(),
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
        };
        let image = change("spec.template.spec.containers[0].image", "nginx:1.28", "nginx:1.27");
        let both = vec![change("spec.replicas", "5", "3"), image.clone()];
        let followed = follow(text, &[(web.clone(), both)]).unwrap();
        assert_eq!(followed, text.replace("replicas: 3", "replicas: 5").replace("1.27", "1.28"));
        // The text says something else there, or it could not hold the value.
        assert_eq!(follow(text, &[(web.clone(), vec![change("spec.replicas", "5", "4")])]), None);
        assert_eq!(follow(text, &[(web.clone(), vec![change("spec.replicas", "a: b", "3")])]), None);
        assert_eq!(follow(text, &[(web, vec![change("spec.paused", "true", "false")])]), None);
        let marked = "kind: Deployment\nmetadata:\n  name: web\n  annotations:\n    # Mine.\n    a.b/c: \"1\"\nspec: {}\n";
        let gone =
            FieldChange { path: "metadata.annotations.a.b/c".into(), old: None, new: Some("1".into()) };
        let followed = follow(marked, &[(ObjectRef::new(Kind::DEPLOYMENT, "default", "web"), vec![gone])]);
        assert_eq!(followed.unwrap(), "kind: Deployment\nmetadata:\n  name: web\nspec: {}\n");
        let other = ObjectRef::new(Kind::DEPLOYMENT, "prod", "web");
        assert_eq!(follow(text, &[(other, vec![image])]), None);
    }
}
