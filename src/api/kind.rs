//! [`Kind`]: a cheap handle to a resource, built in or defined by a CustomResourceDefinition.
//!
//! A [`Kind`] has methods for what it is (its group, its plural, its scope); code outside this file cannot match on it.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::{with_built_in_kinds, with_other_versions};

/// Whether the objects of a kind are in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// The objects are not in namespaces.
    Cluster,
    /// Each object is in a namespace.
    Namespaced,
}

/// The resource that serves the objects of a kind.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Resource {
    group: &'static str,
    version: &'static str,
    /// `apps/v1`; `v1` for the core group.
    api_version: &'static str,
    kind: &'static str,
    list_kind: &'static str,
    plural: &'static str,
    singular: &'static str,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    scope: Scope,
    subresources: &'static [&'static str],
    /// `None` for a kind that a CustomResourceDefinition defines.
    built_in: Option<BuiltIn>,
    /// Which other version of a built-in kind this is; `None` for the version that its objects are stored in.
    other_version: Option<OtherVersion>,
}

/// A kind of object: a handle to the resource that serves its objects, as small as a pointer.
///
/// Built-in kinds are constants: [`Kind::POD`], [`Kind::DEPLOYMENT`]. [`Kind::custom`] makes a kind that a
/// CustomResourceDefinition defines. A handle also has the version of a request about the kind
/// ([`Kind::api_version`]); some built-in kinds have several ([`Kind::OTHER_VERSIONS`]). Two handles are equal if they
/// name the same resource (group, plural, the objects' `kind` and the scope), whatever their versions and other
/// properties are.
#[derive(Clone, Copy)]
pub struct Kind(&'static Resource);

/// The names of a kind that a CustomResourceDefinition defines, as in its `status.acceptedNames`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CustomNames {
    /// The API group, for example `stable.example.com`.
    pub group: String,
    /// One of the kind's versions, for example `v1`.
    pub version: String,
    /// The kind's name, for example `CronTab`.
    pub kind: String,
    /// The name of its lists, for example `CronTabList`.
    pub list_kind: String,
    /// The resource's name in paths, for example `crontabs`.
    pub plural: String,
    /// The singular of that name, for example `crontab`.
    pub singular: String,
    /// Short names, for example `ct`.
    pub short_names: Vec<String>,
    /// The categories of the resource, for example `all`.
    pub categories: Vec<String>,
    /// Whether the objects are in namespaces.
    pub scope: Scope,
    /// The subresources: `status`, `scale`.
    pub subresources: Vec<String>,
}

macro_rules! define {
    ($($(#[$doc:meta])* $kind:ident $constant:ident: $group:literal / $version:literal $plural:literal $singular:literal [$($short:literal),*] $scope:ident [$($sub:literal),*];)*) => {
        /// The built-in kinds as an enum, for the one exhaustive `match` in each module that goes through
        /// the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum BuiltIn { $($(#[$doc])* $kind,)* }

        impl Kind {
            $(
                $(#[$doc])*
                pub const $constant: Kind = Kind(&Resource {
                    group: $group,
                    version: $version,
                    api_version: if $group.is_empty() { $version } else { concat!($group, "/", $version) },
                    kind: stringify!($kind),
                    list_kind: concat!(stringify!($kind), "List"),
                    plural: $plural,
                    singular: $singular,
                    short_names: &[$($short),*],
                    categories: &[],
                    scope: Scope::$scope,
                    subresources: &[$($sub),*],
                    built_in: Some(BuiltIn::$kind),
                    other_version: None,
                });
            )*

            /// Every built-in kind, in the order of the table.
            pub const BUILT_IN: &'static [Kind] = &[$(Kind::$constant,)*];
        }
    };
}

with_built_in_kinds!(define);

macro_rules! define_versions {
    ($($(#[$doc:meta])* $version:ident of $type:ident $kind:ident: $group:literal / $name:literal;)*) => {
        /// The other versions as an enum, for the one exhaustive `match` that each room makes of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum OtherVersion { $($(#[$doc])* $version,)* }

        impl Kind {
            /// The built-in kinds in the other versions that they are served in, in the order of the table.
            pub const OTHER_VERSIONS: &'static [Kind] = &[$(Kind(&Resource {
                group: $group,
                version: $name,
                api_version: concat!($group, "/", $name),
                other_version: Some(OtherVersion::$version),
                ..*Kind::$kind.0
            }),)*];

            /// The version that objects of the kind are stored in: the kind that the API server's components know.
            pub const fn stored(self) -> Kind {
                match self.0.other_version {
                    None => self,
                    $(Some(OtherVersion::$version) => Kind::$kind,)*
                }
            }
        }
    };
}

with_other_versions!(define_versions);

thread_local! {
    /// All custom kinds that were ever made, by their names, so that a handle is a pointer. The entries stay
    /// as long as the program runs: a few hundred bytes for each set of names. An API server refuses definitions when it
    /// has made as many as [`KINDS_LIMIT`](crate::apiserver::KINDS_LIMIT).
    static CUSTOM: RefCell<BTreeMap<CustomNames, Kind>> = const { RefCell::new(BTreeMap::new()) };
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn leak_all(texts: &[String]) -> &'static [&'static str] {
    Box::leak(texts.iter().map(|t| leak(t)).collect())
}

impl Kind {
    /// The custom kind with these names. Whether a cluster serves it is known to the cluster's API server
    /// only.
    pub fn custom(names: &CustomNames) -> Kind {
        CUSTOM.with_borrow_mut(|known| {
            if let Some(kind) = known.get(names) {
                return *kind;
            }
            let kind = Kind(Box::leak(Box::new(Resource {
                group: leak(&names.group),
                version: leak(&names.version),
                api_version: leak(&format!("{}/{}", names.group, names.version)),
                kind: leak(&names.kind),
                list_kind: leak(&names.list_kind),
                plural: leak(&names.plural),
                singular: leak(&names.singular),
                short_names: leak_all(&names.short_names),
                categories: leak_all(&names.categories),
                scope: names.scope,
                subresources: leak_all(&names.subresources),
                built_in: None,
                other_version: None,
            })));
            known.insert(names.clone(), kind);
            kind
        })
    }

    /// The built-in kind as an enum; `None` for a custom kind.
    pub(crate) fn built_in(self) -> Option<BuiltIn> {
        self.0.built_in
    }

    /// The other version of a built-in kind that the handle is of; `None` for the version that objects are stored in.
    pub(crate) fn other_version(self) -> Option<OtherVersion> {
        self.0.other_version
    }

    /// The built-in kinds in every version that they are served in.
    pub fn served() -> impl Iterator<Item = Kind> {
        Kind::BUILT_IN.iter().chain(Kind::OTHER_VERSIONS).copied()
    }

    /// Whether a CustomResourceDefinition defines the kind.
    pub fn is_custom(self) -> bool {
        self.0.built_in.is_none()
    }

    /// The kind's name, for example `Deployment`.
    pub const fn as_str(self) -> &'static str {
        self.0.kind
    }

    /// The name of its lists, for example `DeploymentList`.
    pub const fn list_kind(self) -> &'static str {
        self.0.list_kind
    }

    /// The API group, for example `apps`; empty for the core group.
    pub const fn group(self) -> &'static str {
        self.0.group
    }

    /// The version that clients prefer, for example `v1`. The handle of a custom kind has the version for
    /// which it was made.
    pub const fn version(self) -> &'static str {
        self.0.version
    }

    /// Group and version, for example `apps/v1`; `v1` for the core group.
    pub const fn api_version(self) -> &'static str {
        self.0.api_version
    }

    /// The resource's name in paths, for example `deployments`.
    pub const fn plural(self) -> &'static str {
        self.0.plural
    }

    /// The singular of the resource's name, for example `deployment`.
    pub const fn singular(self) -> &'static str {
        self.0.singular
    }

    /// `deploy`
    pub const fn short_names(self) -> &'static [&'static str] {
        self.0.short_names
    }

    /// The categories of the resource, for example `all`: words by which clients ask for several resources.
    /// Those of built-in kinds are in the table of discovery.
    pub const fn categories(self) -> &'static [&'static str] {
        self.0.categories
    }

    /// Whether the objects are in namespaces, as a value.
    pub const fn scope(self) -> Scope {
        self.0.scope
    }

    /// The subresources with which the kind is served.
    pub const fn subresources(self) -> &'static [&'static str] {
        self.0.subresources
    }

    /// Whether the objects are in namespaces.
    pub const fn namespaced(self) -> bool {
        matches!(self.scope(), Scope::Namespaced)
    }

    /// The resource as messages name it, for example `deployments.apps` or `pods`: with the group of the stored
    /// version.
    pub fn group_resource(self) -> String {
        match self.stored().group() {
            "" => self.plural().to_owned(),
            group => format!("{}.{group}", self.plural()),
        }
    }

    /// The kind as messages name it, for example `Deployment.apps` or `Pod`: with the group of the stored version.
    pub fn group_kind(self) -> String {
        match self.stored().group() {
            "" => self.as_str().to_owned(),
            group => format!("{}.{group}", self.as_str()),
        }
    }

    /// The kind with the `apiVersion` and `kind` of a manifest; `None` if there is none.
    pub fn of(api_version: &str, kind: &str) -> Option<Kind> {
        Kind::served().find(|k| k.as_str() == kind && k.api_version() == api_version)
    }

    /// The kind of a resource by group, version and plural; `None` if there is none.
    pub fn of_resource(group: &str, version: &str, plural: &str) -> Option<Kind> {
        Kind::served().find(|k| k.plural() == plural && k.group() == group && k.version() == version)
    }

    /// Whether the kind is served with this subresource.
    pub fn has_subresource(self, name: &str) -> bool {
        self.subresources().contains(&name)
    }
}

impl PartialEq for Kind {
    #[inline]
    fn eq(&self, other: &Kind) -> bool {
        match (self.0.built_in, other.0.built_in) {
            (Some(a), Some(b)) => a == b,
            _ => std::ptr::eq(self.0, other.0) || self.compare_names(*other) == Ordering::Equal,
        }
    }
}

impl Eq for Kind {}

impl PartialOrd for Kind {
    #[inline]
    fn partial_cmp(&self, other: &Kind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Built-in kinds come first, in the table's order, then custom ones by group and plural. Two definitions
/// with the same group and plural, one of which was created after the other was deleted, can differ in kind
/// and scope.
impl Ord for Kind {
    // Every look-up in a cache compares kinds, so the comparison of two built-in ones is inlined.
    #[inline]
    fn cmp(&self, other: &Kind) -> Ordering {
        match (self.0.built_in, other.0.built_in) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.compare_names(*other),
        }
    }
}

impl Kind {
    /// The order of two kinds of which at least one is custom.
    #[cold]
    fn compare_names(self, other: Kind) -> Ordering {
        let of = |k: Kind| (k.is_custom(), k.0.group, k.0.plural, k.0.kind, k.0.scope);
        of(self).cmp(&of(other))
    }
}

impl Hash for Kind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0.built_in {
            Some(built_in) => built_in.hash(state),
            None => (self.0.group, self.0.plural).hash(state),
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(plural: &str, version: &str) -> CustomNames {
        CustomNames {
            group: "example.com".into(),
            version: version.into(),
            kind: "Thing".into(),
            list_kind: "ThingList".into(),
            plural: plural.into(),
            singular: "thing".into(),
            short_names: vec!["th".into()],
            categories: vec![],
            scope: Scope::Namespaced,
            subresources: vec!["status".into()],
        }
    }

    #[test]
    fn a_custom_kind_is_known_by_its_resource_whatever_the_version() {
        let (a, b) = (Kind::custom(&names("things", "v1")), Kind::custom(&names("things", "v2")));
        assert_eq!(a, b);
        assert_eq!((a.api_version(), b.api_version()), ("example.com/v1", "example.com/v2"));
        assert_ne!(a, Kind::custom(&names("others", "v1")));
        assert!(Kind::BUILT_IN.iter().all(|k| *k < a && *k != a));
    }

    #[test]
    fn another_version_is_the_same_kind() {
        let event = Kind::of("events.k8s.io/v1", "Event").map(|k| (k, k.api_version(), k.group_resource()));
        assert_eq!(event, Some((Kind::EVENT, "events.k8s.io/v1", "events".to_owned())));
        for kind in Kind::OTHER_VERSIONS {
            assert_ne!(kind.api_version(), kind.stored().api_version());
            assert_eq!((*kind, kind.plural()), (kind.stored(), kind.stored().plural()));
        }
    }

    #[test]
    fn a_definition_that_came_after_another_one_makes_another_kind() {
        let first = Kind::custom(&names("things", "v1"));
        for other in [
            CustomNames { kind: "Other".into(), ..names("things", "v1") },
            CustomNames { scope: Scope::Cluster, ..names("things", "v1") },
        ] {
            assert_ne!(first, Kind::custom(&other));
        }
        let renamed = CustomNames { short_names: Vec::new(), ..names("things", "v1") };
        assert_eq!(first, Kind::custom(&renamed));
    }

    #[test]
    fn the_same_names_are_the_same_handle() {
        let (a, b) = (Kind::custom(&names("things", "v1")), Kind::custom(&names("things", "v1")));
        assert!(std::ptr::eq(a.0, b.0));
    }
}
