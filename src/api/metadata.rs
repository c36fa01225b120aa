//! [`Metadata`]: the metadata of a pod, of which the pod's versions share all but the version.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::meta::{MetaExt, Name};
use super::shared::Shared;

/// The metadata of a pod: its `resourceVersion`, which each write changes, and beside it the rest, which the versions of a pod
/// share as long as it does not change. The fields are read as those of an [`ObjectMeta`].
///
/// The `resource_version` of the rest is always `None`, so code for objects of any kind asks the object for it
/// (`Object::resource_version`) and not its [`ObjectMeta`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// `metadata.resourceVersion`; `None` if the pod was never stored.
    pub resource_version: Option<Name>,
    rest: Shared<ObjectMeta>,
}

impl Metadata {
    /// The metadata as the API has it, with the `resourceVersion`.
    pub fn whole(&self) -> Cow<'_, ObjectMeta> {
        match &self.resource_version {
            None => Cow::Borrowed(&self.rest),
            Some(version) => Cow::Owned(ObjectMeta {
                resource_version: Some(version.to_string()),
                ..ObjectMeta::clone(&self.rest)
            }),
        }
    }

    /// Shares the rest with other metadata, if it is equal.
    pub fn share_with(&mut self, other: &Metadata) {
        if self.rest == other.rest {
            self.rest = other.rest.clone();
        }
    }
}

impl MetaExt for Metadata {
    fn object_meta(&self) -> &ObjectMeta {
        self
    }
}

impl From<ObjectMeta> for Metadata {
    fn from(mut meta: ObjectMeta) -> Metadata {
        let resource_version = meta.resource_version.take().map(Name::from);
        Metadata { resource_version, rest: Shared::new(meta) }
    }
}

impl Deref for Metadata {
    type Target = ObjectMeta;
    fn deref(&self) -> &ObjectMeta {
        &self.rest
    }
}

impl DerefMut for Metadata {
    fn deref_mut(&mut self) -> &mut ObjectMeta {
        &mut self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_share_all_but_the_version() {
        let meta = |version: &str| ObjectMeta {
            name: Some("web".into()),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        };
        let (a, mut b) = (Metadata::from(meta("1")), Metadata::from(meta("2")));
        assert_ne!(a, b);
        b.share_with(&a);
        assert!(a.rest.ptr_eq(&b.rest));
        assert_eq!((a.whole().into_owned(), b.whole().into_owned()), (meta("1"), meta("2")));
        assert_eq!(b.rest.resource_version, None);
        b.uid = Some("u".into());
        assert_eq!(a.uid, None, "what one changes is not changed in the other");
        b.share_with(&a);
        assert!(!a.rest.ptr_eq(&b.rest));
    }
}
