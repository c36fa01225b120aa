//! Who issued a command, as a colour that is the same everywhere.

/// The class of a component's name: `who-…` in static/app.css has its colour.
pub fn class(name: &str) -> &'static str {
    match name {
        "you" | "kubectl" => "who-you",
        "deployment-controller" => "who-deployment",
        "replicaset-controller" | "replicationcontroller-controller" | "replication-controller" => {
            "who-replicaset"
        }
        "kube-scheduler" | "default-scheduler" => "who-scheduler",
        "kubelet" => "who-kubelet",
        "garbage-collector" | "generic-garbage-collector" => "who-gc",
        "machinery" => "who-machinery",
        other if other.starts_with("kubelet") => "who-kubelet",
        // The rest share four colours, the same ones in every run.
        other => match other.bytes().fold(0u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b))) % 4 {
            0 => "who-a",
            1 => "who-b",
            2 => "who-c",
            _ => "who-d",
        },
    }
}

/// The class of an object's keeper, which may be nobody.
pub fn keeper(name: &str) -> &'static str {
    if name.is_empty() { "who-machinery" } else { class(name) }
}
