//! Events, by the rules of `v1` (`pkg/apis/core/validation/events.go`).

use crate::api::MetaExt;
use crate::api::types as t;

use super::field::{Errors, FieldError, Path};
use super::meta::invalid_each;
use super::{names, text};

const MAX_WORD: usize = 128;
const MAX_MESSAGE: usize = 1024;

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Event, _old: &t::Event) {
    event(errs, new);
}

pub(in crate::apiserver) fn event(errs: &mut Errors, event: &t::Event) {
    let namespace = MetaExt::namespace(&event.metadata);
    let involved = text(&event.involved_object.namespace);
    let at = Path::new("involvedObject").child("namespace");
    let mismatch = |errs: &mut Errors| {
        errs.push(FieldError::invalid(&at, involved, "does not match event.namespace"));
    };
    if event.event_time.is_none() {
        let fits =
            if involved.is_empty() { matches!(namespace, "" | "default") } else { namespace == involved };
        if !fits {
            mismatch(errs);
        }
    } else {
        if involved.is_empty() && !matches!(namespace, "default" | "kube-system") {
            mismatch(errs);
        }
        let controller = text(&event.reporting_component);
        let at = Path::new("reportingController");
        if controller.is_empty() {
            errs.push(FieldError::required(&at, ""));
        }
        invalid_each(errs, &at, controller, names::qualified_name(controller));
        for (name, value) in [
            ("reportingInstance", &event.reporting_instance),
            ("action", &event.action),
            ("reason", &event.reason),
        ] {
            let at = Path::new(name);
            if text(value).is_empty() {
                errs.push(FieldError::required(&at, ""));
            }
            at_most(errs, text(value), MAX_WORD, &at);
        }
        at_most(errs, text(&event.message), MAX_MESSAGE, &Path::new("message"));
    }
    invalid_each(errs, &Path::new("namespace"), namespace, names::dns1123_subdomain(namespace));
}

fn at_most(errs: &mut Errors, value: &str, max: usize, path: &Path) {
    if value.len() > max {
        errs.push(FieldError::invalid(path, "", format!("can have at most {max} characters")));
    }
}
