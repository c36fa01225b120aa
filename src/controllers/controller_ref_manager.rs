//! Adoption and release (`k8s.io/kubernetes/pkg/controller/controller_ref_manager.go`): a
//! controller adopts objects that its selector matches and no controller owns, and releases objects
//! that it owns and its selector does not match any more.

use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::types::ObjectMeta;
use crate::api::{ApiKind, MetaExt, ObjectRef, owner_reference};
use crate::apimachinery::Status;
use crate::client::{Context, Error, Result, Why, WorkKey};

/// What is to be done about an object.
enum Claim {
    /// It is the controller's.
    Mine,
    /// It is not.
    NotMine,
    /// It should be.
    Adopt,
    /// It should no longer be.
    Release,
}

fn claim(owner: &ObjectMeta, object: &ObjectMeta, matches: bool) -> Claim {
    match object.controller() {
        Some(c) if c.uid != owner.uid() => Claim::NotMine,
        Some(_) if matches => Claim::Mine,
        Some(_) if owner.is_deleting() => Claim::NotMine,
        Some(_) => Claim::Release,
        None if owner.is_deleting() || !matches || object.is_deleting() => Claim::NotMine,
        None => Claim::Adopt,
    }
}

/// Adopts and releases; the objects that are the owner's afterwards, in the order given.
///
/// # Errors
/// The first refusal; the other objects have been tried all the same.
pub async fn claim_objects<S, K, O, T>(
    cx: &Context<S, K>,
    owner: &Rc<O>,
    selector: &Selector,
    objects: Vec<Rc<T>>,
    filter: impl Fn(&T) -> bool,
) -> Result<Vec<Rc<T>>>
where
    S: Clone + 'static,
    K: WorkKey,
    O: ApiKind,
    T: ApiKind,
{
    let mut mine = Vec::with_capacity(objects.len());
    let mut failed: Option<Error> = None;
    let mut may_adopt: Option<std::result::Result<(), Error>> = None;
    for object in objects {
        let meta = object.meta();
        let matches = selector.matches(meta.labels_or_empty()) && filter(&object);
        match claim(owner.meta(), meta, matches) {
            Claim::Mine => mine.push(object),
            Claim::NotMine => {}
            Claim::Adopt => {
                if may_adopt.is_none() {
                    may_adopt = Some(recheck(cx, owner).await);
                }
                match may_adopt.clone() {
                    Some(Ok(())) => match adopt(cx, owner, &object).await {
                        Ok(adopted) => mine.push(adopted),
                        Err(e) if e.is_not_found() => {}
                        Err(e) => failed = failed.or(Some(e.into())),
                    },
                    Some(Err(e)) => failed = failed.or(Some(e)),
                    None => {}
                }
            }
            Claim::Release => match release(cx, owner, &object).await {
                Ok(()) => {}
                // It is gone, or another client released it: nothing is left to release.
                Err(e) if e.is_not_found() || e.reason == "Invalid" => {}
                Err(e) => failed = failed.or(Some(e.into())),
            },
        }
    }
    match failed {
        Some(e) => Err(e),
        None => Ok(mine),
    }
}

/// Before the first adoption the owner is read again, past the cache: an owner that is being deleted
/// must not adopt an object that would be deleted with it.
async fn recheck<S, K, O>(cx: &Context<S, K>, owner: &Rc<O>) -> Result
where
    S: Clone + 'static,
    K: WorkKey,
    O: ApiKind,
{
    let fresh = cx.get::<O>(owner.meta().key()).await?;
    let (f, o) = (fresh.meta(), owner.meta());
    let what = format!("{} {}", O::KIND.as_str(), o.key());
    if f.uid() != o.uid() {
        return Err(Error::Other(format!(
            "original {what} is gone: got uid {}, wanted {}",
            f.uid(),
            o.uid()
        )));
    }
    if f.is_deleting() {
        return Err(Error::Other(format!("{what} has just been deleted")));
    }
    Ok(())
}

async fn adopt<S, K, O, T>(
    cx: &Context<S, K>,
    owner: &Rc<O>,
    object: &Rc<T>,
) -> std::result::Result<Rc<T>, Status>
where
    S: Clone + 'static,
    K: WorkKey,
    O: ApiKind,
    T: ApiKind,
{
    let mut to = object.clone();
    Rc::make_mut(&mut to)
        .meta_mut()
        .owner_references
        .get_or_insert_default()
        .push(owner_reference(O::KIND, owner.meta()));
    let why = Why::new("claim_objects.adopt")
        .read("labels", ObjectRef::of(object.as_ref()), "metadata.labels", labels(object.meta()))
        .read("owner", ObjectRef::of(owner.as_ref()), "spec.selector", owner.meta().name());
    cx.patch(object.clone(), to).because(why).await
}

async fn release<S, K, O, T>(
    cx: &Context<S, K>,
    owner: &Rc<O>,
    object: &Rc<T>,
) -> std::result::Result<(), Status>
where
    S: Clone + 'static,
    K: WorkKey,
    O: ApiKind,
    T: ApiKind,
{
    let mut to = object.clone();
    let uid = owner.meta().uid();
    let references = &mut Rc::make_mut(&mut to).meta_mut().owner_references;
    if let Some(r) = references {
        r.retain(|r| r.uid != uid);
        if r.is_empty() {
            *references = None;
        }
    }
    let why = Why::new("claim_objects.release")
        .read("labels", ObjectRef::of(object.as_ref()), "metadata.labels", labels(object.meta()))
        .read("owner", ObjectRef::of(owner.as_ref()), "spec.selector", owner.meta().name());
    cx.patch(object.clone(), to).because(why).await.map(|_| ())
}

fn labels(meta: &ObjectMeta) -> String {
    let pairs: Vec<String> = meta.labels_or_empty().iter().map(|(k, v)| format!("{k}={v}")).collect();
    pairs.join(",")
}
