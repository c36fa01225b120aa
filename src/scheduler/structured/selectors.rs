//! The selectors of classes and requests, each compiled once.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::api::types::resource::{Device, DeviceSelector};
use crate::cel::{DeviceCompiler, Program};

/// The most selectors that are kept. When there are more all are forgotten.
const LIMIT: usize = 256;

/// Compiled selectors by their text (`cel.Cache`), which follow from it: clones of a cluster share them.
#[derive(Debug, Default)]
pub struct Selectors {
    compiler: DeviceCompiler,
    compiled: RefCell<BTreeMap<String, Result<Program, String>>>,
}

impl Selectors {
    fn get(&self, expression: &str) -> Result<Program, String> {
        if let Some(known) = self.compiled.borrow().get(expression) {
            return known.clone();
        }
        let program = self.compiler.compile(expression);
        let mut compiled = self.compiled.borrow_mut();
        if compiled.len() >= LIMIT {
            compiled.clear();
        }
        compiled.insert(expression.to_owned(), program.clone());
        program
    }

    /// Whether all of the selectors of a class or a claim select a device (`selectorsMatch`).
    ///
    /// # Errors
    /// Why that cannot be said. `whose` names the class or the claim.
    pub(super) fn match_device(
        &self,
        selectors: &[DeviceSelector],
        driver: &str,
        device: &Device,
        whose: impl Fn() -> String,
    ) -> Result<bool, String> {
        for (i, selector) in selectors.iter().enumerate() {
            let expression = selector.cel.as_ref().map(|c| c.expression.as_str()).unwrap_or_default();
            let program = self
                .get(expression)
                .map_err(|why| format!("{}: selector #{i}: CEL compile error: {why}", whose()))?;
            let matches = DeviceCompiler::matches(&program, driver, device)
                .map_err(|why| format!("{}: selector #{i}: CEL runtime error: {why}", whose()))?;
            if !matches {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
