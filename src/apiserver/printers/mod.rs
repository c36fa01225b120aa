//! Tables: the columns of every kind and the cells of its objects
//! (`k8s.io/kubernetes/pkg/printers/internalversion`).
//!
//! In Kubernetes the API server fills them in, and kubectl only aligns them. So these are pure
//! functions of an object and the time, for both to use.

mod batch;
mod core;
mod endpoints;
mod limits;
mod networking;
mod pod;
mod storage;
mod workloads;

use crate::api::types::{MicroTime, Time};
use crate::api::{Kind, MetaExt, Object, Timestamp};

pub(crate) use core::{format_labels, node_roles};
pub(crate) use limits::{current, quantity};
pub(crate) use networking::addresses;
pub use pod::{Summary, summarize};
pub(crate) use storage::access_modes;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, as the API server has it; kubectl prints it in capitals.
    pub name: &'static str,
    /// Whether only `-o wide` shows it (priority 1).
    pub wide: bool,
}

const fn col(name: &'static str) -> Column {
    Column { name, wide: false }
}

const fn wide(name: &'static str) -> Column {
    Column { name, wide: true }
}

/// The columns of a kind.
pub fn columns(kind: Kind) -> &'static [Column] {
    const DEFAULT: &[Column] = &[col("Name"), col("Age")];
    match kind {
        Kind::Pod => pod::COLUMNS,
        Kind::Deployment => workloads::DEPLOYMENT,
        Kind::ReplicaSet => workloads::REPLICA_SET,
        Kind::StatefulSet => workloads::STATEFUL_SET,
        Kind::DaemonSet => workloads::DAEMON_SET,
        Kind::Job => batch::JOB,
        Kind::CronJob => batch::CRON_JOB,
        Kind::PodDisruptionBudget => workloads::DISRUPTION_BUDGET,
        Kind::Service => core::SERVICE,
        Kind::Endpoints => endpoints::ENDPOINTS,
        Kind::EndpointSlice => endpoints::SLICE,
        Kind::Namespace => core::NAMESPACE,
        Kind::Node => core::NODE,
        Kind::ConfigMap => core::CONFIG_MAP,
        Kind::Secret => core::SECRET,
        Kind::Event => core::EVENT,
        Kind::Lease => core::LEASE,
        Kind::PriorityClass => core::PRIORITY_CLASS,
        Kind::HorizontalPodAutoscaler => limits::AUTOSCALER,
        Kind::LimitRange | Kind::Role | Kind::ClusterRole => limits::NO_PRINTER,
        Kind::ResourceQuota => limits::QUOTA,
        Kind::PersistentVolume => storage::VOLUME,
        Kind::PersistentVolumeClaim => storage::CLAIM,
        Kind::StorageClass => storage::CLASS,
        Kind::ReplicationController => workloads::REPLICA_SET,
        Kind::Ingress => networking::INGRESS,
        Kind::IngressClass => networking::CLASS,
        Kind::NetworkPolicy => networking::POLICY,
        Kind::RoleBinding | Kind::ClusterRoleBinding => networking::BINDING,
        #[allow(unreachable_patterns)]
        _ => DEFAULT,
    }
}

/// The cells of an object, one for each of its kind's columns.
pub fn row(object: &Object, now: Timestamp) -> Vec<String> {
    let cells = match object.kind() {
        Kind::Pod => object.get().map(|o| pod::row(o, now)),
        Kind::Deployment => object.get().map(|o| workloads::deployment(o, now)),
        Kind::ReplicaSet => object.get().map(|o| workloads::replica_set(o, now)),
        Kind::StatefulSet => object.get().map(|o| workloads::stateful_set(o, now)),
        Kind::DaemonSet => object.get().map(|o| workloads::daemon_set(o, now)),
        Kind::Job => object.get().map(|o| batch::job(o, now)),
        Kind::CronJob => object.get().map(|o| batch::cron_job(o, now)),
        Kind::PodDisruptionBudget => object.get().map(|o| workloads::disruption_budget(o, now)),
        Kind::Service => object.get().map(|o| core::service(o, now)),
        Kind::Endpoints => object.get().map(|o| endpoints::endpoints(o, now)),
        Kind::EndpointSlice => object.get().map(|o| endpoints::slice(o, now)),
        Kind::Namespace => object.get().map(|o| core::namespace(o, now)),
        Kind::Node => object.get().map(|o| core::node(o, now)),
        Kind::ConfigMap => object.get().map(|o| core::config_map(o, now)),
        Kind::Secret => object.get().map(|o| core::secret(o, now)),
        Kind::Event => object.get().map(|o| core::event(o, now)),
        Kind::Lease => object.get().map(|o| core::lease(o, now)),
        Kind::PriorityClass => object.get().map(|o| core::priority_class(o, now)),
        Kind::HorizontalPodAutoscaler => object.get().map(|o| limits::autoscaler(o, now)),
        Kind::LimitRange | Kind::Role | Kind::ClusterRole => Some(limits::created_at(object.meta())),
        Kind::ResourceQuota => object.get().map(|o| limits::quota(o, now)),
        Kind::PersistentVolume => object.get().map(|o| storage::volume(o, now)),
        Kind::PersistentVolumeClaim => object.get().map(|o| storage::claim(o, now)),
        Kind::StorageClass => object.get().map(|o| storage::class(o, now)),
        Kind::ReplicationController => object.get().map(|o| workloads::replication_controller(o, now)),
        Kind::Ingress => object.get().map(|o| networking::ingress(o, now)),
        Kind::IngressClass => object.get().map(|o| networking::class(o, now)),
        Kind::NetworkPolicy => object.get().map(|o| networking::policy(o, now)),
        Kind::RoleBinding => object.get().map(|b: &std::rc::Rc<crate::api::types::RoleBinding>| {
            networking::binding(&b.metadata, &b.role_ref, b.subjects.as_deref(), now)
        }),
        Kind::ClusterRoleBinding => object.get().map(|o| networking::cluster_binding(o, now)),
        #[allow(unreachable_patterns)]
        _ => None,
    };
    cells.unwrap_or_else(|| {
        vec![object.name().to_owned(), age(object.meta().creation_timestamp.as_ref(), now)]
    })
}

/// How long ago something was; `<unknown>` if it is not known when.
pub fn age(since: Option<&Time>, now: Timestamp) -> String {
    match since {
        Some(t) => human_duration(now.duration_since(t.0)),
        None => "<unknown>".into(),
    }
}

/// The same for a time that is known to the microsecond.
pub fn age_micro(since: Option<&MicroTime>, now: Timestamp) -> String {
    match since {
        Some(t) => human_duration(now.duration_since(t.0)),
        None => "<unknown>".into(),
    }
}

/// A duration in two units at most (`duration.HumanDuration`).
pub fn human_duration(d: jiff::SignedDuration) -> String {
    let seconds = d.as_secs();
    if seconds < -1 {
        return "<invalid>".into();
    }
    if seconds < 0 {
        return "0s".into();
    }
    // The larger unit, and the smaller one where it is not zero.
    let two = |big: i64, unit: &str, small: i64, sub: &str| match small {
        0 => format!("{big}{unit}"),
        _ => format!("{big}{unit}{small}{sub}"),
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 192 => two(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if days < 2920 => two(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

/// The age of an object.
fn created(meta: &crate::api::types::ObjectMeta, now: Timestamp) -> String {
    age(meta.creation_timestamp.as_ref(), now)
}

/// The object's name, owned.
fn name(meta: &crate::api::types::ObjectMeta) -> String {
    MetaExt::name(meta).to_owned()
}

/// The text, or `<none>`.
fn or_none(text: Option<&str>) -> String {
    text.filter(|t| !t.is_empty()).unwrap_or("<none>").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_long_as_they_need_be() {
        for (seconds, want) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (691_200, "8d"),
            (63_071_999, "729d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
            (252_288_000, "8y"),
        ] {
            assert_eq!(human_duration(jiff::SignedDuration::from_secs(seconds)), want, "{seconds}");
        }
    }

    #[test]
    fn every_kind_has_as_many_cells_as_columns() {
        for kind in Kind::ALL {
            let object = Object::from_value(*kind, serde_json::json!({"metadata": {"name": "x"}}));
            // Some kinds have fields that must be there; those have rows in tests of their own.
            let Ok(object) = object else { continue };
            assert_eq!(row(&object, Timestamp::UNIX_EPOCH).len(), columns(*kind).len(), "{kind:?}");
        }
    }
}
