//! A request of a component has the same effect when it is sent as JSON over HTTP.

use serde_json::Value;

use steady::apimachinery::{Response, wire, wire_answer};
use steady::apiserver::http::http;
use steady::cluster::Outcome;
use steady::session::{Depth, Session, Start, What, scenario};

#[test]
fn a_request_over_the_wire_is_the_same_request() {
    let mut s = Session::new(Start::default());
    s.apply(&scenario::all().remove(0).manifest);
    let mut compared = 0;
    for _ in 0..400 {
        let before = s.cluster().clone();
        if !s.step(Depth::Machinery, None) {
            break;
        }
        let What::Machinery(t) = &s.current().what else { continue };
        let Outcome::Sent { request, response, .. } = &t.outcome else { continue };
        let mut api = before.api().clone();
        api.set_now(before.now());
        let answer = http(&mut api, &wire(request));
        assert_eq!(answer.status, response.code(), "{} {}", request.verb.method(), request.path());
        if let Response::Object { object, .. } = response {
            let stored = api.etcd().get(&object.reference()).map(|r| r.object.to_value());
            let live = s.cluster().api().etcd().get(&object.reference()).map(|r| r.object.to_value());
            assert_eq!(stored, live, "{}", request.path());
            let told: Value = serde_json::from_str(&wire_answer(request.kind, response).body).unwrap();
            assert_eq!(told["metadata"]["name"], object.name());
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}
