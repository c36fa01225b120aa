//! The policies whose expressions are compiled ([`CompiledPolicies`]): once for each spec, and not for each request
//! (`policy/generic/policy_source.go`, which keeps what it has compiled as long as policy and param kind stay the same).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::mutating::Mutator;
use super::validating::Validator;
use crate::api::Object;
use crate::api::types::admission::{MutatingAdmissionPolicySpec, ValidatingAdmissionPolicySpec};

/// The most policies of a kind of which something is kept. When there are more all are forgotten.
const LIMIT: usize = 256;

/// A policy as it is stored, its spec, and what was compiled of it.
struct Known<S, C> {
    object: Object,
    spec: S,
    compiled: Rc<C>,
}

type All<S, C> = RefCell<BTreeMap<String, Known<S, C>>>;

#[derive(Default)]
struct Kept {
    validators: All<ValidatingAdmissionPolicySpec, Validator>,
    mutators: All<MutatingAdmissionPolicySpec, Mutator>,
    /// How many policies were compiled.
    #[cfg(test)]
    count: std::cell::Cell<usize>,
}

/// A cache that outlives requests: what was compiled of policies, by their names. It follows from the specs, so clones of a server share
/// it, and nothing but time can be told from it.
#[derive(Clone, Default)]
pub(in crate::apiserver) struct CompiledPolicies(Rc<Kept>);

impl fmt::Debug for CompiledPolicies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CompiledPolicies")
    }
}

impl CompiledPolicies {
    /// The policy of an object, compiled.
    pub(super) fn validator(&self, object: &Object, spec: &ValidatingAdmissionPolicySpec) -> Rc<Validator> {
        self.known(&self.0.validators, object, spec, Validator::of)
    }

    /// The same of a policy that changes objects.
    pub(super) fn mutator(&self, object: &Object, spec: &MutatingAdmissionPolicySpec) -> Rc<Mutator> {
        self.known(&self.0.mutators, object, spec, Mutator::of)
    }

    /// How many policies were compiled.
    #[cfg(test)]
    pub(in crate::apiserver) fn count(&self) -> usize {
        self.0.count.get()
    }

    fn known<S: Clone + PartialEq, C>(
        &self,
        all: &All<S, C>,
        object: &Object,
        spec: &S,
        compile: impl FnOnce(&S) -> C,
    ) -> Rc<C> {
        let mut all = all.borrow_mut();
        // A status that was written anew, or another run of the cluster, has the spec in another object.
        if let Some(known) = all.get_mut(object.name()).filter(|k| k.object.ptr_eq(object) || k.spec == *spec)
        {
            known.object = object.clone();
            return known.compiled.clone();
        }
        #[cfg(test)]
        self.0.count.set(self.0.count.get() + 1);
        let compiled = Rc::new(compile(spec));
        if all.len() >= LIMIT {
            all.clear();
        }
        let known = Known { object: object.clone(), spec: spec.clone(), compiled: compiled.clone() };
        all.insert(object.name().to_owned(), known);
        compiled
    }
}
