//! Files of one volume that lie at the same place, or one within the other
//! (`warningsForOverlappingVirtualPaths`).

use std::collections::BTreeSet;

use crate::api::quote::go_quote;
use crate::api::types as t;

/// What overlaps within each volume.
pub(super) fn volumes(out: &mut Vec<String>, volumes: &[t::Volume]) {
    for v in volumes {
        if let Some(items) = v.config_map.as_ref().and_then(|c| c.items.as_ref()) {
            let name = v.config_map.as_ref().map_or("", |c| c.name.as_str());
            check(
                out,
                &keys(items),
                &format!("volume {} (ConfigMap {name})", go_quote(&v.name), name = go_quote(name)),
            );
        }
        if let Some(items) = v.secret.as_ref().and_then(|s| s.items.as_ref()) {
            let name = v.secret.as_ref().and_then(|s| s.secret_name.as_deref()).unwrap_or_default();
            check(
                out,
                &keys(items),
                &format!("volume {} (Secret {name})", go_quote(&v.name), name = go_quote(name)),
            );
        }
        if let Some(items) = v.downward_api.as_ref().and_then(|d| d.items.as_ref()) {
            check(out, &files(items), &format!("volume {} (DownwardAPI)", go_quote(&v.name)));
        }
        if let Some(projected) = &v.projected {
            sources(out, &v.name, projected.sources.as_deref().unwrap_or_default());
        }
    }
}

/// Of a projected volume each source is held against itself, and then against those before it.
fn sources(out: &mut Vec<String>, volume: &str, sources: &[t::VolumeProjection]) {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for source in sources {
        if *source == t::VolumeProjection::default() {
            out.push(format!(
                "volume {volume} (Projected) has no sources provided",
                volume = go_quote(volume)
            ));
            continue;
        }
        let (paths, what) = if let Some((c, items)) =
            source.config_map.as_ref().and_then(|c| Some((c, c.items.as_ref()?)))
        {
            (keys(items), format!("ConfigMap {}", go_quote(&c.name)))
        } else if let Some((s, items)) = source.secret.as_ref().and_then(|s| Some((s, s.items.as_ref()?))) {
            (keys(items), format!("Secret {}", go_quote(&s.name)))
        } else if let Some(items) = source.downward_api.as_ref().and_then(|d| d.items.as_ref()) {
            (files(items), "DownwardAPI".to_owned())
        } else if let Some(token) = &source.service_account_token {
            (vec![token.path.clone()], "ServiceAccountToken".to_owned())
        } else if let Some(bundle) = &source.cluster_trust_bundle {
            let name = bundle.name.as_deref().or(bundle.signer_name.as_deref()).unwrap_or_default();
            (vec![bundle.path.clone()], format!("ClusterTrustBundle {name}", name = go_quote(name)))
        } else {
            continue;
        };
        if paths.is_empty() {
            continue;
        }
        let what = format!("volume {volume} (Projected {what})", volume = go_quote(volume));
        check(out, &paths, &what);
        let mut together: Vec<String> = paths.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        together.extend(all.iter().cloned());
        together.sort();
        check(out, &together, &what);
        all.extend(paths);
    }
}

fn keys(items: &[t::KeyToPath]) -> Vec<String> {
    items.iter().map(|i| i.path.clone()).collect()
}

fn files(items: &[t::DownwardAPIVolumeFile]) -> Vec<String> {
    items.iter().map(|i| i.path.clone()).collect()
}

fn check(out: &mut Vec<String>, paths: &[String], what: &str) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for path in paths {
        let path = path.trim_end_matches('/');
        let within = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
        let other = seen.iter().find(|other| {
            !path.is_empty() && (**other == path || within(other, path) || within(path, other))
        });
        if let Some(other) = other {
            out.push(format!(
                "{what}: overlapping paths: {path} with {other}",
                path = go_quote(path),
                other = go_quote(other)
            ));
        }
        seen.insert(path);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn of(volume: serde_json::Value) -> Vec<String> {
        let mut out = Vec::new();
        volumes(&mut out, &[serde_json::from_value(volume).unwrap()]);
        out
    }

    #[test]
    fn a_file_cannot_be_a_directory_too() {
        let items =
            json!([{"key": "a", "path": "p"}, {"key": "b", "path": "p/q"}, {"key": "c", "path": "pq"}]);
        assert_eq!(
            of(json!({"name": "v", "configMap": {"name": "m", "items": items}})),
            [r#"volume "v" (ConfigMap "m"): overlapping paths: "p/q" with "p""#]
        );
    }

    #[test]
    fn sources_of_one_volume_share_a_directory() {
        let sources = json!([{"configMap": {"name": "m", "items": [{"key": "k", "path": "token"}]}}, {"serviceAccountToken": {"path": "token"}}, {}]);
        assert_eq!(
            of(json!({"name": "v", "projected": {"sources": sources}})),
            [
                r#"volume "v" (Projected ServiceAccountToken): overlapping paths: "token" with "token""#,
                r#"volume "v" (Projected) has no sources provided"#,
            ]
        );
    }
}
