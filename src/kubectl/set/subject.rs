//! `kubectl set subject`

use serde_json::{Value, json};

use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, fail};
use super::super::kinds::{Settable, known};
use super::super::resource::{self, Rules};
use super::{change, command};
use crate::api::{Kind, order};

pub(in super::super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    command::finish(errors)?;
    super::dry_run(cx, args)?;
    let cluster_wide = objects.iter().any(|(o, _)| o.kind() == Kind::CLUSTER_ROLE_BINDING);
    let subjects = subjects(cx, args, cluster_wide)?;
    let failed = "failed to patch subjects to rolebinding:";
    change(cx, args, &args.words, "subjects updated", failed, &mut |_, object, value| {
        if known(object.kind()).set != Settable::Subjects {
            return fail("setting subjects is only supported for RoleBinding/ClusterRoleBinding");
        }
        let mut all = value.get("subjects").and_then(Value::as_array).cloned().unwrap_or_default();
        let before = all.len();
        all.extend(subjects.iter().filter(|s| !all.contains(s)).cloned().collect::<Vec<_>>());
        let changed = all.len() > before;
        value["subjects"] = all.into();
        Ok(changed)
    })
}

/// The subjects of the flags: users, groups, service accounts, each sorted.
fn subjects(cx: &Invocation<'_>, args: &Args, cluster_wide: bool) -> Result<Vec<Value>> {
    let sorted = |flag: &str| {
        let mut all: Vec<&str> = args.all(flag).iter().map(String::as_str).collect();
        order::sort(&mut all);
        all.dedup();
        all
    };
    let (users, groups, accounts) = (sorted("user"), sorted("group"), sorted("serviceaccount"));
    if users.is_empty() && groups.is_empty() && accounts.is_empty() {
        return fail("you must specify at least one value of user, group or serviceaccount");
    }
    let group = Kind::ROLE_BINDING.group();
    let of = |kind: &str, name: &str| json!({"apiGroup": group, "kind": kind, "name": name});
    let mut out: Vec<Value> = users.into_iter().map(|u| of("User", u)).collect();
    out.extend(groups.into_iter().map(|g| of("Group", g)));
    for account in accounts {
        let (namespace, name) = match account.split(':').collect::<Vec<_>>()[..] {
            [namespace, name] if !name.is_empty() => (namespace, name),
            _ => return fail("serviceaccount must be <namespace>:<name>"),
        };
        if namespace.is_empty() && cluster_wide {
            return fail("serviceaccount must be <namespace>:<name>, namespace must be specified");
        }
        let namespace = if namespace.is_empty() { cx.namespace.as_str() } else { namespace };
        out.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    Ok(out)
}
