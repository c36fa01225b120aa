//! ComponentStatuses (`pkg/registry/core/componentstatus/rest.go`, `validator.go`; which parts there are:
//! `serversToValidate` in `pkg/registry/core/rest/storage_core.go`): no object is stored, the parts are asked anew for each request.

use serde_json::{Value, json};

use super::negotiate::{self, Shape};
use super::{Call, Result, answer, table};
use crate::api::fields::FieldSelector;
use crate::api::labels::Selector;
use crate::apimachinery::{HttpResponse, Status};

/// The warning about every request (`k8s.io/apiserver/pkg/endpoints/deprecation`).
const DEPRECATED: &str = "v1 ComponentStatus is deprecated in v1.19+";
/// The parts of the control plane that are asked over HTTPS, and their ports. The API server expects them on its own machine.
const PARTS: [(&str, &str, u16); 2] =
    [("controller-manager", "kube-controller-manager", 10_257), ("scheduler", "kube-scheduler", 10_259)];
/// etcd, as the first list of servers that the API server knows.
const ETCD: &str = "etcd-0";

/// What was heard of a part: whether it is healthy, the message, and the error.
struct Heard {
    name: &'static str,
    healthy: bool,
    message: String,
    error: String,
}

impl Heard {
    fn to_value(&self) -> Value {
        let mut condition = json!({"type": "Healthy", "status": if self.healthy { "True" } else { "False" }});
        for (field, text) in [("message", &self.message), ("error", &self.error)] {
            if let (Some(all), false) = (condition.as_object_mut(), text.is_empty()) {
                all.insert(field.to_owned(), text.as_str().into());
            }
        }
        json!({
            "kind": "ComponentStatus", "apiVersion": "v1",
            "metadata": {"name": self.name, "creationTimestamp": null}, "conditions": [condition],
        })
    }

    /// As a row (`printComponentStatus` in `pkg/printers/internalversion/printers.go`).
    fn cells(&self) -> Value {
        json!([self.name, if self.healthy { "Healthy" } else { "Unhealthy" }, self.message, self.error])
    }
}

impl Call<'_> {
    /// Answers a request for ComponentStatuses, or for the one with a name.
    pub(super) fn component_statuses(&mut self, name: Option<&str>) -> Result<HttpResponse> {
        self.warnings.push(DEPRECATED.into());
        if self.request.method != "GET" || self.query.on("watch") {
            let verb = if self.request.method == "GET" {
                "watch".to_owned()
            } else {
                self.request.method.to_lowercase()
            };
            let why = format!("{verb} is not supported on resources of kind \"componentstatuses\"");
            return Err(Status::new(405, "MethodNotAllowed", why));
        }
        let media = negotiate::negotiate(&self.request.accept)?;
        let all = self.ask_components();
        let shown: Vec<&Heard> = match name {
            Some(name) => {
                let one = all.iter().find(|heard| heard.name == name);
                vec![one.ok_or_else(|| Status::new(500, "", format!("Component not found: {name}")))?]
            }
            None => {
                let labels =
                    Selector::parse(self.query.text("labelSelector")).map_err(Status::bad_request)?;
                let fields =
                    FieldSelector::parse(self.query.text("fieldSelector")).map_err(Status::bad_request)?;
                let wanted = |heard: &&Heard| {
                    let field = |name: &str| (name == "metadata.name").then(|| heard.name.to_owned());
                    labels.matches(&Default::default()) && fields.matches(&field)
                };
                all.iter().filter(wanted).collect()
            }
        };
        let value = match (media.shape, name, shown.as_slice()) {
            (Shape::Table, ..) => {
                let column = |(name, format, about): (&str, &str, &str)| json!({"name": name, "type": "string", "format": format, "description": about, "priority": 0});
                let columns = [
                    (
                        "Name",
                        "name",
                        "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
                    ),
                    ("Status", "", "Status of the component conditions"),
                    ("Message", "", "Message of the component conditions"),
                    ("Error", "", "Error of the component conditions"),
                ];
                let form = self.rows(media);
                let row =
                    |heard: &&Heard| json!({"cells": heard.cells(), "object": form.shown(&heard.to_value())});
                let rows = shown.iter().map(row).collect();
                table::of_rows(form.meta, &json!({}), columns.map(column).to_vec().into(), rows)
            }
            (_, Some(_), [one]) => one.to_value(),
            _ => {
                let items: Vec<Value> = shown.iter().map(|heard| heard.to_value()).collect();
                json!({"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": items})
            }
        };
        Ok(answer::json(200, &value, media))
    }

    /// Asks every part (`DoServerCheck`), in the order of their names; there in that of their answers.
    fn ask_components(&self) -> Vec<Heard> {
        let well = |name| Heard { name, healthy: true, message: "ok".to_owned(), error: String::new() };
        let mut all: Vec<Heard> = PARTS
            .iter()
            .map(|(name, process, port)| {
                if self.kubelets.answers(process) {
                    return well(name);
                }
                let refused = format!("dial tcp 127.0.0.1:{port}: connect: connection refused");
                let message = format!("Get \"https://127.0.0.1:{port}/healthz\": {refused}");
                Heard { name, healthy: false, message, error: String::new() }
            })
            .collect();
        all.insert(
            1,
            match self.api.storage_answers() {
                Ok(()) => well(ETCD),
                Err(why) => Heard { name: ETCD, healthy: false, message: String::new(), error: why.message },
            },
        );
        all
    }
}
