//! Validation of a CronJob (`pkg/apis/batch/validation/validation.go`).

use crate::api::types as t;
use crate::api::{MetaExt, cron};

use crate::apiserver::kinds::job;
use crate::apiserver::validation::field::{Errors, FieldError, Path};
use crate::apiserver::validation::meta::{non_negative, object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::{internal, or_default, text};

/// The longest name: the name of a Job is that of its CronJob and eleven characters more.
const MAX_NAME: usize = 52;

pub(in crate::apiserver) fn create(errs: &mut Errors, cron_job: &t::CronJob) {
    object_meta(errs, &cron_job.metadata, true, name_is_dns_subdomain);
    spec(errs, &cron_job.spec, None);
    let name = MetaExt::name(&cron_job.metadata);
    if name.len() > MAX_NAME {
        let at = Path::new("metadata").child("name");
        errs.push(FieldError::invalid(&at, name, format!("must be no more than {MAX_NAME} characters")));
    }
}

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::CronJob, old: &t::CronJob) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    spec(errs, &new.spec, Some(&old.spec));
}

fn spec(errs: &mut Errors, spec: &t::CronJobSpec, old: Option<&t::CronJobSpec>) {
    let path = Path::new("spec");
    let at = path.child("schedule");
    if spec.schedule.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else {
        let stored_zone = old.is_some_and(|o| o.schedule.contains("TZ"));
        schedule(errs, spec, stored_zone, &at);
    }
    if let Some(n) = spec.starting_deadline_seconds {
        non_negative(errs, n, &path.child("startingDeadlineSeconds"));
    }
    if old.is_none_or(|o| o.time_zone != spec.time_zone) {
        time_zone(errs, spec.time_zone.as_deref(), &path.child("timeZone"));
    }
    let at = path.child("concurrencyPolicy");
    match text(&spec.concurrency_policy) {
        "Allow" | "Forbid" | "Replace" => {}
        "" => errs.push(FieldError::required(&at, "")),
        other => errs.push(FieldError::not_supported(&at, other, &["Allow", "Forbid", "Replace"])),
    }
    job_template(errs, or_default(&spec.job_template.spec, &Default::default()), &path.child("jobTemplate"));
    for (name, limit) in [
        ("successfulJobsHistoryLimit", spec.successful_jobs_history_limit),
        ("failedJobsHistoryLimit", spec.failed_jobs_history_limit),
    ] {
        if let Some(n) = limit {
            non_negative(errs, n, &path.child(name));
        }
    }
}

fn schedule(errs: &mut Errors, spec: &t::CronJobSpec, stored_zone: bool, path: &Path) {
    let schedule = spec.schedule.as_str();
    if let Err(why) = cron::parse(schedule) {
        errs.push(FieldError::invalid(path, schedule, why));
    }
    if schedule.contains("TZ") {
        if !stored_zone {
            let message = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            errs.push(FieldError::invalid(path, schedule, message));
        } else if spec.time_zone.is_some() {
            let message = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
            errs.push(FieldError::invalid(path, schedule, message));
        }
    }
}

/// Validates a time zone's name.
fn time_zone(errs: &mut Errors, zone: Option<&str>, path: &Path) {
    let Some(zone) = zone else { return };
    if zone.is_empty() {
        errs.push(FieldError::invalid(path, zone, "timeZone must be nil or non-empty string"));
        return;
    }
    if zone.eq_ignore_ascii_case("Local") {
        let message = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errs.push(FieldError::invalid(path, zone, message));
    }
    // `Local` itself is a zone, of the machine.
    if zone != "Local" && cron::load_location(zone).is_none() {
        errs.push(FieldError::invalid(path, zone, format!("unknown time zone {zone}")));
    }
}

/// `ValidateJobTemplateSpec`
fn job_template(errs: &mut Errors, spec: &t::JobSpec, path: &Path) {
    let at = path.child("spec");
    job::validation::spec(errs, spec, &at);
    if let Some(selector) = &spec.selector {
        let value = internal::quote_selector(Some(selector));
        errs.push(FieldError::invalid(&at.child("selector"), value, "`selector` will be auto-generated"));
    }
    if spec.manual_selector == Some(true) {
        errs.push(FieldError::not_supported(&at.child("manualSelector"), true, &["nil", "false"]));
    }
}
