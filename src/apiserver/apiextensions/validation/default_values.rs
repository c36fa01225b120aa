//! The defaults of a schema must be what the schema asks for
//! (`pkg/apiserver/schema/defaulting/validation.go`).

use super::super::cel_rules::Rules;
use super::super::defaulting::Surrounding;
use super::super::go_json::bad_value;
use super::super::schema::Structural;
use super::super::{objectmeta, pruning, values};
use crate::apiserver::validation::{Errors, FieldError, Path, aggregate};

/// What is wrong with the defaults of a whole object's schema.
pub(super) fn validate(schema: &Structural, path: &Path, pruned: bool) -> Errors {
    let root = Structural { embedded_resource: true, ..schema.clone() };
    let mut defaults = Defaults { errs: Errors::new(), pruned, budget: crate::cel::RUNTIME_COST_BUDGET };
    defaults.walk(&root, &root, &Surrounding::root(true), false, path);
    defaults.errs
}

struct Defaults {
    errs: Errors,
    pruned: bool,
    /// What rules may still cost; none once it is used up.
    budget: u64,
}

impl Defaults {
    /// `root`: the object that the metadata belongs to, if `meta` says that this is metadata.
    /// Returns whether to go on.
    fn walk(
        &mut self,
        s: &Structural,
        root: &Structural,
        around: &Surrounding,
        meta: bool,
        path: &Path,
    ) -> bool {
        let own = Surrounding::root(true);
        let (root, around, meta) = if s.embedded_resource { (s, &own, false) } else { (root, around, meta) };
        if s.default.is_some() && !self.default(s, root, around, meta, &path.child("default")) {
            return false;
        }
        // There are no defaults below additionalProperties.
        if let Some(items) = &s.items
            && !self.walk(items, root, &around.index(), meta, &path.child("items"))
        {
            return false;
        }
        for (name, property) in &s.properties {
            let own = s.embedded_resource && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
            let at = path.child("properties").key(name);
            if !self.walk(property, root, &around.child(name), meta || own, &at) {
                return false;
            }
        }
        true
    }

    fn default(
        &mut self,
        s: &Structural,
        root: &Structural,
        around: &Surrounding,
        meta: bool,
        at: &Path,
    ) -> bool {
        let Some(value) = &s.default else { return true };
        if meta {
            let mut object = around.around(value.clone());
            let nowhere = Path::new("");
            let bad = match objectmeta::coerce(&mut object, root, true, false) {
                Err(error) => Some(error.to_string()),
                Ok(_) => {
                    let errs = objectmeta::validate(&object, root, true, &nowhere);
                    (!errs.is_empty()).then(|| aggregate(&errs))
                }
            };
            if let Some(bad) = bad {
                let detail = format!("must result in valid metadata: {bad}");
                self.errs.push(FieldError::invalid(at, bad_value(value), detail));
                return true;
            }
        } else {
            if self.pruned {
                let mut pruned = value.clone();
                pruning::prune(&mut pruned, s, s.embedded_resource);
                if pruned != *value {
                    self.errs.push(FieldError::invalid(at, bad_value(value), "must not have unknown fields"));
                }
            }
            // Unknown metadata goes without a word, as it does from an object.
            let mut coerced = value.clone();
            if let Err(error) = objectmeta::coerce(&mut coerced, s, s.embedded_resource, false) {
                let field = format!("{at}.{}", error.field);
                self.errs.push(FieldError { field, ..error });
                return true;
            }
            let mut errs = objectmeta::validate(&coerced, s, s.embedded_resource, at);
            if !errs.is_empty() {
                self.errs.append(&mut errs);
                return true;
            }
        }
        let mut errs = values::validate_default(value, s, at);
        if !errs.is_empty() {
            self.errs.append(&mut errs);
            return true;
        }
        let Some(rules) = Rules::new(s, std::ptr::eq(s, root)) else { return true };
        // As an update that changes nothing, and as a value that was not there.
        let unchanged = rules.validate(value, Some(value), None, at, self.budget);
        let mut left = unchanged.left;
        let good = unchanged.errors.is_empty();
        self.errs.extend(unchanged.errors);
        if good {
            let fresh = rules.validate(value, None, None, at, self.budget);
            self.errs.extend(fresh.errors);
            left = left.min(fresh.left);
        }
        match left {
            Some(left) => self.budget = left,
            None => return false,
        }
        true
    }
}
