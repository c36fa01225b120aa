//! An nginx with a configuration that somebody has mounted, in a cluster: what it answers, and whom it asks
//! (<https://nginx.org/en/docs/>).
#![allow(clippy::unwrap_used)]

use super::view::journey::{Taken, journey};
use super::{Depth, Session, Start};
use crate::api::{Key, Kind, ObjectRef};
use crate::network::passing::Whose;

const SHOP: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  default.conf: |
    server {
      listen 80;
      location /healthz { access_log off; return 200 "ok\n"; }
      location /api/ { proxy_pass http://api:8080/; }
      location / { root /usr/share/nginx/html; }
    }
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: nginx
          image: nginx:1.27
          ports: [{containerPort: 80}]
          readinessProbe: {httpGet: {path: /healthz, port: 80}}
          volumeMounts: [{name: conf, mountPath: /etc/nginx/conf.d}]
      volumes: [{name: conf, configMap: {name: web}}]
---
apiVersion: v1
kind: Service
metadata: {name: api}
spec: {selector: {app: api}, ports: [{port: 8080, targetPort: 5678}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: echo, image: "hashicorp/http-echo:1.0", args: ["-text=hello"]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {containers: [{name: c, image: "curlimages/curl:8.14.1", command: [sleep, infinity]}]}
"#;

fn rest(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.at() < 20_000, "the cluster does not come to rest");
    }
}

fn get(s: &Session, path: &str) -> String {
    let line = format!("exec client -- curl -s -w '%{{http_code}}' http://web{path}");
    let output = s.clone().kubectl(&line, &[]);
    format!("{}{}", output.stdout, output.stderr)
}

#[test]
fn an_nginx_answers_and_passes_on_as_its_configuration_says() {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.apply(SHOP);
    rest(&mut s);
    assert_eq!(get(&s, "/healthz"), "ok\n200");
    assert_eq!(get(&s, "/api/orders"), "hello\n200");
    assert!(get(&s, "/").contains("Welcome to nginx!"));
    assert!(get(&s, "/api").contains("301 Moved Permanently"));

    // The journey goes on to a pod of the other Service.
    let client = ObjectRef { kind: Kind::POD, key: Key::new("default", "client") };
    let followed = journey(s.cluster(), &client, Some("http://web/api/"), 0).taken;
    let Taken::Followed(way) = followed else { panic!("{followed:?}") };
    assert_eq!((way.status, way.lost), (Some(200), None));
    let via = way.via.unwrap();
    assert_eq!((via.whose, via.passed), (Whose::Configuration, true));
    assert_eq!(via.rule.unwrap().0, "/api/");
    assert!(way.onward.unwrap().objects.iter().any(|o| *o.key.name == *"api"));

    // Nobody is behind the Service any more, then nobody has its name.
    s.kubectl("scale deployment/api --replicas=0", &[]);
    rest(&mut s);
    assert!(get(&s, "/api/").contains("502 Bad Gateway"));
    s.kubectl("delete service api", &[]);
    rest(&mut s);
    assert!(get(&s, "/api/").contains("502 Bad Gateway"));
    assert_eq!(get(&s, "/healthz"), "ok\n200");
}
