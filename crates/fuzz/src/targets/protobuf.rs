//! Bodies in Kubernetes' binary format.

use steady::api::{Kind, go_types};
use steady::apimachinery::HttpRequest;

use crate::clusters;
use crate::heard::Heard;

const FORMAT: &str = "application/vnd.kubernetes.protobuf";

/// What the server writes: some objects of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut cluster = clusters::base().cluster().clone();
    let paths: Vec<String> = Kind::BUILT_IN
        .iter()
        .flat_map(|kind| {
            let some = cluster.api().etcd().range(*kind, None).take(3);
            some.filter_map(|(at, _)| {
                clusters::path_of(kind.api_version(), kind.as_str(), &at.key.namespace, &at.key.name)
            })
            .collect::<Vec<_>>()
        })
        .collect();
    let get = |path: String| HttpRequest {
        method: "GET".into(),
        path,
        accept: FORMAT.into(),
        ..HttpRequest::default()
    };
    let mut all: Vec<Vec<u8>> = paths.into_iter().map(|p| cluster.http(&get(p)).0.binary).collect();
    all.retain(|b| !b.is_empty());
    all
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    for kind in [Kind::POD, Kind::DEPLOYMENT, Kind::SERVICE] {
        match go_types::protobuf::parse(go_types::of(kind), input) {
            Ok(json) => {
                heard.say("read", kind.as_str());
                match go_types::decode(go_types::of(kind), &json) {
                    Ok(decoded) => heard.count("strict", decoded.strict.len()),
                    Err(why) => heard.say("decoded", &why),
                }
            }
            Err(why) => heard.say("refused", &why.to_string()),
        }
    }
    let mut cluster = clusters::base().cluster().clone();
    let before = cluster.clone();
    let request = HttpRequest {
        method: "POST".into(),
        path: "/apis/apps/v1/namespaces/default/deployments".into(),
        content_type: FORMAT.into(),
        accept: FORMAT.into(),
        body: input.to_vec(),
        ..HttpRequest::default()
    };
    let (response, writes) = cluster.http(&request);
    heard.say("answered", &format!("{} {}", response.status, response.content_type));
    assert_eq!(writes.is_empty(), response.status >= 300, "{} with {} writes", response.status, writes.len());
    if writes.is_empty() {
        clusters::unchanged(&before, &cluster, input.len());
    }
}
