//! Adoption and release (`k8s.io/kubernetes/pkg/controller/controller_ref_manager.go`). A controller adopts
//! an object that its selector matches and that has no controller, and releases an object that it owns and
//! that its selector does not match any more.

use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::types::ObjectMeta;
use crate::api::{ApiKind, MetaExt, ObjectRef, owner_reference};
use crate::apimachinery::Status;
use crate::client::{Context, Error, Result, Why, WorkKey};

/// What adoption means for an object.
enum Claim {
    /// The owner controls the object and its selector matches.
    Mine,
    /// The object is not the owner's, and stays so.
    NotMine,
    /// The object is to be adopted.
    Adopt,
    /// The object is to be released.
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

/// Adopts and releases. Returns the objects that the owner controls afterwards, in the order given.
///
/// # Errors
/// The first request that failed. The requests for the other objects have been sent all the same.
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
    claim_objects_noted(cx, owner, selector, objects, filter, &[], |_| {}).await
}

/// [`claim_objects`] for a controller that notes what it writes: `adopted` is told of each object that was adopted, as the
/// API server has answered it (`OnWrite`; an object that was released belongs to nobody, so nothing is noted of it). An
/// object that is adopted gets `finalizers`, and one that is released loses them.
///
/// # Errors
/// As those of [`claim_objects`].
pub async fn claim_objects_noted<S, K, O, T>(
    cx: &Context<S, K>,
    owner: &Rc<O>,
    selector: &Selector,
    objects: Vec<Rc<T>>,
    filter: impl Fn(&T) -> bool,
    finalizers: &[&str],
    adopted: impl Fn(&Rc<T>),
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
                    Some(Ok(())) => match adopt(cx, owner, &object, finalizers).await {
                        Ok(object) => {
                            adopted(&object);
                            mine.push(object);
                        }
                        Err(e) if e.is_not_found() => {}
                        Err(e) => failed = failed.or(Some(e.into())),
                    },
                    Some(Err(e)) => failed = failed.or(Some(e)),
                    None => {}
                }
            }
            Claim::Release => match release(cx, owner, &object, finalizers).await {
                Ok(()) => {}
                // The object was deleted, or another client has released it.
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

/// Reads the owner from the API server before the first adoption: an owner that is being deleted must not
/// adopt an object, which would be deleted with it.
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
    finalizers: &[&str],
) -> std::result::Result<Rc<T>, Status>
where
    S: Clone + 'static,
    K: WorkKey,
    O: ApiKind,
    T: ApiKind,
{
    let mut to = object.clone();
    let meta = Rc::make_mut(&mut to).meta_mut();
    meta.owner_references.get_or_insert_default().push(owner_reference(O::KIND, owner.meta()));
    for finalizer in finalizers {
        let all = meta.finalizers.get_or_insert_default();
        if all.iter().all(|f| f != finalizer) {
            all.push((*finalizer).to_owned());
        }
    }
    let why = Why::new("claim_objects.adopt")
        .read("labels", ObjectRef::of(object.as_ref()), "metadata.labels", labels(object.meta()))
        .read("owner", ObjectRef::of(owner.as_ref()), "spec.selector", owner.meta().name());
    cx.patch(object.clone(), to).because(why).await
}

async fn release<S, K, O, T>(
    cx: &Context<S, K>,
    owner: &Rc<O>,
    object: &Rc<T>,
    finalizers: &[&str],
) -> std::result::Result<(), Status>
where
    S: Clone + 'static,
    K: WorkKey,
    O: ApiKind,
    T: ApiKind,
{
    let mut to = object.clone();
    let uid = owner.meta().uid();
    let meta = Rc::make_mut(&mut to).meta_mut();
    if let Some(references) = &mut meta.owner_references {
        references.retain(|r| r.uid != uid);
    }
    meta.owner_references = meta.owner_references.take().filter(|r| !r.is_empty());
    if let Some(all) = &mut meta.finalizers {
        all.retain(|f| !finalizers.contains(&f.as_str()));
    }
    meta.finalizers = meta.finalizers.take().filter(|f| !f.is_empty());
    let why = Why::new("claim_objects.release")
        .read("labels", ObjectRef::of(object.as_ref()), "metadata.labels", labels(object.meta()))
        .read("owner", ObjectRef::of(owner.as_ref()), "spec.selector", owner.meta().name());
    cx.patch(object.clone(), to).because(why).await.map(|_| ())
}

fn labels(meta: &ObjectMeta) -> String {
    let pairs: Vec<String> = meta.labels_or_empty().iter().map(|(k, v)| format!("{k}={v}")).collect();
    pairs.join(",")
}
