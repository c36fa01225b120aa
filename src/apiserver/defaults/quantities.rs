//! Quantities in the form they are stored in: canonical, and no finer than a thousandth.

use std::collections::BTreeMap;

use crate::api::quantity::Amount;
use crate::api::types::Quantity;

/// Rewrites one quantity (`0.5` to `500m`); leaves what is not a quantity.
pub(in crate::apiserver) fn canonical(quantity: &mut Quantity) {
    if let Ok(amount) = Amount::parse(&quantity.0) {
        let text = amount.canonical();
        if text != quantity.0 {
            quantity.0 = text;
        }
    }
}

/// Rewrites a quantity that may be absent.
pub(in crate::apiserver) fn optional(quantity: &mut Option<Quantity>) {
    if let Some(q) = quantity {
        canonical(q);
    }
}

/// Rewrites the amounts of a `ResourceList`, which are rounded up to a thousandth
/// (`SetDefaults_ResourceList`).
pub(in crate::apiserver) fn list(resources: &mut Option<BTreeMap<String, Quantity>>) {
    for quantity in resources.iter_mut().flat_map(BTreeMap::values_mut) {
        canonical(quantity);
        let Ok(amount) = Amount::parse(&quantity.0) else { continue };
        // Only an amount finer than a thousandth has this suffix in its canonical form.
        let finer = quantity.0.ends_with('n') || quantity.0.ends_with('u');
        if finer && let Ok(rounded) = Amount::parse(&format!("{}m", amount.milli_value())) {
            quantity.0 = rounded.canonical();
        }
    }
}
