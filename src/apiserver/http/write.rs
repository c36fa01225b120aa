//! POST, PUT, PATCH, DELETE (`k8s.io/apiserver/pkg/endpoints/handlers`).

use serde_json::Value;

use super::answer::Answer;
use super::decode::{self, Expected};
use super::patch::{Layout, PatchType, patched, patched_value};
use super::path::Target;
use super::query::{WriteOptions, invalid_options, violation, write_options};
use super::{Call, Result, custom, method_not_allowed, scale};
use crate::api::go_types;
use crate::api::quote::go_quote;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::user::SERVICE_ACCOUNT_PREFIX;
use crate::apimachinery::{
    Binding, Body, DeleteOptions, Details, FieldValidation, Patch, Propagation, Request, Response, Status,
    Subresource, Verb,
};
use crate::apiserver::Stage;
use crate::apiserver::kinds::versions;
use crate::apiserver::managed_fields;
use crate::apiserver::patch::unsupported_patch;
use crate::apiserver::registry::{check_name, other_uid};
use crate::apiserver::validation::{FieldError, Path, aggregate};

impl Call<'_> {
    fn content_type(&self) -> String {
        let media = self.request.content_type.split(';').next().unwrap_or_default();
        media.trim().to_lowercase()
    }

    /// The typed request, still without a body.
    fn begin(&mut self, target: &Target, verb: Verb, options: &WriteOptions) -> Request {
        let manager = self.manager(&options.field_manager);
        // A person is known by the program, also one who acts as another user; only a ServiceAccount is by its name.
        let account = self.cx.user.as_ref().filter(|u| u.name.starts_with(SERVICE_ACCOUNT_PREFIX));
        let user = account.map_or_else(|| self.manager(""), |account| account.name.as_str().into());
        let key = Key::new(
            target.namespace.as_deref().unwrap_or_default(),
            target.name.as_deref().unwrap_or_default(),
        );
        let request = Request {
            dry_run: options.dry_run,
            field_manager: Some(manager),
            ..Request::new(&user, verb, target.kind, key).subresource(target.subresource)
        };
        self.asked = Some(request.clone());
        self.cx.enter(Stage::Decode, "", None);
        request
    }

    fn body_object(&mut self, target: &Target, options: &WriteOptions) -> Result<Object> {
        let kind = target.kind;
        if let Some(view) = &target.view {
            return custom::decode_object(
                view,
                &self.content_type(),
                &self.request.body,
                options.field_validation,
                &mut self.warnings,
            );
        }
        decode::decode_object(
            kind,
            &self.content_type(),
            &self.request.body,
            options.field_validation,
            &mut self.warnings,
        )
    }

    pub(super) fn body_value(&mut self, expected: Expected, options: &WriteOptions) -> Result<Value> {
        decode::decode_body(
            expected,
            &self.content_type(),
            &self.request.body,
            options.field_validation,
            &mut self.warnings,
        )
    }

    fn send(&mut self, request: &Request) -> Result<Answer> {
        let response = self.api.handle(request, self.cx)?;
        self.answer(request.kind, response)
    }

    fn answer(&mut self, kind: Kind, response: Response) -> Result<Answer> {
        self.answered = Some(response.clone());
        match response {
            Response::Object { object, created } => {
                if let Some(asked) = self.asked.as_mut().filter(|a| a.key.name.is_empty()) {
                    asked.key.name = object.name().into();
                }
                Ok(Answer::owned(object, created, self.cx.managers.take()))
            }
            Response::Success { code, details } => Ok(Answer::Success { code, details }),
            Response::Failure(status) => Err(*status),
            // A client outside asks with a review of its own, which is answered elsewhere.
            Response::AccessReview(_) => Err(method_not_allowed()),
            Response::List { items, revision } => Ok(Answer::List { kind, items, revision }),
        }
    }

    pub(super) fn post(&mut self, target: &Target) -> Result<Answer> {
        let misplaced = target.kind.namespaced() && target.namespace.is_none();
        match (&target.name, target.subresource) {
            (None, Subresource::None) if !misplaced => {}
            (Some(_), Subresource::Binding | Subresource::Eviction) => {}
            _ => return Err(self.no_such_method(target)),
        }
        let options = write_options(&self.query, "CreateOptions", false)?;
        let mut request = self.begin(target, Verb::Create, &options);
        let body = match target.subresource {
            Subresource::Binding => {
                let expected =
                    Expected { kind: "Binding", api_version: "v1", also: None, layout: go_types::binding() };
                let value = self.body_value(expected, &options)?;
                let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
                if name != target.name.as_deref().unwrap_or_default() {
                    return Err(Status::bad_request("name in URL does not match name in Binding object"));
                }
                check_binding(&value)?;
                Body::Binding(Box::new(binding(&value)))
            }
            Subresource::Eviction => {
                let expected = Expected {
                    kind: "Eviction",
                    api_version: "policy/v1",
                    also: Some("policy/v1beta1"),
                    layout: go_types::eviction(),
                };
                let value = self.body_value(expected, &options)?;
                let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
                let want = target.name.as_deref().unwrap_or_default();
                if name != want {
                    return Err(Status::bad_request("name in URL does not match name in Eviction object"));
                }
                let options = value.get("deleteOptions").unwrap_or(&Value::Null);
                request.dry_run = self.eviction_is_dry(options)?;
                Body::Delete(delete_options(options, target.kind))
            }
            _ => {
                let object = self.body_object(target, &options)?;
                if let Some(asked) = &mut self.asked {
                    asked.key.name = object.name().into();
                }
                Body::Object(object)
            }
        };
        self.send(&request.body(body))
    }

    /// Whether an eviction is a dry run, which its query or its `deleteOptions` can say (`propagateDryRun`).
    ///
    /// # Errors
    /// 500: both say so in other words.
    fn eviction_is_dry(&mut self, options: &Value) -> Result<bool> {
        let in_query = self.query.all("dryRun");
        let list = options.get("dryRun").and_then(Value::as_array);
        let in_body: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
        if !in_query.is_empty() && !in_body.is_empty() && in_query != in_body {
            let message = format!(
                "Non-matching dry-run options in request and content: [{}] and [{}]",
                in_query.join(" "),
                in_body.join(" ")
            );
            return Err(Status::new(500, "", message));
        }
        let dry = !in_query.is_empty() || !in_body.is_empty();
        if let Some(asked) = &mut self.asked {
            asked.dry_run = dry;
        }
        Ok(dry)
    }

    #[inline(never)]
    pub(super) fn put(&mut self, target: &Target) -> Result<Answer> {
        if target.name.is_none() {
            return Err(self.no_such_method(target));
        }
        let options = write_options(&self.query, "UpdateOptions", false)?;
        let request = self.begin(target, Verb::Update, &options);
        match target.subresource {
            Subresource::None
            | Subresource::Status
            | Subresource::Finalize
            | Subresource::EphemeralContainers
            | Subresource::Resize
            | Subresource::Approval => {
                let object = self.body_object(target, &options)?;
                self.send(&request.body(Body::Object(object)))
            }
            Subresource::Scale => {
                let value = self.body_value(scale::expected(), &options)?;
                self.same_object(&request, &value)?;
                self.rescale(request, &value)
            }
            _ => Err(method_not_allowed()),
        }
    }

    /// Checks that a Scale that was sent back is the Scale of the object in the path.
    fn same_object(&self, request: &Request, scale: &Value) -> Result<()> {
        let text = |path: &str| scale.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let namespace = text("/metadata/namespace");
        if !namespace.is_empty() && namespace != &*request.key.namespace {
            return Err(Status::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        check_name(text("/metadata/name"), &request.key.name)?;
        let (uid, old) = (text("/metadata/uid"), self.api.existing(request)?);
        if !uid.is_empty() && uid != old.uid() {
            return Err(other_uid(uid, &old));
        }
        Ok(())
    }

    fn rescale(&mut self, request: Request, wanted: &Value) -> Result<Answer> {
        let name = wanted.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        check_name(name, &request.key.name)?;
        let (replicas, resource_version) = scale::wanted(wanted);
        match self.send(&request.body(Body::Scale { replicas, resource_version }))? {
            Answer::Object { object, .. } => Ok(Answer::Scale(scale::after(&object, self.cx.view.as_ref())?)),
            other => Ok(other),
        }
    }

    /// 405 in the words of the resource's server.
    fn no_such_method(&self, target: &Target) -> Status {
        match &target.view {
            Some(_) => custom::no_such_method(target.kind, &self.request.method, target.name.is_none()),
            None => method_not_allowed(),
        }
    }

    pub(super) fn patch(&mut self, target: &Target) -> Result<Answer> {
        let there_is_none = matches!(
            target.subresource,
            Subresource::Binding | Subresource::Eviction | Subresource::Finalize
        );
        if target.name.is_none() || there_is_none {
            return Err(self.no_such_method(target));
        }
        let patch_type = match self.content_type().as_str() {
            "application/json-patch+json" => PatchType::Json,
            "application/merge-patch+json" => PatchType::Merge,
            "application/strategic-merge-patch+json" => PatchType::Strategic,
            "application/apply-patch+yaml" => return self.apply(target),
            _ if target.view.is_some() => return Err(unsupported_patch()),
            _ => {
                return Err(Status::new(415, "UnsupportedMediaType", "415: Unsupported Media Type")
                    .with(Details::default()));
            }
        };
        let options = write_options(&self.query, "PatchOptions", false)?;
        let request = self.begin(target, Verb::Patch, &options);
        if patch_type == PatchType::Strategic && target.view.is_some() {
            return Err(unsupported_patch());
        }
        let old = self.api.current(&request, self.cx)?;
        if target.subresource == Subresource::Scale {
            let mut current = scale::current(&old, target.view.as_ref())?;
            if let Some(view) = &target.view {
                let managers =
                    managed_fields::of_scale(&self.api.managers(&request.object()), &view.replicas_path());
                current = managed_fields::with_managers(current, &managers);
            }
            let layout = Layout { go: go_types::scale(), kind: None };
            let new = patched_value(
                layout,
                &current,
                patch_type,
                &self.request.body,
                options.field_validation,
                &mut self.warnings,
            )?;
            if target.view.is_none() {
                same_scaled(&new, &old)?;
            }
            return self.rescale(request, &new);
        }
        let current = versions::present(target.kind, self.api.managed_value(&old));
        let (body, validation) = (&self.request.body, options.field_validation);
        let object = match &target.view {
            Some(view) => custom::patched(view, &current, patch_type, body, validation, &mut self.warnings)?,
            None => patched(target.kind, &current, patch_type, body, validation, &mut self.warnings)?,
        };
        self.cx.enter(Stage::Patch, "", Some(&old));
        let response = self.api.store_patched(&request, old, object, self.cx)?;
        self.answer(target.kind, response)
    }

    /// Server-side apply.
    fn apply(&mut self, target: &Target) -> Result<Answer> {
        let options = write_options(&self.query, "PatchOptions", true)?;
        let request = self.begin(target, Verb::Patch, &options);
        let (config, twice) = decode::from_yaml(&self.request.body)
            .map_err(|e| Status::bad_request(format!("error decoding YAML: {e}")))?;
        let body = Body::Patch(Patch::Apply { config: config.to_value(), force: options.force });
        if options.field_validation == FieldValidation::Strict && !twice.is_empty() {
            // Refusals of the apply itself come before those of repeated fields.
            let trial = Request { dry_run: true, ..request.clone() };
            self.send(&trial.body(body))?;
            let why = twice.join(", ");
            // The apply patcher uses another function of the YAML library than the decoder of objects, whose error says more.
            return Err(Status::bad_request(format!(
                "error strict decoding YAML: error converting YAML to JSON: {why}"
            )));
        }
        if options.field_validation == FieldValidation::Warn && !twice.is_empty() {
            self.warnings.extend(twice.iter().flat_map(|s| decode::advice(s)));
        }
        match self.send(&request.body(body))? {
            Answer::Object { object, .. } if target.subresource == Subresource::Scale => {
                Ok(Answer::Scale(scale::after(&object, self.cx.view.as_ref())?))
            }
            answer => Ok(answer),
        }
    }

    #[inline(never)]
    pub(super) fn delete(&mut self, target: &Target) -> Result<Answer> {
        if target.subresource != Subresource::None {
            return Err(self.no_such_method(target));
        }
        let DeleteRequest { options, dry_run, background } = self.delete_options(target.kind)?;
        let write = WriteOptions { dry_run, ..WriteOptions::default() };
        if target.name.is_some() {
            let request = self.begin(target, Verb::Delete, &write);
            let mut answer = self.send(&request.clone().body(Body::Delete(options)))?;
            if let Answer::Object { code, .. } = &mut answer
                && background
                && self.api.existing(&request).is_ok()
            {
                // `orphanDependents: false` asks to know that the object is not gone yet.
                *code = 202;
            }
            return Ok(answer);
        }
        // Namespaces are deleted one by one; a namespaced kind is deleted in one namespace.
        if target.kind == Kind::NAMESPACE || (target.kind.namespaced() && target.namespace.is_none()) {
            return Err(method_not_allowed());
        }
        let list = self.api.http_list(target, &self.query)?;
        let (items, revision) = list.into_items();
        let all = self.begin(target, Verb::DeleteCollection, &write);
        self.api.storage_answers()?;
        self.api.delete_each(&all, &items, &options, self.cx)?;
        self.answer(all.kind, Response::List { items, revision })
    }

    /// The options of a deletion, from the body or, if there is none, the query.
    fn delete_options(&self, kind: Kind) -> Result<DeleteRequest> {
        let value = if self.request.body.is_empty() {
            let mut map = serde_json::Map::new();
            if self.query.has("dryRun") {
                map.insert("dryRun".into(), self.query.all("dryRun").into());
            }
            if let Some(n) = self.query.number("gracePeriodSeconds")? {
                map.insert("gracePeriodSeconds".into(), n.into());
            }
            if self.query.has("orphanDependents") {
                map.insert("orphanDependents".into(), self.query.on("orphanDependents").into());
            }
            if self.query.has("propagationPolicy") {
                map.insert("propagationPolicy".into(), self.query.text("propagationPolicy").into());
            }
            Value::Object(map)
        } else {
            let json = match self.content_type().as_str() {
                "application/yaml" => decode::from_yaml(&self.request.body).map(|(json, _)| json),
                #[cfg(not(target_arch = "wasm32"))]
                decode::PROTOBUF => go_types::protobuf::parse(go_types::delete_options(), &self.request.body),
                "" | "application/json" => go_types::parse(&self.request.body),
                _ => return Err(decode::unsupported_media()),
            };
            let json = json.map_err(|e| {
                Status::bad_request(format!("couldn't get version/kind; json parse error: {e}"))
            })?;
            decode::check_delete_options(&json).map_err(Status::bad_request)?;
            go_types::decode(go_types::delete_options(), &json).map_err(Status::bad_request)?.value
        };
        let mut errors = Vec::new();
        let policy = value.get("propagationPolicy").and_then(Value::as_str);
        if let Some(p) = policy {
            if value.get("orphanDependents").is_some() {
                let m = format!(
                    "Invalid value: {}: orphanDependents and deletionPropagation cannot be both set",
                    go_quote(p)
                );
                errors.push(violation("FieldValueInvalid", "propagationPolicy", m));
            }
            if !matches!(p, "Foreground" | "Background" | "Orphan") {
                let m = format!(
                    "Unsupported value: {}: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                    go_quote(p)
                );
                errors.push(violation("FieldValueNotSupported", "propagationPolicy", m));
            }
        }
        let mut dry_run = false;
        if let Some(Value::Array(list)) =
            value.get("dryRun").filter(|l| l.as_array().is_some_and(|l| !l.is_empty()))
        {
            dry_run = true;
            if list.iter().any(|v| v.as_str() != Some("All")) {
                let given = Value::from(list.clone());
                let m = format!("Unsupported value: {given}: supported values: \"All\"");
                errors.push(violation("FieldValueNotSupported", "dryRun", m));
            }
        }
        invalid_options("DeleteOptions", errors)?;
        let background = value.get("orphanDependents").and_then(Value::as_bool) == Some(false);
        Ok(DeleteRequest { options: delete_options(&value, kind), dry_run, background })
    }
}

/// Checks that a patched Scale has the uid of the object that it scales. A Scale that is not valid is refused for that first
/// (`UpdatedObject` of `scaleUpdatedObjectInfo`).
fn same_scaled(scale: &Value, old: &Object) -> Result<()> {
    let uid = scale.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
    if uid.is_empty() || uid == old.uid() || scale::wanted(scale).0 < 0 {
        return Ok(());
    }
    let (kind, name) = (old.kind(), go_quote(old.name()));
    let what = format!("{}/scale", kind.plural());
    let of_group = if kind.group().is_empty() { String::new() } else { format!(".{}", kind.group()) };
    let message = format!(
        "Operation cannot be fulfilled on {what}{of_group} {name}: Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
        old.uid()
    );
    let details = Details { kind: what, ..Details::resource(kind, old.name()) };
    Err(Status::new(409, "Conflict", message).with(details))
}

/// The options of a deletion.
struct DeleteRequest {
    options: DeleteOptions,
    dry_run: bool,
    /// Whether it says `orphanDependents: false`.
    background: bool,
}

/// Checks that a pod is bound to a node. Kubernetes does not turn these errors into refusals, so they are answered with
/// 500.
fn check_binding(binding: &Value) -> Result<()> {
    let text = |p: &str| binding.pointer(p).and_then(Value::as_str).unwrap_or_default();
    let mut errors = Vec::new();
    let path = Path::new("target");
    if !matches!(text("/target/kind"), "" | "Node") {
        let kinds = ["Node", "<empty>"];
        errors.push(FieldError::not_supported(&path.child("kind"), text("/target/kind"), &kinds));
    }
    if text("/target/name").is_empty() {
        errors.push(FieldError::required(&path.child("name"), ""));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::new(500, "", aggregate(&errors))) }
}

/// Reads a `Binding` from its JSON.
fn binding(value: &Value) -> Binding {
    let text = |p: &str| value.pointer(p).and_then(Value::as_str).unwrap_or_default();
    let map = |p: &str| {
        let entries = value.pointer(p).and_then(Value::as_object).into_iter().flatten();
        entries.filter_map(|(key, v)| Some((key.clone(), v.as_str()?.to_owned()))).collect()
    };
    Binding {
        node: text("/target/name").into(),
        says_node: text("/target/kind") == "Node",
        labels: map("/metadata/labels"),
        annotations: map("/metadata/annotations"),
        uid: text("/metadata/uid").into(),
        resource_version: text("/metadata/resourceVersion").into(),
    }
}

/// Reads `DeleteOptions` for objects of a kind from their JSON.
fn delete_options(value: &Value, kind: Kind) -> DeleteOptions {
    let text = |p: &str| value.pointer(p).and_then(Value::as_str).map(str::to_owned);
    let policy = match value.get("propagationPolicy").and_then(Value::as_str) {
        Some("Foreground") => Some(Propagation::Foreground),
        Some("Background") => Some(Propagation::Background),
        Some("Orphan") => Some(Propagation::Orphan),
        _ => value.get("orphanDependents").and_then(Value::as_bool).map(|orphan| match orphan {
            true => Propagation::Orphan,
            // Namespaces have a reading of their own (`shouldHaveDeleteDependentsFinalizer` of their storage).
            false if kind == Kind::NAMESPACE => Propagation::Foreground,
            false => Propagation::Background,
        }),
    };
    DeleteOptions {
        grace_period_seconds: value.get("gracePeriodSeconds").and_then(Value::as_i64),
        propagation_policy: policy,
        uid: text("/preconditions/uid"),
        resource_version: text("/preconditions/resourceVersion"),
    }
}
