//! Who sends a request (`k8s.io/apiserver/pkg/authentication/user`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The user of a request without credentials.
pub const ANONYMOUS: &str = "system:anonymous";
/// The group of such users.
pub const ALL_UNAUTHENTICATED: &str = "system:unauthenticated";
/// The group of everybody else.
pub const ALL_AUTHENTICATED: &str = "system:authenticated";
/// The group whose members may do everything, whatever the roles say.
pub const MASTERS: &str = "system:masters";
/// The group of kubelets.
pub const NODES: &str = "system:nodes";
/// How the name of a kubelet's user begins; the node's name follows.
pub const NODE_PREFIX: &str = "system:node:";
/// How the name of a ServiceAccount's user begins; its namespace, a colon and its name follow.
pub const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// A user, as authentication knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserInfo {
    /// The name.
    pub name: String,
    /// The uid; mostly empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// What else is known.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl UserInfo {
    /// A user in these groups.
    pub fn new(name: &str, groups: &[&str]) -> UserInfo {
        UserInfo {
            name: name.to_owned(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
            ..UserInfo::default()
        }
    }

    /// The user of a request without credentials.
    pub fn anonymous() -> UserInfo {
        UserInfo::new(ANONYMOUS, &[ALL_UNAUTHENTICATED])
    }

    /// Whoever has the administrator's kubeconfig.
    pub fn administrator() -> UserInfo {
        UserInfo::new("kubernetes-admin", &[MASTERS, ALL_AUTHENTICATED])
    }

    /// The user of a ServiceAccount (`serviceaccount.UserInfo`).
    pub fn of_account(namespace: &str, name: &str) -> UserInfo {
        UserInfo {
            name: format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"),
            groups: service_account_groups(namespace),
            ..UserInfo::default()
        }
    }

    /// The user, in the group of those who have proved who they are.
    #[must_use]
    pub fn authenticated(mut self) -> UserInfo {
        if !self.is_in(ALL_AUTHENTICATED) {
            self.groups.push(ALL_AUTHENTICATED.to_owned());
        }
        self
    }

    /// Whether the user is in a group.
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|g| g == group)
    }

    /// The namespace and the name of the ServiceAccount whose user this is.
    pub fn service_account(&self) -> Option<(&str, &str)> {
        split_service_account(&self.name)
    }

    /// `UserInfo` of `authentication.k8s.io`.
    pub fn to_value(&self) -> Value {
        let mut value = json!({});
        for (key, text) in [("username", &self.name), ("uid", &self.uid)] {
            if !text.is_empty() {
                value[key] = text.as_str().into();
            }
        }
        if !self.groups.is_empty() {
            value["groups"] = json!(self.groups);
        }
        if !self.extra.is_empty() {
            value["extra"] = json!(self.extra);
        }
        value
    }
}

/// The groups of a ServiceAccount (`serviceaccount.MakeGroupNames`).
pub fn service_account_groups(namespace: &str) -> Vec<String> {
    vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")]
}

/// The namespace and the name of the ServiceAccount with this user name (`serviceaccount.SplitUsername`).
pub fn split_service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix(SERVICE_ACCOUNT_PREFIX)?.split_once(':')?;
    let valid = crate::api::names::is_dns1123_label(namespace).is_empty()
        && crate::api::names::is_dns1123_subdomain(name).is_empty();
    valid.then_some((namespace, name))
}
