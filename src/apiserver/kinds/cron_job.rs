//! CronJob.
//!
//! Read from Kubernetes' `pkg/apis/batch/types.go`, `pkg/apis/batch/v1/{conversion,defaults}.go`,
//! `pkg/apis/batch/validation/validation.go`, `pkg/registry/batch/cronjob/strategy.go`,
//! `pkg/registry/batch/cronjob/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep};
use crate::api::types::CronJob;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::{defaults, printers, validation, warnings};

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

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::batch::cron_job(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.job_template.spec.as_mut().map(|s| &mut s.template), None);
        defaults::batch::cron_job(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        let before = old.spec.job_template.spec.as_ref().map(|s| &s.template);
        drop_disabled(this.spec.job_template.spec.as_mut().map(|s| &mut s.template), before);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::cron_job::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::cron_job::update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.job_template.spec.as_ref().map(|s| &s.template) {
            warnings::label_name(out, self.metadata.name(), "Pod names and hostnames");
            let path = Path::new("spec").child("jobTemplate").child("spec");
            warnings::large_indexed_job(out, self.spec.job_template.spec.as_ref(), &path);
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.job_template.spec.as_ref().map(|s| &s.template) {
            if self.metadata.generation() != old.metadata.generation() {
                let path = Path::new("spec").child("jobTemplate").child("spec");
                warnings::large_indexed_job(out, self.spec.job_template.spec.as_ref(), &path);
                warnings::pod::template(out, template, &path.child("template"));
            }
            if self.spec.schedule.contains("TZ") {
                out.push("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details".to_owned());
            }
        }
    }

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::batch::cron_job(self, now)
    }
}
