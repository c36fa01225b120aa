//! What the command line of a pod of the controller says (`cmd/gateway/commands.go`).

use std::rc::Rc;

use crate::api::types::{Container, Pod};
use crate::api::{Key, MetaExt};

/// The flag by which the controller's program is found: it cannot be started without it.
const CONTROLLER: &str = "gateway-ctlr-name";

/// The version of the program, which is the tag of the image of nginx if nobody says another one.
pub const VERSION: &str = "2.6.7";

/// The flags of a controller that are read. Another flag is accepted and does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// `--gateway-ctlr-name`
    pub controller: Rc<str>,
    /// `--gatewayclass`
    pub class: Rc<str>,
    /// `--service`: the Service by which agents find the controller.
    pub service: Rc<str>,
    /// `--agent-tls-secret`
    pub agent_secret: Rc<str>,
    /// The namespace of the pod.
    pub namespace: Rc<str>,
    /// The pod's label `app.kubernetes.io/instance`.
    pub instance: Rc<str>,
    /// The image of the controller.
    pub image: Rc<str>,
}

/// The words that a container is started with, as far as its pod says them.
fn words(container: &Container) -> impl Iterator<Item = &str> {
    container.command.iter().flatten().chain(container.args.iter().flatten()).map(String::as_str)
}

fn value<'w>(container: &'w Container, name: &str) -> Option<&'w str> {
    let mut words = words(container);
    while let Some(word) = words.next() {
        match word.strip_prefix("--").map(|flag| flag.split_once('=').ok_or(flag)) {
            Some(Ok((flag, value))) if flag == name => return Some(value),
            Some(Err(flag)) if flag == name => return words.next(),
            _ => {}
        }
    }
    None
}

impl Flags {
    /// The flags of a pod's container that starts the controller, with the container's name; `None` if none does.
    pub fn of_pod(pod: &Pod) -> Option<(Rc<str>, Flags)> {
        let spec = pod.spec.as_ref()?;
        // Every pod of a cluster is looked at, and hardly any is a controller.
        let starts = |c: &&Container| words(c).take(2).any(|w| w == "controller");
        spec.containers.iter().filter(starts).find_map(|c| {
            let text = |name: &str| value(c, name).map(Rc::from);
            let flags = Flags {
                controller: text(CONTROLLER)?,
                class: text("gatewayclass")?,
                service: text("service").unwrap_or_default(),
                agent_secret: text("agent-tls-secret").unwrap_or_else(|| "agent-tls".into()),
                namespace: pod.metadata.namespace().into(),
                instance: pod.metadata.label("app.kubernetes.io/instance").unwrap_or_default().into(),
                image: c.image.as_deref().unwrap_or_default().into(),
            };
            Some((c.name.as_str().into(), flags))
        })
    }

    /// The value of the label `app.kubernetes.io/managed-by` of all that the controller makes.
    pub fn managed_by(&self) -> Rc<str> {
        crate::network::gateway::name_of_resources(&self.instance, &self.class)
    }

    /// The Secret of which each Gateway gets a copy.
    pub fn agent_secret_key(&self) -> Key {
        Key::new(&self.namespace, &self.agent_secret)
    }
}
