//! Whom the expressions of a policy ask what the sender of a request may do: the authorizers of the server.

use std::rc::Rc;

use super::attributes::Attributes;
use crate::api::fields::FieldSelector;
use crate::apimachinery::UserInfo;
use crate::apiserver::ApiServer;
use crate::apiserver::authorization::{Access, Asked, Resource};
use crate::cel::{AllowAll, Authorizer, Question, Verdict};

/// Whom expressions ask, and the question about the request itself.
pub(super) type Authority = (Rc<dyn Authorizer>, Question);

/// The authorizers as they are when a request comes.
#[derive(Debug)]
struct Authorizers {
    api: ApiServer,
    sender: Rc<UserInfo>,
}

impl Authorizer for Authorizers {
    fn check(&self, question: &Question) -> Verdict {
        let user = match &question.account {
            None => self.sender.clone(),
            Some((namespace, name)) => Rc::new(UserInfo::of_account(namespace, name)),
        };
        let of = match &question.path {
            Some(path) => Asked::Path(path.clone()),
            None => {
                let selector = FieldSelector::parse(&question.field_selector).unwrap_or_default();
                let Question { group, resource, subresource, namespace, name, .. } = question.clone();
                Asked::Resource(
                    Resource { group, resource, subresource, namespace, name, ..Resource::default() }
                        .of_fields(&selector),
                )
            }
        };
        let decision = self.api.authorize(&Access { user, verb: question.verb.clone(), of });
        Verdict { allowed: decision.allowed, reason: decision.reason }
    }
}

/// Whether one of these expressions names the authorizer.
pub(super) fn is_named<'a>(mut expressions: impl Iterator<Item = &'a str>) -> bool {
    expressions.any(|text| text.contains("authorizer"))
}

/// Whom the expressions of a policy ask, and the question about the request itself. The server is copied only where one `asks`.
pub(super) fn of(api: &ApiServer, asks: bool, request: &Attributes) -> Authority {
    if !asks {
        return (Rc::new(AllowAll), Question::default());
    }
    let question = Question {
        group: request.resource.group().to_owned(),
        resource: request.resource.plural().to_owned(),
        subresource: request.subresource.to_owned(),
        namespace: request.namespace.to_owned(),
        name: request.name.to_owned(),
        ..Question::default()
    };
    (Rc::new(Authorizers { api: api.clone(), sender: request.user.clone() }), question)
}
