//! What the server knows of one request while it handles it.

use std::rc::Rc;

use super::apiextensions::{Validated, View};
use super::stage::{Entered, Stage};
use super::validation::Errors;
use crate::api::{Manager, Object};
use crate::apimachinery::{Request, UserInfo};

/// What the stages of one request leave for later stages and for the answer. It is made when a request comes and ends
/// with the answer; nothing of it stays on the server.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestContext {
    /// The field managers after the write, where they were worked out before it: a server-side apply, a
    /// body with `managedFields`, a dry run. The write takes them; after a dry run they are left for the answer.
    pub(super) managers: Option<Rc<[Manager]>>,
    /// The object as it was before admission and the kind's strategy added fields to it, if they did. The fields that
    /// they add have no manager.
    pub(super) submitted: Option<Object>,
    /// The user who sends the request over HTTP; `None` for a component of the cluster, which may do everything.
    pub(super) user: Option<Rc<UserInfo>>,
    /// The program that sends the request, as it stands first in its user agent (`kube-controller-manager`); `None` for
    /// one whose program has the user's name.
    pub(super) program: Option<Rc<str>>,
    /// How the request sees objects of a custom kind; `None` for a built-in kind.
    pub(super) view: Option<View>,
    /// Whether an update or an apply creates the object. Its sender needs the right to create, too.
    pub(super) creates_instead: bool,
    /// The texts of the answer's `Warning` headers.
    pub(super) warnings: Vec<String>,
    /// What validating admission plug-ins warn of. Unlike the advice of a kind's strategy it is told with a refusal, too.
    pub(super) admission_warnings: Vec<String>,
    /// The stages that the request came to; `None` if nobody asked to have them noted.
    stages: Option<Vec<Entered>>,
}

impl RequestContext {
    /// A context for the request of a program.
    pub(super) fn of_program(program: Option<&Rc<str>>) -> RequestContext {
        RequestContext { program: program.cloned(), ..RequestContext::default() }
    }

    /// The name under which the sender of a request manages fields: what the request says, or else the sender's program
    /// (`managerOrUserAgent` of `k8s.io/apiserver/pkg/endpoints/handlers`).
    pub(super) fn manager(&self, r: &Request) -> Rc<str> {
        r.field_manager.as_ref().or(self.program.as_ref()).unwrap_or(&r.user).clone()
    }

    /// A context that notes the stages of the request.
    pub(super) fn noting_stages() -> RequestContext {
        RequestContext { stages: Some(Vec::new()), ..RequestContext::default() }
    }

    /// Notes that the request comes to a stage, with the object as it is then. Of a stage that is noted twice in a row
    /// the last note counts: a body is decoded before there is an object.
    pub(super) fn enter(&mut self, stage: Stage, plugin: &'static str, object: Option<&Object>) {
        let Some(stages) = &mut self.stages else { return };
        if stages.last().is_some_and(|last| last.stage == stage && last.plugin == plugin) {
            stages.pop();
        }
        stages.push(Entered { stage, plugin, object: object.cloned() });
    }

    /// Whether a stage is the last one that the request came to.
    pub(super) fn is_in(&self, stage: Stage, plugin: &str) -> bool {
        let last = self.stages.as_ref().and_then(|stages| stages.last());
        last.is_some_and(|last| last.stage == stage && last.plugin == plugin)
    }

    /// What validation found of a custom object: its errors; what it warns of goes to the client.
    pub(super) fn validated(&mut self, found: Validated) -> Errors {
        self.warnings.extend(found.warnings);
        found.errors
    }

    /// Whether the stages are noted.
    pub(super) fn notes_stages(&self) -> bool {
        self.stages.is_some()
    }

    /// The stages that were noted.
    pub(super) fn into_stages(self) -> Vec<Entered> {
        self.stages.unwrap_or_default()
    }
}
