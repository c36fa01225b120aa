//! CertificateSigningRequest.
//!
//! Read from Kubernetes' `pkg/apis/certificates/types.go`, `pkg/apis/certificates/helpers.go`,
//! `pkg/apis/certificates/v1/conversion.go`, `pkg/apis/certificates/validation/validation.go`,
//! `pkg/apis/core/validation/names.go`, `pkg/registry/certificates/certificates/strategy.go`,
//! `plugin/pkg/admission/certificates/subjectrestriction/admission.go` and
//! `pkg/printers/internalversion/printers.go`.

pub(in crate::apiserver) mod validation;

use std::rc::Rc;

use jiff::SignedDuration;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep};
use crate::api::certificate_signing_request::conditions;
use crate::api::duration::human_duration;
use crate::api::types::certificates::{
    CertificateSigningRequestCondition as Condition, CertificateSigningRequestStatus as Status,
};
use crate::api::types::{CertificateSigningRequest, Time};
use crate::api::well_known::KUBE_API_SERVER_CLIENT_SIGNER;
use crate::api::{ApiKind, Object, Timestamp, cells};
use crate::apimachinery::user::MASTERS;
use crate::apiserver::printers::{created, name, or_none};
use crate::apiserver::validation::Errors;

impl Strategy for CertificateSigningRequest {
    const COLUMNS: &'static [Column] = &[
        NAME,
        AGE,
        Column::text(
            "SignerName",
            "Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it's a kubelet client certificate, it is assigned\n    \"kubernetes.io/kube-apiserver-client-kubelet\".\n 2. If it's a kubelet serving certificate, it is assigned\n    \"kubernetes.io/kubelet-serving\".\n 3. Otherwise, it is assigned \"kubernetes.io/legacy-unknown\".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.",
        ),
        Column::text("Requestor", "Base64-encoded PKCS#10 CSR data"),
        Column::text(
            "RequestedDuration",
            "expirationSeconds is the requested duration of validity of the issued certificate. The certificate signer may issue a certificate with a different validity duration so a client must check the delta between the notBefore and and notAfter fields in the issued certificate to determine the actual duration.\n\nThe v1.22+ in-tree implementations of the well-known Kubernetes signers will honor this field as long as the requested duration is not greater than the maximum duration they will honor per the --cluster-signing-duration CLI flag to the Kubernetes controller manager.\n\nCertificate signers may not honor this field for various reasons:\n\n  1. Old signer that is unaware of the field (such as the in-tree\n     implementations prior to v1.22)\n  2. Signer whose configured maximum is shorter than the requested duration\n  3. Signer whose configured minimum is longer than the requested duration\n\nThe minimum valid value for expirationSeconds is 600, i.e. 10 minutes.",
        ),
        Column::text("Condition", "Conditions applied to the request, such as approval or denial."),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::These(&["metadata.name", "spec.signerName"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage {
        reset: &[
            ("", &[&["spec"], &["status"]]),
            ("status", &[&["spec"], &["status", "conditions"]]),
            ("approval", &[&["spec"], &["status", "certificate"]]),
        ],
        ..Storage::PLAIN
    };

    nothing_for!(convert, warnings_on_create, warnings_on_update);

    fn default(this: &mut Rc<Self>) {
        Rc::make_mut(this).status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        let user = creation.user.cloned().unwrap_or_default();
        // The user who asks is the one who creates the request, whatever the body says.
        this.spec.username = (!user.name.is_empty()).then_some(user.name);
        this.spec.uid = (!user.uid.is_empty()).then_some(user.uid);
        this.spec.groups = (!user.groups.is_empty()).then_some(user.groups);
        this.spec.extra = (!user.extra.is_empty()).then_some(user.extra);
        this.status = Some(Status::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        this.status.clone_from(&old.status);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        let before = conditions(old);
        let after = this.status.get_or_insert_default().conditions.get_or_insert_default();
        for decision in ["Approved", "Denied"] {
            preserve(after, before, decision);
        }
        add_times(after, before, now);
        if after.is_empty() {
            this.status.get_or_insert_default().conditions = None;
        }
    }

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::status_update(errs, self, old);
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "spec.signerName").then(|| self.spec.signer_name.clone())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let duration = |seconds: i32| human_duration(SignedDuration::from_secs(seconds.into()));
        vec![
            name(&self.metadata),
            created(&self.metadata, now),
            or_none(Some(&self.spec.signer_name)),
            self.spec.username.clone().unwrap_or_default(),
            self.spec.expiration_seconds.map_or_else(|| "<none>".to_owned(), duration),
            cells::certificate_condition(self),
        ]
    }
}

/// Keeps the conditions of a type as they were, if there are as many as before. If there are not, validation refuses the
/// update.
fn preserve(after: &mut [Condition], before: &[Condition], type_: &str) {
    let was = || before.iter().filter(|c| c.type_ == type_);
    if after.iter().filter(|c| c.type_ == type_).count() == was().count() {
        for (now, was) in after.iter_mut().filter(|c| c.type_ == type_).zip(was()) {
            now.clone_from(was);
        }
    }
}

/// Fills in the times that conditions leave out (`populateConditionTimestamps`).
fn add_times(after: &mut [Condition], before: &[Condition], now: Timestamp) {
    for condition in after {
        condition.last_update_time.get_or_insert(Time(now));
        if condition.last_transition_time.is_none() {
            let same = |c: &&Condition| c.type_ == condition.type_ && c.status == condition.status;
            let known = before.iter().filter(same).find_map(|c| c.last_transition_time.clone());
            condition.last_transition_time = Some(known.unwrap_or(Time(now)));
        }
    }
}

/// Sets back what an update through `approval` may not touch (`PrepareForUpdate` of the approval strategy): only
/// conditions may change.
pub(in crate::apiserver) fn prepare_for_approval(object: &mut Object, old: &Object, now: Timestamp) {
    let (Some(new), Some(old)) =
        (CertificateSigningRequest::from_object_mut(object), old.get::<CertificateSigningRequest>())
    else {
        return;
    };
    let mut wanted = new.status.take().and_then(|s| s.conditions).unwrap_or_default();
    add_times(&mut wanted, conditions(old), now);
    keep(&mut new.spec, &old.spec);
    let conditions = (!wanted.is_empty()).then_some(wanted);
    new.status = Some(Status { conditions, ..old.status.clone().unwrap_or_default() });
}

/// The admission plugin CertificateSubjectRestriction: nobody gets a certificate of the group that may do everything.
///
/// # Errors
/// Why the request is forbidden.
pub(in crate::apiserver) fn restrict_subject(request: &CertificateSigningRequest) -> Result<(), String> {
    if request.spec.signer_name != KUBE_API_SERVER_CLIENT_SIGNER {
        return Ok(());
    }
    let parsed = crate::api::pkcs10::Request::parse(&request.spec.request.0)
        .map_err(|why| format!("failed to parse CSR: {why}"))?;
    if parsed.subject.organizations.iter().any(|o| o == MASTERS) {
        return Err(format!(
            "use of {KUBE_API_SERVER_CLIENT_SIGNER} signer with {MASTERS} group is not allowed"
        ));
    }
    Ok(())
}
