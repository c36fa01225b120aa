//! What a pod's node answers: logs, and what goes into a running container
//! (`pkg/registry/core/pod/strategy.go`). What the API server says itself is as there; what the
//! kubelet would say is one sentence, since containers run nothing here.

use super::{Call, Result, answer, method_not_allowed};
use crate::api::types::{Container, Pod};
use crate::api::{ApiKind as _, Kind, ObjectRef};
use crate::apimachinery::{HttpResponse, Status};

fn names(containers: &[Container]) -> String {
    containers.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// The container that is meant, if there is one.
fn check_container(pod: &Pod, wanted: &str) -> Result<()> {
    let spec = pod.spec.as_ref();
    let containers = spec.map(|s| s.containers.as_slice()).unwrap_or_default();
    let init = spec.and_then(|s| s.init_containers.as_deref()).unwrap_or_default();
    let ephemeral = spec.and_then(|s| s.ephemeral_containers.as_deref()).unwrap_or_default();
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    if wanted.is_empty() {
        return match containers {
            [_] => Ok(()),
            [] => Err(Status::bad_request(format!("a container name must be specified for pod {name}"))),
            many => {
                let mut why = format!(
                    "a container name must be specified for pod {name}, choose one of: [{}]",
                    names(many)
                );
                if !init.is_empty() {
                    why.push_str(&format!(" or one of the init containers: [{}]", names(init)));
                }
                Err(Status::bad_request(why))
            }
        };
    }
    let known =
        containers.iter().chain(init).any(|c| c.name == wanted) || ephemeral.iter().any(|c| c.name == wanted);
    if known {
        Ok(())
    } else {
        Err(Status::bad_request(format!("container {wanted} is not valid for pod {name}")))
    }
}

impl Call<'_> {
    /// Answers for a node.
    pub(super) fn runtime(&self, namespace: &str, name: &str, part: &str) -> Result<HttpResponse> {
        let log = part == "log";
        let allowed: &[&str] = match part {
            "log" => &["GET"],
            "proxy" => &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
            _ => &["GET", "POST"],
        };
        if !allowed.contains(&self.request.method.as_str()) {
            return Err(method_not_allowed());
        }
        let record = self.api.etcd.get(&ObjectRef::new(Kind::POD, namespace, name));
        let pod = record.and_then(|r| Pod::from_object(&r.object));
        let pod = pod.ok_or_else(|| Status::not_found(Kind::POD, name))?;
        if matches!(part, "log" | "exec" | "attach") {
            check_container(pod, self.query.text("container"))?;
        }
        let node = pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default();
        if node.is_empty() {
            return match log {
                true => Ok(answer::text(200, "")),
                false => Err(Status::bad_request(format!("pod {name} does not have a host assigned"))),
            };
        }
        Err(Status::new(
            501,
            "",
            match part {
                "log" => "containers run nothing here, so they write no logs",
                "exec" | "attach" => "containers run nothing here, so nothing can be run in them",
                _ => "there is no network here",
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::apimachinery::HttpRequest;
    use crate::apiserver::ApiServer;
    use crate::apiserver::http::http;

    #[test]
    fn what_the_api_server_says_itself_comes_before_what_a_node_would() {
        let mut api = ApiServer::new(1);
        let mut ask = |method: &str, path: &str, query: &str, body: &str| {
            let path = format!("/api/v1/namespaces{path}");
            let (method, query, body) = (method.into(), query.into(), body.as_bytes().to_vec());
            let r = http(&mut api, &HttpRequest { method, path, query, body, ..HttpRequest::default() });
            (r.status, r.body)
        };
        ask("POST", "", "", r#"{"metadata":{"name":"d"}}"#);
        ask("POST", "/d/serviceaccounts", "", r#"{"metadata":{"name":"default"}}"#);
        let pod = |name: &str, node: &str, containers: &str| {
            format!(r#"{{"metadata":{{"name":"{name}"}},"spec":{{{node}"containers":[{containers}]}}}}"#)
        };
        let (a, b) = (r#"{"name":"a","image":"i"}"#, r#"{"name":"b","image":"i"}"#);
        assert_eq!(ask("POST", "/d/pods", "", &pod("one", "", a)).0, 201);
        assert_eq!(ask("POST", "/d/pods", "", &pod("two", r#""nodeName":"n","#, &format!("{a},{b}"))).0, 201);
        assert_eq!(ask("GET", "/d/pods/none/log", "", "").0, 404);
        // Not on a node yet: it has written nothing.
        assert_eq!(ask("GET", "/d/pods/one/log", "", ""), (200, String::new()));
        let (code, body) = ask("GET", "/d/pods/one/exec", "", "");
        assert!(code == 400 && body.contains("pod one does not have a host assigned"), "{body}");
        let (code, body) = ask("GET", "/d/pods/two/log", "", "");
        assert!(
            code == 400
                && body.contains("a container name must be specified for pod two, choose one of: [a b]"),
            "{body}"
        );
        let (code, body) = ask("GET", "/d/pods/two/log", "container=c", "");
        assert!(code == 400 && body.contains("container c is not valid for pod two"), "{body}");
        for (part, query) in [("log", "container=a"), ("exec", "container=b&command=ls"), ("portforward", "")]
        {
            assert_eq!(ask("GET", &format!("/d/pods/two/{part}"), query, "").0, 501, "{part}");
        }
        assert_eq!(ask("DELETE", "/d/pods/two/log", "container=a", "").0, 405);
    }
}
