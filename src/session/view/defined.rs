//! The kinds that CustomResourceDefinitions define, with their schemas: what an editor completes and explains from.
//!
//! [`DefinedKinds`] follows two sources: the definitions that the cluster stores at the moment that is shown, and the
//! definitions in the text that a person edits, which need not be applied yet. It lists names only. A schema is made when
//! the editor asks for it, because a definition can be larger than a megabyte.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::types::CustomResourceDefinition;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, Object};
use crate::apiserver::apiextensions::{defaults, openapi};
use crate::cluster::Cluster;

/// A kind in one version that its definition serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinedKind {
    /// Group and version, for example `shop.example.com/v1`.
    pub api_version: String,
    /// The kind's name, for example `Website`.
    pub kind: String,
    /// Another number whenever the schema may be another one.
    pub revision: u64,
}

/// A definition, and the number of its spec.
struct Source {
    definition: Rc<CustomResourceDefinition>,
    revision: u64,
}

/// A YAML document that defines kinds.
struct Typed {
    text: String,
    /// `None` if the document cannot be read.
    source: Option<Source>,
}

/// The kinds that are defined now.
#[derive(Default)]
pub struct DefinedKinds {
    stored: Vec<Source>,
    typed: Vec<Typed>,
    /// The number that the last new spec got.
    revisions: u64,
    listed: Rc<Vec<DefinedKind>>,
}

impl DefinedKinds {
    /// Takes over the definitions that a cluster stores. Without a change this only compares pointers.
    pub fn follow(&mut self, cluster: &Cluster) {
        let all = cluster.api().cached_list(Kind::CUSTOM_RESOURCE_DEFINITION, None);
        let found: Vec<&Rc<CustomResourceDefinition>> = all.filter_map(|(_, o)| o.get()).collect();
        let same = |(old, new): (&Source, &&Rc<CustomResourceDefinition>)| Rc::ptr_eq(&old.definition, new);
        if found.len() == self.stored.len() && self.stored.iter().zip(&found).all(same) {
            return;
        }
        let before = std::mem::take(&mut self.stored);
        for definition in found {
            // Most writes of a definition are about its status.
            let known = before.iter().find(|old| old.definition.spec == definition.spec);
            let revision = known.map_or_else(|| self.next_revision(), |old| old.revision);
            self.stored.push(Source { definition: definition.clone(), revision });
        }
        self.list();
    }

    /// Takes over the definitions in a text of YAML documents. Documents that stayed the same are not parsed again, and one
    /// that cannot be parsed does not hide the others.
    pub fn read(&mut self, text: &str) {
        let chunks =
            text.split("\n---").filter(|chunk| chunk.contains(Kind::CUSTOM_RESOURCE_DEFINITION.as_str()));
        let chunks: Vec<&str> = chunks.collect();
        if chunks.len() == self.typed.len() && self.typed.iter().zip(&chunks).all(|(t, c)| t.text == *c) {
            return;
        }
        let mut before = std::mem::take(&mut self.typed);
        for chunk in chunks {
            let known = before.iter().position(|t| t.text == chunk).map(|i| before.swap_remove(i));
            let typed = known.unwrap_or_else(|| {
                let source = definition_in(chunk).map(|definition| Source {
                    definition: Rc::new(definition),
                    revision: self.next_revision(),
                });
                Typed { text: chunk.to_owned(), source }
            });
            self.typed.push(typed);
        }
        self.list();
    }

    /// The kinds, each once: of a kind that both sources define, the one in the text. The same `Rc` as before if nothing
    /// changed.
    pub fn listed(&self) -> &Rc<Vec<DefinedKind>> {
        &self.listed
    }

    /// The schema of a kind as the API server publishes it in `/openapi/v3`; `None` if the kind is not listed.
    pub fn schema(&self, of: &DefinedKind) -> Option<Value> {
        let (group, version) = of.api_version.rsplit_once('/')?;
        let source = self.sources().find(|s| {
            let spec = &s.definition.spec;
            s.revision == of.revision && spec.group == group && spec.names.kind == of.kind
        })?;
        // After the kind's own schema comes that of its lists.
        openapi::v3(&source.definition, version).into_iter().next().map(|(_, schema)| schema)
    }

    fn next_revision(&mut self) -> u64 {
        self.revisions += 1;
        self.revisions
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        self.typed.iter().filter_map(|t| t.source.as_ref()).chain(&self.stored)
    }

    fn list(&mut self) {
        let mut listed: Vec<DefinedKind> = Vec::new();
        for source in self.sources() {
            let spec = &source.definition.spec;
            for version in spec.versions.iter().filter(|v| v.served) {
                let api_version = format!("{}/{}", spec.group, version.name);
                let kind = spec.names.kind.clone();
                if kind.is_empty() || listed.iter().any(|k| k.api_version == api_version && k.kind == kind) {
                    continue;
                }
                listed.push(DefinedKind { api_version, kind, revision: source.revision });
            }
        }
        if *self.listed != listed {
            self.listed = Rc::new(listed);
        }
    }
}

/// The definition in a YAML document, with defaults, as the API server would store it.
fn definition_in(document: &str) -> Option<CustomResourceDefinition> {
    let documents = yaml::documents(document, &Limits::default()).ok()?;
    let kind = Kind::CUSTOM_RESOURCE_DEFINITION;
    let value = documents.into_iter().map(|d| d.value).find(|v| {
        let text = |field: &str| v.get(field).and_then(Value::as_str);
        text("kind") == Some(kind.as_str()) && text("apiVersion") == Some(kind.api_version())
    })?;
    let object = Object::from_value(kind, value).ok()?;
    let mut definition = CustomResourceDefinition::clone(object.get::<CustomResourceDefinition>()?);
    defaults::set_defaults(&mut definition);
    Some(definition)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Session, Start};

    const GADGETS: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gadgets.example.com}\n\
        spec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: gadgets, kind: Gadget}\n  versions:\n  \
        - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, default: 3}}}}}\n  \
        - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";

    fn names(kinds: &DefinedKinds) -> Vec<(&str, &str)> {
        kinds.listed().iter().map(|k| (k.api_version.as_str(), k.kind.as_str())).collect()
    }

    #[test]
    fn a_stored_definition_is_listed_until_it_is_gone() {
        let mut session = Session::new(Start::default());
        let mut kinds = DefinedKinds::default();
        kinds.follow(session.cluster());
        assert!(kinds.listed().is_empty());
        assert_eq!(session.apply(GADGETS).exit, 0);
        kinds.follow(session.cluster());
        assert_eq!(names(&kinds), [("example.com/v1", "Gadget")]);
        let first = kinds.listed().clone();
        assert_eq!(kinds.schema(&first[0]).unwrap()["properties"]["size"]["default"], 3);

        // The status of a definition is no reason to list anew, and its schema is.
        while session.step(crate::session::Depth::Command, None) {}
        kinds.follow(session.cluster());
        assert!(Rc::ptr_eq(kinds.listed(), &first));
        session.apply(&GADGETS.replace("default: 3", "default: 4"));
        kinds.follow(session.cluster());
        assert_ne!(**kinds.listed(), *first);
        assert_eq!(kinds.schema(&first[0]), None);
        assert_eq!(kinds.schema(&kinds.listed()[0]).unwrap()["properties"]["size"]["default"], 4);

        session.kubectl("delete crd gadgets.example.com --wait=false", &[]);
        while session.step(crate::session::Depth::Command, None) {}
        kinds.follow(session.cluster());
        assert!(kinds.listed().is_empty());
    }

    #[test]
    fn a_text_defines_kinds_even_where_another_document_is_broken() {
        let mut kinds = DefinedKinds::default();
        let text = format!("{GADGETS}---\napiVersion: example.com/v1\nkind: Gadget\nspec: [\n");
        kinds.read(&text);
        assert_eq!(names(&kinds), [("example.com/v1", "Gadget")]);
        let first = kinds.listed().clone();
        // What is typed in another document changes nothing.
        kinds.read(&format!("{text}1"));
        assert!(Rc::ptr_eq(kinds.listed(), &first));
        kinds.read(&text.replace("Gadget}", "Gizmo}"));
        assert_eq!(names(&kinds), [("example.com/v1", "Gizmo")]);
        kinds.read("kind: CustomResourceDefinition\nspec: 1\n");
        assert!(kinds.listed().is_empty());
    }
}
