//! The documents of what CustomResourceDefinitions make
//! (`k8s.io/apiextensions-apiserver/pkg/controller/openapi{,v3}`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Document, PATCHES, TypeTexts, collect, group_path, merging, operation};
use crate::api::go_types::{self, GoStruct};
use crate::api::{Kind, Scope};
use crate::apiserver::apiextensions::{Definition, Definitions, openapi};

/// How the names of metadata types begin.
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/// The types of a patch's body: custom objects have no strategic merge patch.
const CUSTOM_PATCHES: [&str; 3] = [PATCHES[0], PATCHES[1], PATCHES[2]];

/// The versions of groups that have documents.
pub(super) fn paths(definitions: &Definitions) -> impl Iterator<Item = String> {
    definitions.groups().flat_map(|group| {
        definitions.versions(group).into_iter().map(move |version| group_path(group, version))
    })
}

fn serving<'a>(
    definitions: &'a Definitions,
    path: &'a str,
) -> impl Iterator<Item = (&'a Definition, Kind)> + 'a {
    let (group, version) = path.strip_prefix("apis/").and_then(|p| p.split_once('/')).unwrap_or_default();
    definitions.established(group).filter_map(move |d| Some((&**d, d.served(version)?)))
}

fn path_of(kind: Kind) -> String {
    let namespaces = if kind.scope() == Scope::Namespaced { "/namespaces/{namespace}" } else { "" };
    format!("/{}{namespaces}/{}/{{name}}", group_path(kind.group(), kind.version()), kind.plural())
}

/// `/openapi/v3/apis/stable.example.com/v1`; `None` if there is no such document. `texts` are those of the core group,
/// which has the metadata of all objects.
pub(super) fn document(
    path: &str,
    definitions: &Definitions,
    texts: Option<&BTreeMap<String, TypeTexts>>,
) -> Option<Value> {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for (definition, kind) in serving(definitions, path) {
        paths.insert(path_of(kind), json!({"patch": operation(kind, &CUSTOM_PATCHES)}));
        schemas.extend(openapi::v3(definition.crd(), kind.version()));
    }
    if paths.is_empty() {
        return None;
    }
    schemas.extend(metadata(texts));
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

/// What version 2 has of the definitions: paths, and schemas that can say less.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn older(definitions: &Definitions) -> (Map<String, Value>, Map<String, Value>) {
    let (mut all, mut schemas) = (Map::new(), Map::new());
    for path in paths(definitions) {
        for (definition, kind) in serving(definitions, &path) {
            all.insert(path_of(kind), json!({"patch": operation(kind, &CUSTOM_PATCHES)}));
            schemas.extend(openapi::v2(definition.crd(), kind.version()));
        }
    }
    (all, schemas)
}

/// The schemas of an object's and of a list's metadata.
pub(super) fn metadata(texts: Option<&BTreeMap<String, TypeTexts>>) -> Map<String, Value> {
    let merging = merging::types(&[Kind::CONFIG_MAP]);
    let doc = Document { texts, scalars: Default::default(), merging };
    let mut structs: BTreeMap<&'static str, &'static GoStruct> = BTreeMap::new();
    collect(go_types::object_meta(), &mut structs);
    let mut schemas: Map<String, Value> =
        structs.values().map(|s| (doc.schema_name(s.name), doc.schema(s))).collect();
    schemas.extend(doc.scalars.into_inner());
    let text = json!({"type": "string"});
    let count = json!({"type": "integer", "format": "int64"});
    let list = json!({"type": "object", "properties": {
        "continue": text, "remainingItemCount": count, "resourceVersion": text, "selfLink": text,
    }});
    schemas.insert(format!("{META}ListMeta"), list);
    schemas
}

/// The name of a metadata type where no text says it.
pub(super) fn metadata_name(name: &str) -> Option<String> {
    let own = ["ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference"];
    own.contains(&name).then(|| format!("{META}{name}"))
}
