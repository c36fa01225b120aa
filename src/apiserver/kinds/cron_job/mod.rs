//! CronJob.
//!
//! Read from Kubernetes' `pkg/apis/batch/types.go`, `pkg/apis/batch/v1/{conversion,defaults}.go`,
//! `pkg/apis/batch/validation/validation.go`, `pkg/registry/batch/cronjob/strategy.go`,
//! `pkg/registry/batch/cronjob/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

mod validation;

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, job};
use crate::api::duration::age;
use crate::api::types::CronJob;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::{default, pod_spec};
use crate::apiserver::printers::pod_template::{selector, template_cells};
use crate::apiserver::printers::{created, name, or_none};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::warnings;

impl Strategy for CronJob {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Schedule", "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron."),
        Column::text("Timezone", "The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones"),
        Column::of("Suspend", "boolean", "This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.").as_text(),
        Column::of("Active", "integer", "A list of pointers to currently running jobs."),
        Column::text("Last Schedule", "Information when was the last time the job was successfully scheduled."),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for!(convert, validate_status_update, field);

    fn default(this: &mut Rc<Self>) {
        fill_in(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.job_template.spec.as_mut().map(|s| &mut s.template), None);
        fill_in(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        let before = old.spec.job_template.spec.as_ref().map(|s| &s.template);
        drop_disabled(this.spec.job_template.spec.as_mut().map(|s| &mut s.template), before);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.job_template.spec.as_ref().map(|s| &s.template) {
            warnings::label_name(out, self.metadata.name(), "Pod names and hostnames");
            let path = Path::new("spec").child("jobTemplate").child("spec");
            job::warn_of_large_index(out, self.spec.job_template.spec.as_ref(), &path);
            warnings::pod_spec::template(out, template, &path.child("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.job_template.spec.as_ref().map(|s| &s.template) {
            if self.metadata.generation() != old.metadata.generation() {
                let path = Path::new("spec").child("jobTemplate").child("spec");
                job::warn_of_large_index(out, self.spec.job_template.spec.as_ref(), &path);
                warnings::pod_spec::template(out, template, &path.child("template"));
            }
            if self.spec.schedule.contains("TZ") {
                out.push("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details".to_owned());
            }
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = &self.spec;
        let status = self.status.as_ref();
        let last = status.and_then(|s| s.last_schedule_time.as_ref());
        let job = spec.job_template.spec.as_ref();
        let [containers, images] = template_cells(job.map(|s| &s.template));
        vec![
            name(&self.metadata),
            spec.schedule.clone(),
            or_none(spec.time_zone.as_deref()),
            match spec.suspend {
                Some(true) => "True",
                Some(false) => "False",
                None => "<unset>",
            }
            .to_owned(),
            status.and_then(|s| s.active.as_ref()).map_or(0, Vec::len).to_string(),
            last.map_or_else(|| "<none>".to_owned(), |t| age(Some(t), now)),
            created(&self.metadata, now),
            containers,
            images,
            selector(job.and_then(|s| s.selector.as_ref())),
        ]
    }
}

/// Fills in the defaults. Those of a Job are not filled in in the template, but those of its pods are.
fn fill_in(cron: &mut CronJob) {
    let spec = &mut cron.spec;
    default(&mut spec.concurrency_policy, "Allow");
    spec.suspend.get_or_insert(false);
    spec.successful_jobs_history_limit.get_or_insert(3);
    spec.failed_jobs_history_limit.get_or_insert(1);
    let template = &mut spec.job_template;
    template.metadata.get_or_insert_default();
    let job = template.spec.get_or_insert_default();
    job::default_patterns(job);
    pod_spec::template(&mut job.template);
    job.template.metadata.get_or_insert_default();
    cron.status.get_or_insert_default();
}
