//! What expressions cost, in the units of `common/cost.go` of cel-go: about 50 ns each.

mod calls;
mod estimate;

pub(crate) use calls::selector;
pub(crate) use estimate::{compared, estimate};

/// One evaluation costs at most so much (`PerCallLimit` in `k8s.io/apiserver/pkg/apis/cel/config.go`).
pub const PER_CALL_LIMIT: u64 = 1_000_000;
/// All rules of one object together cost at most so much (`RuntimeCELCostBudget`).
pub const RUNTIME_COST_BUDGET: u64 = 10_000_000;
/// A rule may be estimated at so much (`StaticEstimatedCostLimit` of apiextensions).
pub const STATIC_ESTIMATED_COST_LIMIT: u64 = 10_000_000;
/// All rules of a CustomResourceDefinition together may be (`StaticEstimatedCRDCostLimit`).
pub const STATIC_ESTIMATED_CRD_COST_LIMIT: u64 = 100_000_000;

pub(crate) const SELECT_OR_IDENT: u64 = 1;
pub(crate) const CREATE_LIST: u64 = 10;
pub(crate) const CREATE_MAP: u64 = 30;
pub(crate) const CREATE_STRUCT: u64 = 40;
/// For each character that is looked at.
pub(crate) const TRAVERSAL: f64 = 0.1;
/// For each character of a pattern.
pub(crate) const REGEX: f64 = 0.25;
/// A question to the authorizer: two fit into one evaluation.
pub(crate) const AUTHORIZATION_CHECK: u64 = 350_000;
/// A pattern or name of a format has at most so many characters.
pub(crate) const MAX_FORMAT_SIZE: u64 = 64;
pub(crate) const MAX_NAME_FORMAT_REGEX_SIZE: u64 = 128;

/// The least and the most that something costs. The most is `u64::MAX` where nothing bounds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostEstimate {
    /// The least that it can cost or measure.
    pub min: u64,
    /// The most that it can cost or measure.
    pub max: u64,
}

/// The least and the most items, characters or bytes of a value.
pub(crate) type SizeEstimate = CostEstimate;

impl CostEstimate {
    pub(crate) const UNKNOWN: CostEstimate = CostEstimate { min: 0, max: u64::MAX };

    pub(crate) const fn fixed(cost: u64) -> CostEstimate {
        CostEstimate { min: cost, max: cost }
    }

    pub(crate) const fn between(min: u64, max: u64) -> CostEstimate {
        CostEstimate { min, max }
    }

    pub(crate) fn plus(self, other: CostEstimate) -> CostEstimate {
        CostEstimate { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(crate) fn times(self, other: CostEstimate) -> CostEstimate {
        CostEstimate { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(crate) fn by(self, factor: f64) -> CostEstimate {
        CostEstimate { min: by(self.min, factor), max: by(self.max, factor) }
    }

    pub(crate) fn union(self, other: CostEstimate) -> CostEstimate {
        CostEstimate { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// A cost for each of `count`, rounded up.
pub(crate) fn by(count: u64, factor: f64) -> u64 {
    // A float that is too large becomes the largest number.
    (count as f64 * factor).ceil() as u64
}

/// How a cost that is too high is told (`getCostErrorMessage` of apiextensions' validation).
pub fn cost_error_message(name: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        // One digit would say that the budget is exceeded by a factor of 1.0.
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}

/// What a rule costs that is evaluated up to `cardinality` times for one object, or as often as data of its type fits
/// into a request if nothing bounds that (`getExpressionCost`).
pub fn expression_cost(max_cost: u64, cardinality: Option<u64>, max_cardinality: u64) -> u64 {
    max_cost.saturating_mul(cardinality.unwrap_or(max_cardinality))
}
