//! Which zones endpoints are for.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::api::types::discovery::EndpointConditions;

fn ratios(shares: &[(&str, f64)]) -> BTreeMap<String, f64> {
    shares.iter().map(|(zone, ratio)| ((*zone).to_owned(), *ratio)).collect()
}

fn slice(zones: &[&str]) -> EndpointSlice {
    let endpoint = |zone: &&str| Endpoint {
        zone: Some((*zone).to_owned()).filter(|z| !z.is_empty()),
        conditions: Some(EndpointConditions { ready: Some(true), ..Default::default() }),
        ..Default::default()
    };
    EndpointSlice { endpoints: Some(zones.iter().map(endpoint).collect()), ..Default::default() }
}

/// The zones that the endpoints of a new slice are for, or why there are no hints.
fn hints(shares: &[(&str, f64)], zones: &[&str]) -> Result<Vec<String>, String> {
    let mut plan = Plan { create: vec![slice(zones)], ..Plan::default() };
    add_hints(Some(&ratios(shares)), &mut plan)?;
    let hint = |e: &mut Endpoint| e.hints.clone().unwrap().for_zones.unwrap()[0].name.clone();
    Ok(written(&mut plan).map(hint).collect())
}

const HALVES: &[(&str, f64)] = &[("a", 0.5), ("b", 0.5)];

/// After `topologycache_test.go`.
#[test]
fn endpoints_are_for_zones_by_their_shares() {
    assert_eq!(hints(HALVES, &["a", "b", "a", "b"]).unwrap(), ["a", "b", "a", "b"]);
    assert_eq!(hints(HALVES, &["a", "a", "a", "a"]).unwrap(), ["b", "b", "a", "a"]);
    let quarters = [("a", 0.25), ("b", 0.75)];
    assert_eq!(hints(&quarters, &["a", "a", "b", "b"]).unwrap(), ["b", "a", "b", "b"]);
}

#[test]
fn there_are_no_hints_where_they_would_overload_an_endpoint() {
    let why = |shares: &[(&str, f64)], zones: &[&str]| hints(shares, zones).unwrap_err();
    assert_eq!(why(HALVES, &["a"]), "Insufficient number of endpoints (1 endpoints, 2 zones)");
    assert_eq!(
        why(HALVES, &["a", "a", "b"]),
        "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)"
    );
    assert_eq!(why(HALVES, &["a", ""]), "One or more endpoints do not have a zone specified");
}

#[test]
fn a_slice_with_its_hints_is_left_alone() {
    let shares = ratios(HALVES);
    let mut plan = Plan { create: vec![slice(&["a", "b"])], ..Plan::default() };
    add_hints(Some(&shares), &mut plan).unwrap();
    let hinted = Rc::new(plan.create.remove(0));
    let mut plan = Plan { unchanged: vec![hinted.clone()], ..Plan::default() };
    assert_eq!(add_hints(Some(&shares), &mut plan).unwrap().len(), 2);
    assert!(plan.update.is_empty());
    remove_hints(&mut plan);
    assert_eq!((plan.update.len(), plan.unchanged.len()), (1, 0));
    // Three quarters of the CPU are in the first zone now.
    let mut plan = Plan { unchanged: vec![hinted], ..Plan::default() };
    assert!(add_hints(Some(&ratios(&[("a", 0.75), ("b", 0.25)])), &mut plan).is_err());
    assert!(overloaded(
        &Zones::from([("a".into(), 1), ("b".into(), 1)]),
        Some(&ratios(&[("a", 0.75), ("b", 0.25)]))
    ));
}
