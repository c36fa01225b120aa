//! The roles and bindings that an API server gives every cluster (`plugin/pkg/auth/authorizer/rbac/bootstrappolicy`), and
//! what a role with an aggregation rule is made of.
//!
//! `policy.txt` has one object in each paragraph. Its first line names the object, `Kind name` or `Kind namespace/name`;
//! of a role `>view` says that it has the label by which the role `view` gathers it, and of a binding a third word names
//! the role. The lines below are rules, `verbs groups resources names` or `verbs url paths`, where `core` is the group
//! without a name, or subjects. A role that `aggregates` gathers its rules by its own label.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::labels::Selector;
use super::types::rbac::{AggregationRule, PolicyRule, RoleRef, Subject};
use super::types::{ClusterRole, ClusterRoleBinding, LabelSelector, ObjectMeta, Role, RoleBinding};
use super::{Kind, Object};

const POLICY: &str = include_str!("policy.txt");
/// The group of roles and bindings, and of users and groups as subjects.
pub const GROUP: &str = "rbac.authorization.k8s.io";
const AGGREGATE_TO: &str = "rbac.authorization.k8s.io/aggregate-to-";
/// How often the rules of aggregating roles are gathered: one of them can gather another one, and so on.
const PASSES: usize = 3;

/// The kinds of roles and bindings.
pub const KINDS: [Kind; 4] = [Kind::ROLE, Kind::CLUSTER_ROLE, Kind::ROLE_BINDING, Kind::CLUSTER_ROLE_BINDING];

thread_local! {
    /// The objects, without and with what the aggregation controller makes of them; read when they are asked for.
    static OBJECTS: [OnceCell<Rc<[Object]>>; 2] = const { [const { OnceCell::new() }; 2] };
}

/// The objects, without uids, times and versions. Where `aggregated`, the roles that gather the rules of others have those
/// rules, as the aggregation controller leaves them.
pub fn objects(aggregated: bool) -> Rc<[Object]> {
    OBJECTS.with(|[plain, gathered]| {
        let plain = plain.get_or_init(|| POLICY.split('\n').fold(Reader::default(), Reader::line).finish());
        if !aggregated {
            return plain.clone();
        }
        gathered.get_or_init(|| gather(plain)).clone()
    })
}

fn gather(plain: &[Object]) -> Rc<[Object]> {
    let mut objects = plain.to_vec();
    for _ in 0..PASSES {
        let roles: Vec<Rc<ClusterRole>> = objects.iter().filter_map(|o| o.get().cloned()).collect();
        for object in &mut objects {
            let Some(role) = object.get::<ClusterRole>() else { continue };
            let Some(rules) = aggregate(role, roles.iter().map(|r| &**r)) else { continue };
            let mut role = ClusterRole::clone(role);
            role.rules = Some(rules);
            *object = role.into();
        }
    }
    objects.into()
}

/// The rules that a role with an aggregation rule gathers from others (`syncClusterRole` of
/// `pkg/controller/clusterroleaggregation`); `None` for a role without an aggregation rule, or with one that cannot be read.
pub fn aggregate<'a>(
    role: &ClusterRole,
    all: impl Iterator<Item = &'a ClusterRole> + Clone,
) -> Option<Vec<PolicyRule>> {
    let selectors = role.aggregation_rule.as_ref()?.cluster_role_selectors.as_deref().unwrap_or_default();
    let mut rules: Vec<PolicyRule> = Vec::new();
    for selector in selectors {
        let selector = Selector::from_label_selector(Some(selector)).ok()?;
        let none = BTreeMap::new();
        let matches = |r: &&ClusterRole| selector.matches(r.metadata.labels.as_ref().unwrap_or(&none));
        let mut sources: Vec<&ClusterRole> =
            all.clone().filter(matches).filter(|r| r.metadata.name != role.metadata.name).collect();
        sources.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        for rule in sources.iter().flat_map(|r| r.rules.iter().flatten()) {
            if !rules.iter().any(|known| same_rule(known, rule)) {
                rules.push(rule.clone());
            }
        }
    }
    Some(rules)
}

/// Whether two rules say the same; a list that is not there is like one without entries.
pub fn same_rule(a: &PolicyRule, b: &PolicyRule) -> bool {
    fn list(of: &Option<Vec<String>>) -> &[String] {
        of.as_deref().unwrap_or_default()
    }
    a.verbs == b.verbs
        && list(&a.api_groups) == list(&b.api_groups)
        && list(&a.resources) == list(&b.resources)
        && list(&a.resource_names) == list(&b.resource_names)
        && list(&a.non_resource_urls) == list(&b.non_resource_urls)
}

/// Reads the table, line by line.
#[derive(Default)]
struct Reader {
    objects: Vec<Object>,
    head: Vec<String>,
    rules: Vec<PolicyRule>,
    subjects: Vec<Subject>,
    aggregates: bool,
}

impl Reader {
    fn line(mut self, line: &str) -> Reader {
        match line.strip_prefix("  ") {
            Some("aggregates") => self.aggregates = true,
            Some(part) => {
                let words: Vec<&str> = part.split(' ').collect();
                match words.as_slice() {
                    [kind @ ("User" | "Group" | "ServiceAccount"), name] => {
                        self.subjects.push(subject(kind, name));
                    }
                    [verbs, "url", urls] => self.rules.push(PolicyRule {
                        verbs: words_of(verbs),
                        non_resource_urls: Some(words_of(urls)),
                        ..PolicyRule::default()
                    }),
                    [verbs, groups, resources, names @ ..] => self.rules.push(PolicyRule {
                        verbs: words_of(verbs),
                        api_groups: Some(words_of(groups)),
                        resources: Some(words_of(resources)),
                        resource_names: names.first().map(|n| words_of(n)),
                        ..PolicyRule::default()
                    }),
                    _ => {}
                }
            }
            None => {
                self.end();
                self.head = line.split(' ').map(str::to_owned).collect();
            }
        }
        self
    }

    /// Makes the object of the paragraph that ends.
    fn end(&mut self) {
        let head = std::mem::take(&mut self.head);
        let (rules, subjects) = (std::mem::take(&mut self.rules), std::mem::take(&mut self.subjects));
        let aggregates = std::mem::take(&mut self.aggregates);
        let [kind, place, rest @ ..] = head.as_slice() else { return };
        let (namespace, name) = match place.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, place.as_str()),
        };
        let metadata = metadata(namespace, name, rest);
        let rules = (!rules.is_empty()).then_some(rules);
        let subjects = (!subjects.is_empty()).then_some(subjects);
        let role_ref = |kind: &str| RoleRef {
            api_group: Some(GROUP.into()),
            kind: kind.into(),
            name: rest.first().cloned().unwrap_or_default(),
        };
        self.objects.push(match kind.as_str() {
            "ClusterRole" => {
                let aggregation_rule = aggregates.then(|| AggregationRule {
                    cluster_role_selectors: Some(vec![LabelSelector {
                        match_labels: Some([(format!("{AGGREGATE_TO}{name}"), "true".to_owned())].into()),
                        ..LabelSelector::default()
                    }]),
                });
                ClusterRole { aggregation_rule, metadata, rules }.into()
            }
            "Role" => Role { metadata, rules }.into(),
            "ClusterRoleBinding" => {
                ClusterRoleBinding { metadata, role_ref: role_ref("ClusterRole"), subjects }.into()
            }
            _ => RoleBinding { metadata, role_ref: role_ref("Role"), subjects }.into(),
        });
    }

    fn finish(mut self) -> Rc<[Object]> {
        self.end();
        self.objects.into()
    }
}

fn metadata(namespace: Option<&str>, name: &str, words: &[String]) -> ObjectMeta {
    let mut labels: BTreeMap<String, String> =
        [("kubernetes.io/bootstrapping".to_owned(), "rbac-defaults".to_owned())].into();
    let gathered_by = words.iter().filter_map(|word| word.strip_prefix('>'));
    labels.extend(gathered_by.map(|role| (format!("{AGGREGATE_TO}{role}"), "true".to_owned())));
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
        labels: Some(labels),
        annotations: Some(
            [("rbac.authorization.kubernetes.io/autoupdate".to_owned(), "true".to_owned())].into(),
        ),
        ..ObjectMeta::default()
    }
}

fn subject(kind: &str, name: &str) -> Subject {
    match name.split_once('/') {
        Some((namespace, name)) if kind == "ServiceAccount" => Subject {
            api_group: None,
            kind: kind.into(),
            name: name.into(),
            namespace: Some(namespace.into()),
        },
        _ => Subject { api_group: Some(GROUP.into()), kind: kind.into(), name: name.into(), namespace: None },
    }
}

fn words_of(list: &str) -> Vec<String> {
    list.split(',').map(|word| if word == "core" { String::new() } else { word.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn role(aggregated: bool, name: &str) -> Rc<ClusterRole> {
        let all = objects(aggregated);
        all.iter()
            .filter_map(|o| o.get::<ClusterRole>())
            .find(|r| r.metadata.name.as_deref() == Some(name))
            .unwrap()
            .clone()
    }

    /// `plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata`: `cluster-roles.yaml` and `cluster-role-bindings.yaml`.
    #[test]
    fn the_table_is_read() {
        let of_kind = |kind: Kind| objects(false).iter().filter(|o| o.kind() == kind).count();
        assert_eq!(KINDS.map(of_kind), [7, 70, 7, 51]);
        let boss = role(false, "cluster-admin");
        let rules = boss.rules.as_deref().unwrap();
        assert_eq!((rules.len(), rules[0].verbs.as_slice()), (2, &["*".to_owned()][..]));
        assert_eq!(rules[1].non_resource_urls.as_deref(), Some(&["*".to_owned()][..]));
        assert_eq!(role(false, "view").rules, None);
        // Each line below a name is a rule, a subject or `aggregates`.
        let lines = POLICY.lines().filter(|l| l.starts_with("  ")).count();
        let parts = |o: &Object| match (o.get::<ClusterRole>(), o.get::<Role>()) {
            (Some(r), _) => r.rules.iter().flatten().count() + usize::from(r.aggregation_rule.is_some()),
            (_, Some(r)) => r.rules.iter().flatten().count(),
            _ => {
                let (of_cluster, local) = (o.get::<ClusterRoleBinding>(), o.get::<RoleBinding>());
                let subjects = of_cluster.map(|b| &b.subjects).or(local.map(|b| &b.subjects));
                subjects.into_iter().flatten().flatten().count()
            }
        };
        assert_eq!(objects(false).iter().map(parts).sum::<usize>(), lines);
    }

    /// `policy.go`: `view` has the label by which `edit` gathers, and `edit` that of `admin`.
    #[test]
    fn roles_that_gather_have_the_rules_of_others() {
        let all = |name: &str| role(true, name).rules.clone().unwrap();
        let (view, edit, admin) = (all("view"), all("edit"), all("admin"));
        assert!(view.iter().all(|rule| edit.iter().any(|r| same_rule(r, rule))));
        assert!(edit.iter().all(|rule| admin.iter().any(|r| same_rule(r, rule))));
        assert!(view.len() < edit.len() && edit.len() < admin.len());
    }
}
