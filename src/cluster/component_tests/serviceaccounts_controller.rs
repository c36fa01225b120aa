//! The ServiceAccount and the ConfigMap of every namespace.

use std::rc::Rc;

use crate::api::types::{Namespace, ObjectMeta};
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Request, Verb};
use crate::client::Controller;
use crate::cluster::{Cluster, Config};
use crate::controllers::root_ca_cert_publisher::Publisher;
use crate::controllers::serviceaccounts_controller::ServiceAccountsController;

#[test]
fn a_new_namespace_gets_its_account_and_its_certificate_and_gets_them_again() {
    let config = Config {
        controllers: Rc::new(|| {
            vec![Controller::boxed(ServiceAccountsController), Controller::boxed(Publisher)]
        }),
        scheduler: Rc::new(Vec::new),
        ..Config::nodes(0)
    };
    let mut c = Cluster::new(&config);
    let ns = Object::from(Namespace {
        metadata: ObjectMeta { name: Some("team".into()), ..Default::default() },
        ..Default::default()
    });
    let user: Rc<str> = "kubectl".into();
    let create = Request::new(&user, Verb::Create, Kind::NAMESPACE, ns.key());
    c.request(&create.body(Body::Object(ns)));
    assert!(c.run_to_steady(10, |_, _| {}));
    let both = [(Kind::SERVICE_ACCOUNT, "default"), (Kind::CONFIG_MAP, "kube-root-ca.crt")];
    for (kind, name) in both {
        assert!(c.api().etcd().get(&ObjectRef::new(kind, "team", name)).is_some());
        let delete = Request::new(&user, Verb::Delete, kind, Key::new("team", name));
        c.request(&delete.body(Body::Delete(DeleteOptions::default())));
        assert!(c.api().etcd().get(&ObjectRef::new(kind, "team", name)).is_none());
    }
    assert!(c.run_to_steady(10, |_, _| {}));
    for (kind, name) in both {
        assert!(c.api().etcd().get(&ObjectRef::new(kind, "team", name)).is_some());
    }
}
