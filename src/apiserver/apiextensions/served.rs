//! What the CustomResourceDefinitions of a cluster make: which kinds are served, in which versions
//! (`pkg/apiserver/customresource_handler.go`, `getOrCreateServingInfoFor`).

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::conditions::{self, ESTABLISHED, NAMES_ACCEPTED, is_true};
use super::custom_kind::CustomKind;
use super::types::CustomResourceDefinition;
use super::versions;
use crate::api::{Kind, MetaExt, definition};
use crate::etcd::Etcd;

/// The definitions whose names were accepted, by group and plural. They follow from the objects in etcd and from
/// nothing else; cloning them copies a pointer.
#[derive(Clone, Debug, Default)]
pub struct Definitions(Rc<BTreeMap<Rc<str>, OfGroup>>);

/// A group's definitions, by plural.
type OfGroup = BTreeMap<Rc<str>, Rc<Definition>>;

/// A definition whose names were accepted, and what it makes.
#[derive(Clone, Debug)]
pub struct Definition {
    crd: Rc<CustomResourceDefinition>,
    /// All its versions, the one that clients prefer first.
    versions: Vec<Version>,
}

/// A version of a definition.
#[derive(Clone, Debug)]
pub struct Version {
    /// The kind, as clients see it in this version.
    pub kind: Kind,
    /// Whether there are paths of it.
    pub served: bool,
    /// What follows from its schema, once somebody asked: the rules of a schema are compiled for it.
    schema: Rc<OnceCell<Result<Rc<CustomKind>, String>>>,
}

impl Definitions {
    /// The definitions in a store.
    pub fn of(etcd: &Etcd) -> Definitions {
        let mut definitions = Definitions::default();
        for (_, record) in etcd.range(Kind::CUSTOM_RESOURCE_DEFINITION, None) {
            if let Some(crd) = record.object.get::<CustomResourceDefinition>() {
                definitions.put(crd);
            }
        }
        definitions
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a definition that is new, or was written. Returns how many kinds were made for it, which are never freed
    /// ([`Kind::custom`]): one for each version, unless the definition has the same names and versions as before.
    pub(in crate::apiserver) fn put(&mut self, crd: &Rc<CustomResourceDefinition>) -> usize {
        let (group, plural) = (crd.spec.group.as_str(), crd.spec.names.plural.as_str());
        if !is_true(crd, NAMES_ACCEPTED) && !is_true(crd, ESTABLISHED) {
            self.remove(crd);
            return 0;
        }
        let before = self.find(group, plural);
        let definition = Rc::new(Definition::new(crd, before));
        let made = match before.is_some_and(|b| b.names_as(&definition)) {
            true => 0,
            false => definition.versions.len(),
        };
        let groups = Rc::make_mut(&mut self.0);
        groups.entry(group.into()).or_default().insert(plural.into(), definition);
        made
    }

    /// A definition is gone.
    pub(in crate::apiserver) fn remove(&mut self, crd: &CustomResourceDefinition) {
        let (group, plural) = (crd.spec.group.as_str(), crd.spec.names.plural.as_str());
        if self.find(group, plural).is_none() {
            return;
        }
        let groups = Rc::make_mut(&mut self.0);
        if let Some(plurals) = groups.get_mut(group) {
            plurals.remove(plural);
            if plurals.is_empty() {
                groups.remove(group);
            }
        }
    }

    /// The definition of a resource.
    pub fn find(&self, group: &str, plural: &str) -> Option<&Rc<Definition>> {
        self.0.get(group)?.get(plural)
    }

    /// The definitions of a group that are established, in the order of their names.
    pub fn established(&self, group: &str) -> impl Iterator<Item = &Rc<Definition>> {
        let all = self.0.get(group).into_iter().flat_map(BTreeMap::values);
        all.filter(|d| is_true(&d.crd, ESTABLISHED))
    }

    /// The groups that have an established definition with a version that is served, in order.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|g| &**g).filter(|g| !self.versions(g).is_empty())
    }

    /// The versions of a group that are served, the one that clients prefer first.
    pub fn versions(&self, group: &str) -> Vec<&'static str> {
        let mut found: Vec<&'static str> = Vec::new();
        for version in self.established(group).flat_map(|d| &d.versions).filter(|v| v.served) {
            if !found.contains(&version.kind.version()) {
                found.push(version.kind.version());
            }
        }
        crate::api::order::sort_by(&mut found, |a, b| versions::compare(b, a));
        found
    }

    /// Every kind that is established, in the version that clients prefer.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let all = self.0.values().flat_map(BTreeMap::values);
        all.filter(|d| is_true(&d.crd, ESTABLISHED)).filter_map(|d| d.preferred())
    }

    /// The kind that `api_version` and `kind` of a manifest name.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<Kind> {
        let (group, version) = api_version.rsplit_once('/')?;
        let versions = self.established(group).flat_map(|d| &d.versions).filter(|v| v.served);
        versions.map(|v| v.kind).find(|k| k.version() == version && k.as_str() == kind)
    }
}

impl Definition {
    /// What a definition makes. Where its spec is as it was in `before`, what was compiled is kept.
    fn new(crd: &Rc<CustomResourceDefinition>, before: Option<&Rc<Definition>>) -> Definition {
        let same = |b: &&Rc<Definition>| {
            b.crd.metadata.uid() == crd.metadata.uid()
                && b.crd.metadata.generation() == crd.metadata.generation()
        };
        let before = before.filter(same);
        let version = |(kind, served): (Kind, bool)| {
            let earlier = before.and_then(|b| b.version(kind.version()));
            Version { kind, served, schema: earlier.map(|v| v.schema.clone()).unwrap_or_default() }
        };
        let versions = definition::kinds(crd).into_iter().map(version).collect();
        Definition { crd: crd.clone(), versions }
    }

    /// Whether the kinds of two definitions are the same handles: both have the same generation of the same object, and
    /// the same accepted names.
    fn names_as(&self, other: &Definition) -> bool {
        let names = |d: &Definition| d.crd.status.as_ref().and_then(|s| s.accepted_names.clone());
        self.crd.metadata.uid() == other.crd.metadata.uid()
            && self.crd.metadata.generation() == other.crd.metadata.generation()
            && names(self) == names(other)
    }

    /// A kind of any version, for components of the cluster that only read metadata and delete.
    fn any(&self) -> Option<Kind> {
        self.preferred().or_else(|| self.versions.first().map(|v| v.kind))
    }

    /// The object.
    pub fn crd(&self) -> &Rc<CustomResourceDefinition> {
        &self.crd
    }

    /// Its versions, the one that clients prefer first.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// The kind in a version: the one of a handle, if it is served, or else any.
    pub(in crate::apiserver) fn nearest(&self, kind: Kind) -> Option<Kind> {
        self.served(kind.version()).or_else(|| self.any()).filter(|k| *k == kind)
    }

    fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|v| v.kind.version() == name)
    }

    /// The kind in the version that clients prefer; `None` if no version is served.
    pub fn preferred(&self) -> Option<Kind> {
        self.versions.iter().find(|v| v.served).map(|v| v.kind)
    }

    /// The kind in a version that is served.
    pub fn served(&self, version: &str) -> Option<Kind> {
        self.version(version).filter(|v| v.served).map(|v| v.kind)
    }

    /// The version that objects are stored in.
    pub fn storage(&self) -> &str {
        self.crd.spec.versions.iter().find(|v| v.storage).map_or("", |v| v.name.as_str())
    }

    /// Whether its objects are being deleted because the definition is, so that none is created any more. Of a definition
    /// that is held by a finalizer of somebody else objects are created again once the ones before are gone.
    pub(in crate::apiserver) fn is_terminating(&self) -> bool {
        conditions::is_terminating(&self.crd)
    }

    /// What follows from the schema of a version.
    ///
    /// # Errors
    /// There is no such version, or its schema is not structural, with the reason.
    pub(super) fn schema(&self, version: &str) -> Result<(Kind, Rc<CustomKind>), String> {
        let found = self.version(version).ok_or_else(|| {
            format!("request to convert CR from an invalid group/version: {}/{version}", self.crd.spec.group)
        })?;
        let schema = found.schema.get_or_init(|| CustomKind::new(&self.crd, version).map(Rc::new));
        Ok((found.kind, schema.clone()?))
    }
}
