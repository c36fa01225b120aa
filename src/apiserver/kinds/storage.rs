//! How the store of a kind differs from the generic one (`pkg/registry/*/*/storage/storage.go`,
//! `SpecialDefaultResourcePrefixes` in `pkg/kubeapiserver`, `GetResetFields` and `DefaultGarbageCollectionPolicy` of the
//! strategies).

use crate::api::Object;
use crate::api::types::LabelSelector;

/// Fields by their paths from the root of an object.
type Fields = &'static [&'static [&'static str]];

/// What is peculiar to the store of a kind. Most kinds have [`Storage::PLAIN`].
#[derive(Clone, Copy)]
pub(in crate::apiserver) struct Storage {
    /// What the keys of etcd have in place of the kind's plural; `None` for the plural itself.
    pub prefix: Option<&'static str>,
    /// Whether a DELETE that removes an object is answered with it, and not with a `Status` (`ReturnDeletedObject`).
    pub returns_deleted_object: bool,
    /// Whether a DELETE that names no propagation policy orphans the object's dependents.
    pub orphans_dependents: bool,
    /// For each subresource (`""` is the object itself) the fields that a write of it cannot change, where they are not
    /// the usual ones: `status` for the object, `spec` for its status.
    pub reset: &'static [(&'static str, Fields)],
    /// The kind's scale, if it has one.
    pub scale: Option<Scale>,
    /// Whether a name that is made from `generateName` ends with random characters (`NameGenerator`).
    pub random_names: bool,
}

/// How the `scale` of a kind is read and written.
#[derive(Clone, Copy)]
pub(in crate::apiserver) struct Scale {
    /// Reads the scale of an object of the kind.
    pub read: fn(&Object) -> Option<Replicas>,
    /// Sets the number of wanted replicas.
    pub set: fn(&mut Object, i32),
}

/// What a scale says of an object.
pub(in crate::apiserver) struct Replicas {
    /// The number of wanted replicas; `None` if it is not set.
    pub wanted: Option<i32>,
    /// The number of replicas that the status tells.
    pub observed: i32,
    /// The selector of the pods.
    pub selector: LabelSelector,
}

/// The [`Scale`] of a kind with `spec.replicas`. The first function reads the observed replicas from the status, the second
/// one the selector from the spec.
macro_rules! scale {
    ($kind:ident, $observed:expr, $selector:expr) => {
        $crate::apiserver::kinds::storage::Scale {
            read: |object| {
                let this = $kind::from_object(object)?;
                let spec = this.spec.as_ref();
                Some($crate::apiserver::kinds::storage::Replicas {
                    wanted: spec.and_then(|s| s.replicas),
                    observed: this.status.as_ref().and_then($observed).unwrap_or(0),
                    selector: spec.map($selector).unwrap_or_default(),
                })
            },
            set: |object, replicas| {
                if let Some(spec) = $kind::from_object_mut(object).and_then(|o| o.spec.as_mut()) {
                    spec.replicas = Some(replicas);
                }
            },
        }
    };
}
pub(super) use scale;

impl Storage {
    /// The generic store.
    pub const PLAIN: Storage = Storage {
        prefix: None,
        returns_deleted_object: false,
        orphans_dependents: false,
        reset: &[],
        scale: None,
        random_names: true,
    };
    /// The generic store that answers a DELETE with the object.
    pub const RETURNS_DELETED_OBJECT: Storage = Storage { returns_deleted_object: true, ..Storage::PLAIN };
}

#[cfg(test)]
mod tests {
    use crate::api::Kind;
    use crate::apiserver::kinds::storage;

    fn plurals(which: impl Fn(Kind) -> bool) -> Vec<&'static str> {
        let mut found: Vec<_> = Kind::BUILT_IN.iter().filter(|k| which(**k)).map(|k| k.plural()).collect();
        found.sort_unstable();
        found
    }

    /// `SpecialDefaultResourcePrefixes`, and definitions, which the generic factory stores under their group.
    #[test]
    fn the_keys_of_some_kinds_are_special() {
        let special = plurals(|k| storage(k).prefix.is_some());
        let want = [
            "customresourcedefinitions",
            "endpoints",
            "ingresses",
            "nodes",
            "replicationcontrollers",
            "services",
        ];
        assert_eq!(special, want);
    }

    /// The published clients of Kubernetes decode an object from the answer to these deletions; for `namespaces`
    /// `ReturnDeletedObject` in `pkg/registry/core/namespace/storage/storage.go`.
    #[test]
    fn some_deletions_are_answered_with_the_object() {
        let want = [
            "csidrivers",
            "csinodes",
            "deviceclasses",
            "namespaces",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "resourceclaims",
            "resourceclaimtemplates",
            "resourcequotas",
            "resourceslices",
            "serviceaccounts",
            "services",
            "storageclasses",
            "volumeattachments",
            "volumeattributesclasses",
        ];
        assert_eq!(plurals(|k| storage(k).returns_deleted_object), want);
    }

    /// `GetResetFields` of `namespaceFinalizeStrategy` in `pkg/registry/core/namespace/strategy.go`.
    #[test]
    fn who_finalizes_a_namespace_does_not_own_its_status() {
        let reset = storage(Kind::NAMESPACE).reset.iter().map(|(of, fields)| (*of, fields.to_vec()));
        assert_eq!(reset.collect::<Vec<_>>(), [("finalize", vec![&["status"][..]])]);
    }

    #[test]
    fn a_kind_has_a_scale_if_its_resource_says_so() {
        let said = plurals(|k| k.has_subresource("scale"));
        assert_eq!(plurals(|k| storage(k).scale.is_some()), said);
    }
}
