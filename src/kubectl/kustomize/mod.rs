//! stub
use super::Files;
use super::context::{Context, Result, fail};
use super::flags::{Args, Flag};
use serde_json::Value;
pub(super) const FLAGS: &[Flag] = &[];
pub(super) fn run(_: &mut Context<'_>, _: &Args) -> Result {
    fail("stub")
}
pub(super) fn build(_: &dyn Files, _: &str) -> Result<Vec<Value>> {
    fail("stub")
}
