//! A kubelet's memory as lines of text: for the machinery view, and for the explorer, which compares
//! memories without names and times.

use jiff::SignedDuration;

use super::container_state::{ContainerRuntime, ContainerState};
use super::state::{PodRuntime, State};
use super::strain;
use crate::api::{MetaExt, Timestamp};
use crate::client::Memory;

impl Memory for State {
    /// Moments are left out, because deadlines follow from them and the explorer compares deadlines separately; but for that of the
    /// next request to a URL, and how long a pod cannot be synced for want of a relist, which is no deadline while nothing asks
    /// for a sync.
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let images = self.node.images.keys().map(|i| format!("has the image {i}"));
        let pulling = self.node.pulling.keys().map(|i| format!("pulls the image {i}"));
        let broken = self.unpullable.iter().map(|(image, why)| format!("cannot pull {image}: {why}"));
        let unmountable =
            self.unmountable.iter().map(|(volume, why)| format!("cannot mount {volume}: {why}"));
        let manifests = self.manifests.iter().map(|(file, manifest)| match &manifest.pod {
            Ok(pod) => format!("has the manifest {file} of {}", pod.metadata.key()),
            Err(why) => format!("could not process the manifest {file}: {why}"),
        });
        let url = self.url.as_ref().map(|url| url.line(now));
        let frozen = self.node.frozen_config_maps.keys().map(|k| ("ConfigMap", k));
        let frozen = frozen.chain(self.node.frozen_secrets.keys().map(|k| ("Secret", k)));
        let frozen = frozen.map(|(kind, key)| format!("watches the immutable {kind} {key} no more"));
        let used = self.node.volumes.keys().map(|(volume, pod)| format!("uses {volume} for {pod}"));
        let staged = self.node.staged.keys().map(|volume| format!("has staged {volume}"));
        let faults = self.faults.iter().map(|((pod, _), fault)| format!("{pod} is to suffer {fault:?}"));
        let pods = self.pods.iter().flat_map(|(key, pod)| {
            let containers = pod.containers.iter().map(move |c| format!("{key} {}", container(c)));
            std::iter::once(format!("{key} {}", worker(pod, now))).chain(containers)
        });
        let opened = self.opened.iter().map(|(pod, (_, ports))| format!("{pod} has opened {ports:?}"));
        let starts_again = self.starts_again.then(|| "has just started again".to_owned());
        let no_network = self.no_network.then(|| "has no network plugin".to_owned());
        let mtu = self.mtu.map(|mtu| format!("connects pods with an MTU of {mtu}"));
        let strained = self.strained().map(|(pod, _, probes)| strain::line(pod, probes));
        let disk = self.node_disk.lines().map(|line| format!("has on its disk {line}"));
        let cpus =
            self.node.cpus.iter().map(|((_, container), set)| format!("has given {set:?} to {container}"));
        let images_failed = self.images_failed.then(|| "could not remove enough images".to_owned());
        let eviction = self.eviction.line();
        let shutdown = self.shutdown.as_ref().map(|s| s.line());
        let told_of = self.told_of.iter().map(|why| format!("goes on without: {why}"));
        images
            .chain(images_failed)
            .chain(eviction)
            .chain(shutdown)
            .chain(told_of)
            .chain(pulling)
            .chain(broken)
            .chain(unmountable)
            .chain(manifests)
            .chain(url)
            .chain(frozen)
            .chain(used)
            .chain(staged)
            .chain(opened)
            .chain(strained)
            .chain(no_network)
            .chain(mtu)
            .chain(starts_again)
            .chain(disk)
            .chain(cpus)
            .chain(faults)
            .chain(pods)
            .collect()
    }
}

fn worker(p: &PodRuntime, now: Timestamp) -> String {
    format!(
        "{:?} sandbox {} work {:?} todo {:?} syncing {} changed {} retry {} mount failures {} sandbox failed {} config {} seen {} \
         attach {} mounted {} failed {:?} grace {:?} unreported {} rejected {} restarting {} deleted {} rebooted {} generation {}{}",
        p.phase,
        p.sandbox,
        p.work,
        p.todo,
        p.syncing,
        p.changed,
        p.retry.is_some(),
        p.mount_failures,
        p.sandbox_failures > 0,
        p.waits_for_config,
        p.seen,
        p.waits_for_attach,
        p.volumes.iter().filter(|v| v.mounted).count(),
        p.failed,
        p.grace,
        p.unreported,
        p.rejected,
        p.restarting_all,
        p.deleted,
        p.rebooted,
        p.generation,
        beside(p, now),
    )
}

/// What is remembered of few pods.
fn beside(p: &PodRuntime, now: Timestamp) -> String {
    let mut out = String::new();
    let waits = p.next_sync(now).duration_since(now);
    if waits > SignedDuration::ZERO {
        out.push_str(&format!(" begins no sync for {} ms", waits.as_millis()));
    }
    if let Some(pod) = &p.static_pod {
        let status = p.status.as_ref().and_then(|s| s.phase.as_deref());
        out.push_str(&format!(" static {} withdrawn {} {status:?}", pod.metadata.uid(), p.withdrawn));
    }
    if let Some(order) = &p.order {
        out.push_str(&format!(" ordered {order:?}"));
    }
    if p.removed {
        out.push_str(" removed");
    }
    if let Some(why) = p.ending {
        out.push_str(&format!(" is to end: {}", why.word()));
    }
    if p.sandbox_changed.is_some() {
        out.push_str(" has another sandbox than is known");
    }
    if p.waits_for_volumes {
        out.push_str(" waits for volumes");
    }
    if p.finished {
        out.push_str(" finished");
    }
    if p.sandbox_is_lost {
        out.push_str(" has lost its sandbox");
    }
    if p.look.is_some() {
        out.push_str(" looks at back-offs");
    }
    if let Some(container) = p.oom {
        out.push_str(&format!(" killed {container}"));
    }
    if let Some(pending) = &p.resize.pending {
        out.push_str(&format!(" resize {} {}", pending.reason, pending.message));
    }
    if p.resize.progress.is_some() {
        out.push_str(&format!(" resizes {:?}", p.resize.error));
    }
    for v in p.image_volumes.iter().filter(|v| v.refused.is_some()) {
        out.push_str(&format!(" volume of the image {} {:?}", v.image, v.refused));
    }
    for pulls in p.failed_pulls.iter() {
        out.push_str(&format!(" pulls {} {:?} {:?}", pulls.image, pulls.backoff.delay(), pulls.error));
    }
    if p.files.due.is_some() || p.files.failures > 0 {
        out.push_str(&format!(" writes volumes again, failed {}", p.files.failures > 0));
    }
    if !p.preempts.is_empty() {
        out.push_str(&format!(" waits for the end of {:?}", p.preempts));
    }
    out
}

/// The state of an instance in words.
fn state(state: &ContainerState) -> String {
    match state {
        ContainerState::None => "never started".to_owned(),
        ContainerState::Created(i) => format!("created {}", i.image),
        ContainerState::Running(r) => {
            let ends = r.ends.as_ref().map(|(_, exit)| exit);
            let process = r.process.as_ref().map(|p| p.line());
            format!(
                "runs {} as {:?} process {process:?} ends {ends:?} stopping {}",
                r.instance.image,
                r.behaviour,
                r.stopping.is_some()
            )
        }
        ContainerState::Exited(e) => format!("exited {} {:?} {:?}", e.instance.image, e.exit, e.reason),
    }
}

fn container(c: &ContainerRuntime) -> String {
    let state = state(&c.state);
    let known = c.unnoticed.as_ref();
    let known = known.map(|known| format!(" known as {} {}", self::state(&known.state), known.restarts));
    let known = known.unwrap_or_default();
    format!(
        "container {} {state}{known} last {} restarts {} waiting {:?} ask {} back-off {:?} probes {:?} failing {:?}",
        c.name,
        c.last.is_some(),
        c.restarts,
        c.waiting,
        c.ask_readiness,
        c.backoff.delay(),
        c.probes,
        c.failing,
    )
}
