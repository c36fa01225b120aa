//! What the API server asks others for: logs, what goes into a running container, proxies
//! (`pkg/registry/core/{pod,node,service}`). What the API server says itself is as there; in place of what would come of
//! it stands one sentence that says why it does not.

use super::{Call, Result, method_not_allowed};
use crate::api::quote::go_quote;
use crate::api::types::{Container, Endpoints, Pod};
use crate::api::{ApiKind as _, Kind, Object, ObjectRef};
use crate::apimachinery::{HttpResponse, Status};
use crate::apiserver::authorization::Access;

const NO_NETWORK: &str = "there is no network here";

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

/// The name in what a proxy is asked for: `name`, `name:port`, `scheme:name:port`
/// (`k8s.io/apimachinery/pkg/util/net.SplitSchemeNamePort`).
fn proxied(id: &str) -> Option<&str> {
    let name = match id.split(':').collect::<Vec<_>>().as_slice() {
        [name] | [name, _] | ["" | "http" | "https", name, _] => *name,
        _ => return None,
    };
    (!name.is_empty()).then_some(name)
}

impl Call<'_> {
    pub(super) fn object(&self, kind: Kind, namespace: &str, name: &str) -> Result<&Object> {
        let record = self.api.etcd.get(&ObjectRef::new(kind, namespace, name));
        record.map(|r| &r.object).ok_or_else(|| Status::not_found(kind, name))
    }

    /// Who is let through by GET, as a client that speaks WebSockets comes, needs the right to create, too
    /// (`ensureAuthorizedForVerb` of `pkg/registry/core/pod/rest/subresources.go`).
    fn may_connect(&self) -> Result<()> {
        let Some(user) = &self.cx.user else { return Ok(()) };
        let access = Access { verb: "create".to_owned(), ..Access::of(user, self.request, &self.query) };
        self.api.must(&access)
    }

    /// A Service is proxied to one of its endpoints.
    fn check_endpoints(&self, namespace: &str, name: &str) -> Result<()> {
        let endpoints = self.object(Kind::ENDPOINTS, namespace, name)?;
        let subsets =
            Endpoints::from_object(endpoints).and_then(|e| e.subsets.as_deref()).unwrap_or_default();
        if subsets.iter().any(|s| s.addresses.as_ref().is_some_and(|a| !a.is_empty())) {
            return Ok(());
        }
        let why = format!("no endpoints available for service {}", go_quote(name));
        Err(Status::new(503, "ServiceUnavailable", why))
    }

    /// Answers a request that kube-apiserver would forward to a kubelet or into the network: with its own refusals, and
    /// else with 501.
    #[inline(never)]
    pub(super) fn runtime(
        &mut self,
        kind: Kind,
        namespace: &str,
        name: &str,
        part: &str,
    ) -> Result<HttpResponse> {
        let log = part == "log";
        let allowed: &[&str] = match part {
            "log" => &["GET"],
            "proxy" => &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
            _ => &["GET", "POST"],
        };
        if !allowed.contains(&self.request.method.as_str()) {
            return Err(method_not_allowed());
        }
        if matches!(part, "attach" | "exec" | "portforward") && self.request.method == "GET" {
            self.may_connect()?;
        }
        let mut id = name;
        if part == "proxy" {
            let why = || format!("invalid {} request {}", kind.as_str().to_ascii_lowercase(), go_quote(name));
            id = proxied(name).ok_or_else(|| Status::bad_request(why()))?;
        }
        let name = id;
        let object = self.object(kind, namespace, name)?;
        if kind == Kind::SERVICE {
            self.check_endpoints(namespace, name)?;
        }
        if kind != Kind::POD {
            return Err(Status::new(501, "", NO_NETWORK));
        }
        let pod = Pod::from_object(object);
        let pod = pod.ok_or_else(|| Status::not_found(Kind::POD, name))?;
        if matches!(part, "log" | "exec" | "attach") {
            check_container(pod, self.query.text("container"))?;
        }
        let node = pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default();
        if node.is_empty() {
            return match log {
                true => Ok(HttpResponse::text(200, "")),
                false => Err(Status::bad_request(format!("pod {name} does not have a host assigned"))),
            };
        }
        match part {
            "log" => self.log(namespace, name),
            "exec" => self.exec(namespace, name),
            "attach" => self.attach(namespace, name),
            _ => Err(Status::new(501, "", NO_NETWORK)),
        }
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
        let (code, body) = ask("GET", "/d/pods/two/log", "container=a", "");
        assert!(code == 404 && body.contains(r#"nodes \"n\" not found"#), "{body}");
        let no_node = r#"nodes \"n\" not found"#;
        for (part, query, code, says) in [
            ("exec", "container=b&command=ls&stdout=true", 404, no_node),
            ("exec", "container=b", 422, "PodExecOptions \\\"two\\\" is invalid: command: Required value"),
            ("attach", "container=b&stdout=true", 404, no_node),
            // That no stream is asked for is the kubelet's to say (`session::exec_tests`).
            ("attach", "container=b", 404, no_node),
            ("attach", "container=c", 400, "container c is not valid for pod two"),
            ("portforward", "", 501, "there is no network here"),
        ] {
            let (status, body) = ask("GET", &format!("/d/pods/two/{part}"), query, "");
            assert!(status == code && body.contains(says), "{part}?{query}: {status} {body}");
        }
        assert_eq!(ask("DELETE", "/d/pods/two/log", "container=a", "").0, 405);
    }

    #[test]
    fn proxies_and_tokens_are_refused_in_words() {
        let mut api = ApiServer::new(1);
        let mut ask = |method: &str, path: &str, body: &str| {
            let (method, path, body) = (method.into(), path.into(), body.as_bytes().to_vec());
            let r = http(&mut api, &HttpRequest { method, path, body, ..HttpRequest::default() });
            (r.status, r.body)
        };
        const D: &str = "/api/v1/namespaces/d";
        ask("POST", "/api/v1/namespaces", r#"{"metadata":{"name":"d"}}"#);
        ask("POST", &format!("{D}/serviceaccounts"), r#"{"metadata":{"name":"default"}}"#);
        ask(
            "POST",
            &format!("{D}/services"),
            r#"{"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}}"#,
        );
        ask("POST", "/api/v1/nodes", r#"{"metadata":{"name":"n"}}"#);
        for (path, code, why) in [
            ("/api/v1/nodes/n/proxy", 501, "no network"),
            ("/api/v1/nodes/https:n:10250/proxy/healthz", 501, "no network"),
            ("/api/v1/nodes/other/proxy/healthz", 404, r#"nodes \"other\" not found"#),
            ("/api/v1/nodes/ftp:n:1/proxy", 400, r#"invalid node request \"ftp:n:1\""#),
            ("/api/v1/namespaces/d/services/s:80/proxy/", 404, "endpoints"),
        ] {
            let (status, message) = ask("GET", path, "");
            assert!(status == code && message.contains(why), "{path}: {status} {message}");
        }
        let endpoints = r#"{"metadata":{"name":"s"},"subsets":[]}"#;
        assert_eq!(ask("POST", &format!("{D}/endpoints"), endpoints).0, 201);
        let (status, message) = ask("GET", &format!("{D}/services/s/proxy/"), "");
        assert!(status == 503 && message.contains("no endpoints available for service"), "{message}");
        assert_eq!(ask("POST", &format!("{D}/serviceaccounts/default/token"), "{}").0, 201);
        assert_eq!(ask("POST", &format!("{D}/serviceaccounts/none/token"), "{}").0, 404);
        assert_eq!(ask("GET", &format!("{D}/serviceaccounts/default/token"), "").0, 405);
        assert_eq!(ask("GET", "/metrics", "").0, 501);
        assert_eq!(ask("POST", "/openid/v1/jwks", "").0, 405);
    }
}
