//! Whether an Ingress is one of this controller's (`GetIngressClass` in `internal/ingress/controller/store/store.go`), and what the
//! flags of the controller's container say (`pkg/flags/flags.go`).

use std::rc::Rc;

use crate::api::types::{Container, Ingress, IngressClass, Pod};
use crate::api::{Key, MetaExt};

/// What `spec.controller` of an IngressClass says that ingress-nginx serves.
pub const CONTROLLER: &str = "k8s.io/ingress-nginx";

/// The deprecated annotation of an Ingress with its class.
pub const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// The controller's program.
pub const PROGRAM: &str = "nginx-ingress-controller";

/// The flags of a controller that are read. Another flag is accepted and does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// `--controller-class`
    pub controller: Rc<str>,
    /// `--ingress-class`
    pub annotation: Rc<str>,
    /// `--watch-ingress-without-class`
    pub without_class: bool,
    /// `--watch-namespace`; empty for all.
    pub namespace: Rc<str>,
    /// `--default-backend-service`
    pub default_backend: Option<Key>,
    /// `--publish-service`
    pub publish_service: Option<Key>,
    /// `--publish-status-address`, each on its own.
    pub publish_addresses: Rc<[String]>,
    /// `--update-status`
    pub update_status: bool,
    /// `--report-node-internal-ip-address`
    pub internal_addresses: bool,
    /// `--http-port`
    pub http_port: u16,
    /// `--https-port`
    pub https_port: u16,
    /// `--healthz-port`
    pub health_port: u16,
}

/// Whether a word of a command line is the controller's program.
pub fn is_program(word: &str) -> bool {
    word.rsplit('/').next() == Some(PROGRAM)
}

/// The key of `NAMESPACE/NAME`.
fn key_of(text: &str) -> Option<Key> {
    text.split_once('/').map(|(namespace, name)| Key::new(namespace, name))
}

impl Flags {
    /// Reads the words of a command line. `None` if it does not start the controller: the program is the first word, or the first
    /// one after that of the image's init and its `--`.
    pub fn of<'w>(words: impl Iterator<Item = &'w str> + Clone) -> Option<Flags> {
        words.clone().take(3).find(|w| is_program(w))?;
        let value = |name: &str| {
            let mut words = words.clone();
            while let Some(word) = words.next() {
                let Some(flag) = word.strip_prefix("--") else { continue };
                match flag.split_once('=') {
                    Some((flag, value)) if flag == name => return Some(value.to_owned()),
                    None if flag == name => return Some(words.next().unwrap_or("true").to_owned()),
                    _ => {}
                }
            }
            None
        };
        let flag = |name: &str, default: bool| value(name).map_or(default, |v| v == "true");
        let text = |name: &str, default: &str| Rc::from(value(name).unwrap_or_else(|| default.to_owned()));
        let port = |name: &str, default: u16| value(name).and_then(|v| v.parse().ok()).unwrap_or(default);
        let addresses = value("publish-status-address").unwrap_or_default();
        let addresses = addresses.split(',').map(str::trim).filter(|a| !a.is_empty());
        Some(Flags {
            controller: text("controller-class", CONTROLLER),
            annotation: text("ingress-class", "nginx"),
            without_class: flag("watch-ingress-without-class", false),
            namespace: text("watch-namespace", ""),
            default_backend: value("default-backend-service").and_then(|v| key_of(&v)),
            publish_service: value("publish-service").and_then(|v| key_of(&v)),
            publish_addresses: addresses.map(str::to_owned).collect(),
            update_status: flag("update-status", true),
            internal_addresses: flag("report-node-internal-ip-address", false),
            http_port: port("http-port", 80),
            https_port: port("https-port", 443),
            health_port: port("healthz-port", 10_254),
        })
    }

    /// The flags of a pod's container that starts the controller, with the container's name; `None` if none does.
    /// `$(POD_NAMESPACE)`, which the usual manifests have in them, is the pod's namespace.
    pub fn of_pod(pod: &Pod) -> Option<(Rc<str>, Flags)> {
        let spec = pod.spec.as_ref()?;
        // Every pod of a cluster is looked at, and hardly any is a controller.
        spec.containers.iter().filter(|c| words(c).take(3).any(is_program)).find_map(|c| {
            let words = words(c).map(|w| w.replace("$(POD_NAMESPACE)", pod.metadata.namespace()));
            let words: Vec<String> = words.collect();
            Some((c.name.as_str().into(), Flags::of(words.iter().map(String::as_str))?))
        })
    }

    /// Whether an Ingress is one of this controller's. `class` gives the IngressClass of a name.
    ///
    /// # Errors
    /// Why it is not.
    pub fn serves<'c>(
        &self,
        ingress: &Ingress,
        class: impl Fn(&str) -> Option<&'c IngressClass>,
    ) -> Result<(), NotServed> {
        if !self.namespace.is_empty() && *self.namespace != *ingress.metadata.namespace() {
            return Err(NotServed::OtherNamespace);
        }
        if let Some(name) = ingress.spec.as_ref().and_then(|s| s.ingress_class_name.as_deref()) {
            let Some(class) = class(name) else { return Err(NotServed::NoSuchClass(name.into())) };
            let controller = class.spec.as_ref().and_then(|s| s.controller.as_deref()).unwrap_or_default();
            return if controller == &*self.controller {
                Ok(())
            } else {
                Err(NotServed::OtherController(controller.into()))
            };
        }
        match ingress.metadata.annotation(CLASS_ANNOTATION) {
            Some(class) if class == &*self.annotation => Ok(()),
            Some(class) => Err(NotServed::OtherAnnotation(class.into())),
            None if self.without_class => Ok(()),
            None => Err(NotServed::NoClass),
        }
    }
}

/// The words that a container is started with, as far as its pod says them.
fn words(container: &Container) -> impl Iterator<Item = &str> {
    container.command.iter().flatten().chain(container.args.iter().flatten()).map(String::as_str)
}

/// Why an Ingress is not one of a controller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotServed {
    /// It says no class.
    NoClass,
    /// There is no IngressClass of this name.
    NoSuchClass(Rc<str>),
    /// Its class is that of another controller.
    OtherController(Rc<str>),
    /// Its annotation names another class.
    OtherAnnotation(Rc<str>),
    /// The controller watches one namespace, and this is another one.
    OtherNamespace,
}
