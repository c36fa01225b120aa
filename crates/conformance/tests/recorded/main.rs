//! Tests of the judge's parts with the recordings themselves: no server of Steady's runs here.
#![allow(clippy::unwrap_used)]

mod common;
mod kubelet;
mod recordings;
mod replay;
mod stand_ins;
