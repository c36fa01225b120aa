//! Acting as another user (`k8s.io/apiserver/pkg/endpoints/filters/impersonation`, KEP-5284): the headers that say as whom,
//! and whether the sender may.
//!
//! There are several modes: `impersonate` allows to act as a user in every request, the constrained ones only in requests of
//! one verb. There the server remembers for each sender which mode worked last and tries that first; here the general mode
//! comes first for all senders but the anonymous one, as it does there for all who have used it once.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::access::{Access, Asked, Resource};
use super::rules;
use crate::api::names;
use crate::api::quote::go_quote;
use crate::apimachinery::user::{
    ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS, MASTERS, NODE_PREFIX, NODES, service_account_groups,
    split_service_account,
};
use crate::apimachinery::{HttpRequest, Query, Status, UserInfo, unescape};
use crate::apiserver::ApiServer;

/// The group of what can be impersonated beside users, groups and accounts.
const AUTHENTICATION: &str = "authentication.k8s.io";
const EXTRA: &str = "impersonate-extra-";
pub(super) const NODE_NAME: &str = "authentication.kubernetes.io/node-name";
/// From so many groups or extra values on a permission for all of them is looked for first.
const MANY: usize = 4;

/// A way to act as another user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    AssociatedNode,
    ArbitraryNode,
    ServiceAccount,
    UserInfo,
    /// The one that is there since 1.3.
    Legacy,
}

impl Mode {
    const CONSTRAINED: [Mode; 4] =
        [Mode::AssociatedNode, Mode::ArbitraryNode, Mode::ServiceAccount, Mode::UserInfo];

    fn name(self) -> &'static str {
        match self {
            Mode::AssociatedNode => "associated-node",
            Mode::ArbitraryNode => "arbitrary-node",
            Mode::ServiceAccount => "serviceaccount",
            Mode::UserInfo => "user-info",
            Mode::Legacy => "",
        }
    }

    /// Whether the mode is for this user.
    fn is_for(self, wanted: &UserInfo, requestor: &UserInfo) -> bool {
        let bare = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        let node = node_of(&wanted.name);
        let account = split_service_account(&wanted.name);
        match self {
            Mode::AssociatedNode => {
                let own = requestor.extra.get(NODE_NAME).map(Vec::as_slice);
                bare && node.is_some()
                    && requestor.service_account().is_some()
                    && matches!(own, Some([one]) if Some(one.as_str()) == node)
            }
            Mode::ArbitraryNode => bare && node.is_some(),
            Mode::ServiceAccount => bare && account.is_some(),
            Mode::UserInfo => node.is_none() && account.is_none(),
            Mode::Legacy => true,
        }
    }
}

fn node_of(user: &str) -> Option<&str> {
    user.strip_prefix(NODE_PREFIX).filter(|name| names::is_dns1123_subdomain(name).is_empty())
}

/// A list of text as Go's `%#v` writes it.
fn go_syntax(list: &[String]) -> String {
    if list.is_empty() {
        return "[]string(nil)".to_owned();
    }
    format!("[]string{{{}}}", list.iter().map(go_quote).collect::<Vec<_>>().join(", "))
}

/// The user that a request wants to act as; `None` if it does not.
///
/// # Errors
/// 400: something of a user is named, but not who it is.
fn wanted(request: &HttpRequest) -> Result<Option<UserInfo>, Status> {
    let mut user = UserInfo::default();
    let (mut named, mut said) = (false, false);
    for (name, value) in &request.identity {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "impersonate-user" if !named => {
                user.name = value.clone();
                named = true;
            }
            "impersonate-uid" if user.uid.is_empty() => {
                user.uid = value.clone();
                said |= !value.is_empty();
            }
            "impersonate-group" => {
                user.groups.push(value.clone());
                said = true;
            }
            name => {
                if let Some(key) = name.strip_prefix(EXTRA) {
                    user.extra.entry(unescape(key, false)).or_default().push(value.clone());
                    said = true;
                }
            }
        }
    }
    if !user.name.is_empty() {
        return Ok(Some(user));
    }
    if !said {
        return Ok(None);
    }
    let extra = match user.extra.is_empty() {
        true => "map[string][]string(nil)".to_owned(),
        false => {
            let of = |(key, list): (&String, &Vec<String>)| format!("{}:{}", go_quote(key), go_syntax(list));
            format!("map[string][]string{{{}}}", user.extra.iter().map(of).collect::<Vec<_>>().join(", "))
        }
    };
    Err(Status::bad_request(format!(
        "requested &user.DefaultInfo{{Name:\"\", UID:{}, Groups:{}, Extra:{extra}}} without impersonating a user name",
        go_quote(&user.uid),
        go_syntax(&user.groups)
    )))
}

impl ApiServer {
    /// The user as whom a request acts, and whether that user may do what it asks for. The answer has the warnings.
    ///
    /// # Errors
    /// 401, 403: the sender is not known, may not act as the user, or the user may not do it.
    pub(in crate::apiserver) fn admit_sender(
        &self,
        request: &HttpRequest,
        query: &Query,
        warnings: &mut Vec<String>,
    ) -> Result<Rc<UserInfo>, Status> {
        let sender = self.authenticate(request, warnings)?;
        let user = match wanted(request)? {
            None => sender,
            Some(wanted) => self.impersonate(&sender, wanted, request, query)?,
        };
        if user.is_in(MASTERS) {
            return Ok(user);
        }
        let access = Access::of(&user, request, query);
        self.must(&access)?;
        Ok(user)
    }

    #[inline(never)]
    fn impersonate(
        &self,
        sender: &Rc<UserInfo>,
        wanted: UserInfo,
        request: &HttpRequest,
        query: &Query,
    ) -> Result<Rc<UserInfo>, Status> {
        let access = Access::of(sender, request, query);
        let mut modes = Mode::CONSTRAINED.to_vec();
        let last = if sender.name == ANONYMOUS { modes.len() } else { 0 };
        modes.insert(last, Mode::Legacy);
        let mut refused = None;
        for mode in modes.into_iter().filter(|mode| mode.is_for(&wanted, sender)) {
            match self.impersonate_by(mode, &access, &wanted) {
                Ok(user) => return Ok(Rc::new(user)),
                Err(status) => refused = refused.or(Some(status)),
            }
        }
        Err(refused.unwrap_or_else(|| Status::new(500, "InternalError", "all impersonation modes failed")))
    }

    /// The user, if the sender of a request may act as that user by a mode.
    fn impersonate_by(&self, mode: Mode, access: &Access, wanted: &UserInfo) -> Result<UserInfo, Status> {
        if mode != Mode::Legacy {
            let verb = format!("impersonate-on:{}:{}", mode.name(), access.verb);
            self.must(&Access { verb, ..access.clone() })?;
        }
        let ask = Ask { api: self, mode, sender: &access.user };
        let mut user = wanted.clone();
        ask.name(&mut user)?;
        if !wanted.uid.is_empty() {
            ask.about(AUTHENTICATION, "uids", "", &wanted.uid)?;
        }
        ask.groups(&wanted.groups)?;
        ask.extra(&wanted.extra)?;
        let everybody = match user.name.as_str() {
            ANONYMOUS => Some(ALL_UNAUTHENTICATED),
            _ if user.is_in(ALL_UNAUTHENTICATED) => None,
            _ => Some(ALL_AUTHENTICATED),
        };
        if let Some(group) = everybody.filter(|group| !user.is_in(group)) {
            user.groups.push(group.to_owned());
        }
        Ok(user)
    }
}

/// The questions whether a sender may act as a user.
struct Ask<'a> {
    api: &'a ApiServer,
    mode: Mode,
    sender: &'a Rc<UserInfo>,
}

impl Ask<'_> {
    fn access(&self, group: &str, resource: &str, subresource: &str, name: &str) -> Access {
        let of = Resource {
            group: group.to_owned(),
            resource: resource.to_owned(),
            subresource: subresource.to_owned(),
            name: name.to_owned(),
            ..Resource::default()
        };
        let verb = match self.mode {
            Mode::Legacy => "impersonate".to_owned(),
            mode => format!("impersonate:{}", mode.name()),
        };
        Access { user: self.sender.clone(), verb, of: Asked::Resource(of) }
    }

    fn about(&self, group: &str, resource: &str, subresource: &str, name: &str) -> Result<(), Status> {
        self.api.must(&self.access(group, resource, subresource, name))
    }

    /// The group of users, groups, accounts and nodes.
    fn group(&self) -> &'static str {
        if self.mode == Mode::Legacy { "" } else { AUTHENTICATION }
    }

    /// Asks about the name, and gives the user the groups that follow from it.
    fn name(&self, user: &mut UserInfo) -> Result<(), Status> {
        let mut access = self.access(self.group(), "users", "", &user.name);
        let Asked::Resource(of) = &mut access.of else { return Ok(()) };
        let node = node_of(&user.name).filter(|_| self.mode != Mode::Legacy).map(str::to_owned);
        let account = split_service_account(&user.name);
        if let Some(node) = node {
            of.resource = "nodes".to_owned();
            of.name = if self.mode == Mode::AssociatedNode { "*".to_owned() } else { node };
            user.groups = vec![NODES.to_owned()];
        } else if let Some((namespace, name)) = account {
            of.resource = "serviceaccounts".to_owned();
            (of.namespace, of.name) = (namespace.to_owned(), name.to_owned());
            if user.groups.is_empty() {
                user.groups = service_account_groups(namespace);
            }
        }
        self.api.must(&access)
    }

    fn groups(&self, groups: &[String]) -> Result<(), Status> {
        let about = |name: &str| self.about(self.group(), "groups", "", name);
        if self.mode != Mode::Legacy {
            for (group, why) in [
                ("", "impersonating the empty string group is not allowed"),
                (MASTERS, "impersonating the system:masters group is not allowed"),
            ] {
                if groups.iter().any(|g| g == group) {
                    return Err(self.access(self.group(), "groups", "", group).forbidden(why));
                }
            }
            if groups.len() >= MANY && about("*").is_ok() {
                return Ok(());
            }
        }
        groups.iter().try_for_each(|group| about(group))
    }

    fn extra(&self, extra: &BTreeMap<String, Vec<String>>) -> Result<(), Status> {
        let about = |key: &str, value: &str| self.about(AUTHENTICATION, "userextras", key, value);
        if self.mode != Mode::Legacy && !extra.is_empty() {
            if extra.iter().any(|(key, values)| key.is_empty() || values.iter().any(String::is_empty)) {
                let why = match extra.contains_key("") {
                    true => "impersonating the empty string key in extra is not allowed",
                    false => "impersonating the empty string value in extra is not allowed",
                };
                return Err(self.access(AUTHENTICATION, "userextras", "", "").forbidden(why));
            }
            let many = extra.len() >= MANY || extra.values().map(Vec::len).sum::<usize>() >= MANY;
            if many && about("*", "*").is_ok() {
                return Ok(());
            }
        }
        let each = extra.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value)));
        for (key, value) in each {
            about(key, value)?;
        }
        Ok(())
    }
}

/// What a user is called where rights are refused: `user "jane" (groups=["dev"])`.
pub(super) fn described(user: &UserInfo) -> String {
    format!("user {} (groups={})", go_quote(&user.name), rules::quoted(&user.groups))
}
