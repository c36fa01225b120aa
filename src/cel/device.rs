//! What the selectors of claims and device classes may name, and which devices they select
//! (`k8s.io/dynamic-resource-allocation/cel`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::decl::{DeclField, DeclType};
use super::env::Env;
use super::eval::{Activation, Library, Semver, Value};
use super::program::Program;
use super::types::Type;
use crate::api::quantity::amount_of;
use crate::api::types::resource::{
    Device, DeviceAttribute, MAX_ATTRIBUTE_VALUE, MAX_ATTRIBUTES_AND_CAPACITIES, MAX_DOMAIN, MAX_DRIVER_NAME,
    MAX_ID, MAX_SELECTOR_COST,
};

/// Compiles the selectors of devices, and asks them.
///
/// ```
/// use steady::api::types::resource::{Device, DeviceAttribute};
/// use steady::cel::DeviceCompiler;
/// let compiler = DeviceCompiler::new();
/// let big = compiler.compile("device.attributes['dra.example.com'].model == 'big'")?;
/// let model = DeviceAttribute { string: Some("big".to_owned()), ..DeviceAttribute::default() };
/// let attributes = Some([("model".to_owned(), model)].into());
/// let device = Device { attributes, ..Device::default() };
/// assert_eq!(DeviceCompiler::matches(&big, "dra.example.com", &device), Ok(true));
/// assert!(DeviceCompiler::matches(&big, "other.example.com", &device).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceCompiler {
    env: Env,
}

impl Default for DeviceCompiler {
    fn default() -> DeviceCompiler {
        DeviceCompiler::new()
    }
}

impl DeviceCompiler {
    /// A compiler for expressions about `device`.
    pub fn new() -> DeviceCompiler {
        let sized = |decl: DeclType, most: usize| decl.with_max_elements(most as u64);
        let text = |most| sized(DeclType::string(None), most);
        let most = MAX_ATTRIBUTES_AND_CAPACITIES as u64;
        let of_domains = |values: DeclType| {
            DeclType::map_of(text(MAX_DOMAIN), DeclType::map_of(text(MAX_ID), values, most), most)
        };
        let field = |name: &str, decl: DeclType| DeclField::new(name, decl, true).verbatim();
        let device = DeclType::object(vec![
            field("driver", text(MAX_DRIVER_NAME)),
            field("allowMultipleAllocations", sized(DeclType::bool(), 1)),
            field("attributes", of_domains(sized(DeclType::any(), MAX_ATTRIBUTE_VALUE))),
            field("capacity", of_domains(DeclType::quantity())),
        ]);
        DeviceCompiler {
            env: Env::base().bindings().variable("device", device.named("kubernetes.DRADevice")),
        }
    }

    /// Reads and checks a selector. [`Program::estimate_cost`] says whether it costs too much
    /// ([`MAX_SELECTOR_COST`]).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn compile(&self, expression: &str) -> Result<Program, String> {
        let program =
            self.env.compile(expression).map_err(|issues| format!("compilation failed: {issues}"))?;
        // What an attribute is, is not known before it is there.
        match program.output_type() {
            Type::Bool | Type::Any => Ok(program),
            other => Err(format!("must evaluate to bool or the unknown type, not {other}")),
        }
    }

    /// Whether a selector selects a device of a driver (`DeviceMatches`).
    ///
    /// # Errors
    /// Why that cannot be said.
    pub fn matches(selector: &Program, driver: &str, device: &Device) -> Result<bool, String> {
        let mut attributes = Domains::default();
        for (name, attribute) in device.attributes.iter().flatten() {
            let value = value_of(attribute).map_err(|why| format!("attribute {name}: {why}"))?;
            attributes.add(name, driver, value);
        }
        let mut capacity = Domains::default();
        for (name, amount) in device.capacity.iter().flatten() {
            let amount = Library::Quantity(amount_of(Some(&amount.value)));
            capacity.add(name, driver, Value::Library(Rc::new(amount)));
        }
        let value = Value::from_entries([
            ("driver", Value::string(driver)),
            ("allowMultipleAllocations", Value::Bool(device.allow_multiple_allocations == Some(true))),
            ("attributes", attributes.into_value()),
            ("capacity", capacity.into_value()),
        ]);
        let activation = Activation::new().with("device", value);
        let value = selector.evaluate(&activation, MAX_SELECTOR_COST).result.map_err(|e| e.to_string())?;
        value.as_bool().ok_or_else(|| {
            let given = value.type_name();
            format!(
                "CEL result of type {given} could not be converted to bool: unsupported native conversion from {given} \
                 to 'bool'"
            )
        })
    }
}

/// Attributes or capacities by domain and name.
#[derive(Default)]
struct Domains(BTreeMap<Rc<str>, Vec<(Rc<str>, Value)>>);

impl Domains {
    /// A name without a domain is in that of the driver.
    fn add(&mut self, name: &str, driver: &str, value: Value) {
        let (domain, id) = name.split_once('/').unwrap_or((driver, name));
        self.0.entry(domain.into()).or_default().push((id.into(), value));
    }

    /// A domain of which nothing is there is an empty map to whoever asks for it.
    fn into_value(self) -> Value {
        let none = Value::from_entries([]);
        let domains = self.0.into_iter().map(|(domain, values)| {
            (domain, Value::from_entries(values.iter().map(|(id, value)| (&**id, value.clone()))))
        });
        Value::map_with_default(domains.collect::<Vec<_>>(), none)
    }
}

/// The value of an attribute. Lists are behind a feature gate that is off by default.
fn value_of(attribute: &DeviceAttribute) -> Result<Value, String> {
    match attribute {
        DeviceAttribute { int: Some(n), .. } => Ok(Value::Int(*n)),
        DeviceAttribute { bool: Some(b), .. } => Ok(Value::Bool(*b)),
        DeviceAttribute { string: Some(s), .. } => Ok(Value::string(s)),
        DeviceAttribute { version: Some(v), .. } => Semver::parse(v)
            .map(|version| Value::Library(Rc::new(Library::Semver(version))))
            .map_err(|why| format!("parse semantic version: {why}")),
        _ => Err("unsupported attribute value".to_owned()),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
