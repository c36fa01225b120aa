//! DefaultIngressClass: an Ingress that names no class gets the newest class that is marked as the default
//! (`k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass`).

use super::{Plugin, hook};
use crate::api::types::{Ingress, IngressClass};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;
use crate::apiserver::kinds::ingress::CLASS_ANNOTATION;

pub(super) const PLUGIN: Plugin =
    Plugin { admit_create: hook(&[Kind::INGRESS], admit_create), ..Plugin::new("DefaultIngressClass") };

/// The annotation that marks the class of Ingresses that name none.
const DEFAULT_INGRESS_CLASS: &str = "ingressclass.kubernetes.io/is-default-class";

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    let Some(ingress) = Ingress::from_object_mut(object) else { return Ok(()) };
    let spec = ingress.spec.get_or_insert_default();
    if spec.ingress_class_name.is_some() || ingress.metadata.annotation(CLASS_ANNOTATION).is_some() {
        return Ok(());
    }
    let classes = api.etcd.range(Kind::INGRESS_CLASS, None);
    spec.ingress_class_name = classes
        .filter_map(|(_, r)| IngressClass::from_object(&r.object))
        .filter(|c| c.metadata.annotation(DEFAULT_INGRESS_CLASS) == Some("true"))
        .max_by_key(|c| {
            let name = c.metadata.name().to_owned();
            (c.metadata.creation_timestamp.clone().map(|t| t.0), std::cmp::Reverse(name))
        })
        .map(|c| c.metadata.name().to_owned());
    Ok(())
}
