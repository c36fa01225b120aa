//! What the calls of Kubernetes' libraries cost, before and after their values are known:
//! `k8s.io/apiserver/pkg/cel/library/cost.go`, and the lists and sets of cel-go's `ext`.

use super::super::ast::{ExprKind, Literal};
use super::super::types::Type;
use super::estimate::{CallEstimate, Coster, Operand};
use super::{
    AUTHORIZATION_CHECK, CREATE_LIST, CREATE_STRUCT, CostEstimate, MAX_FORMAT_SIZE,
    MAX_NAME_FORMAT_REGEX_SIZE, REGEX, SizeEstimate, TRAVERSAL,
};

/// Parsing a selector: it is a list of requirements, of two characters at least each.
pub(crate) fn selector(length: SizeEstimate) -> CostEstimate {
    let requirements = length.by(0.5).by((CREATE_LIST + CREATE_STRUCT) as f64);
    CostEstimate::fixed(CREATE_LIST).plus(length.by(TRAVERSAL)).plus(requirements)
}

fn only(cost: CostEstimate) -> Option<CallEstimate> {
    Some(CallEstimate { cost, size: None })
}

fn sized(cost: CostEstimate, size: SizeEstimate) -> Option<CallEstimate> {
    Some(CallEstimate { cost, size: Some(size) })
}

/// A call that makes a list.
fn listing(factor: f64, size: SizeEstimate) -> Option<CallEstimate> {
    sized(size.by(factor).plus(CostEstimate::fixed(1 + CREATE_LIST)), size)
}

/// A whole number that is written into the expression.
fn literal_int(operand: Option<&Operand>) -> Option<u64> {
    match operand.map(|o| &o.node.kind) {
        Some(ExprKind::Literal(Literal::Int(n))) => Some(u64::try_from(*n).unwrap_or(0)),
        _ => None,
    }
}

impl Coster<'_> {
    fn known(&self, operand: &Operand) -> SizeEstimate {
        operand.size.or_else(|| self.declared(&operand.path)).unwrap_or(SizeEstimate::UNKNOWN)
    }

    /// The type and the size of what a list holds. A map counts as a list of its keys here, and so does any other
    /// type with parameters.
    fn items(&self, list: &Operand) -> Option<(Type, SizeEstimate)> {
        let t = list.t.params().first()?.clone();
        let mut path = list.path.clone();
        if !path.is_empty() {
            path.push("@items".to_owned());
        }
        Some((t, self.declared(&path).unwrap_or(SizeEstimate::UNKNOWN)))
    }

    /// The estimate for a call that has one of its own.
    pub(super) fn library(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
    ) -> Option<CallEstimate> {
        if let Some(estimate) = self.extension(overload, target, args) {
            return Some(estimate);
        }
        let first = args.first().map(|a| self.known(a));
        let of = target.map(|t| self.known(t));
        let nominal = CostEstimate::fixed(1);
        match function {
            "check" => only(CostEstimate::fixed(AUTHORIZATION_CHECK)),
            "serviceAccount" | "path" | "group" | "resource" | "subresource" | "namespace" | "name"
            | "allowed" | "reason" | "error" | "errored" => only(nominal),
            "fieldSelector" | "labelSelector" => only(selector(first?)),
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                let Some((t, size)) = self.items(target?) else { return only(of?.by(TRAVERSAL)) };
                let text = matches!(t, Type::String | Type::Bytes);
                let each = if text { nominal.plus(size.by(TRAVERSAL)) } else { nominal };
                only(of?.times(each))
            }
            "url" | "jsonpatch.escapeKey" => sized(first?.by(TRAVERSAL), first?),
            "lowerAscii" | "upperAscii" | "substring" | "trim" => sized(of?.by(TRAVERSAL), of?),
            "replace" => {
                let size = replaced(of?, first?, self.known(args.get(1)?));
                sized(of?.by(2.0 * TRAVERSAL), size)
            }
            "split" => {
                let most = literal_int(args.get(1)).unwrap_or(of?.max);
                sized(of?.by(2.0 * TRAVERSAL), SizeEstimate::between(0, most))
            }
            "join" => {
                let mut size = self
                    .items(target?)
                    .map_or_else(SizeEstimate::default, |(_, each)| of.unwrap_or_default().times(each));
                if let Some(separator) = first {
                    let count = SizeEstimate::between(of?.min.saturating_sub(1), of?.max.saturating_sub(1));
                    size = size.plus(separator.times(count));
                }
                sized(size.by(TRAVERSAL), size)
            }
            "find" | "findAll" => {
                let text = of?.plus(SizeEstimate::fixed(1)).by(TRAVERSAL);
                sized(text.times(first?.by(REGEX)), SizeEstimate::between(0, of?.max))
            }
            "ip" if overload == "cidr_ip" => only(nominal),
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
                only(first?.by(TRAVERSAL))
            }
            "ip.isCanonical" => only(first?.by(2.0 * TRAVERSAL)),
            "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast" => only(nominal),
            "containsIP" | "containsCIDR" => {
                // Addresses are 4 or 16 bytes.
                let bytes = SizeEstimate::between(4, 16);
                let mut cost = bytes.plus(bytes).by(TRAVERSAL);
                if function == "containsCIDR" {
                    cost = cost.plus(bytes.by(TRAVERSAL)).plus(nominal);
                }
                if overload.ends_with("_string") {
                    cost = cost.plus(first?.by(TRAVERSAL));
                }
                only(cost)
            }
            "validate" => only(first?.by(TRAVERSAL).by(MAX_NAME_FORMAT_REGEX_SIZE as f64 * REGEX)),
            "format.named" | "sign" | "asInteger" | "isInteger" | "asApproximateFloat" | "isGreaterThan"
            | "isLessThan" | "compareTo" | "add" | "sub" | "major" | "minor" | "patch" | "getScheme"
            | "getHostname" | "getHost" | "getPort" | "getEscapedPath" | "getQuery" => only(nominal),
            "_==_" => {
                let [left, right] = args else { return None };
                if left.t != right.t {
                    return None;
                }
                match left.t.name() {
                    "net.IP" | "net.CIDR" | "kubernetes.Quantity" | "kubernetes.Semver" => only(nominal),
                    "kubernetes.NamedFormat" => only(CostEstimate::between(1, MAX_FORMAT_SIZE).by(TRAVERSAL)),
                    "kubernetes.URL" => {
                        let most = right.size.map_or(1, |size| size.max);
                        only(CostEstimate::between(1, most).by(TRAVERSAL))
                    }
                    name if name.starts_with("kubernetes.authorization.") => only(nominal),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Lists and sets of cel-go's `ext`.
    fn extension(&self, overload: &str, target: Option<&Operand>, args: &[Operand]) -> Option<CallEstimate> {
        let of = target.map(|t| self.known(t));
        match overload {
            "list_sets_contains_list" | "list_sets_intersects_list" | "list_sets_equivalent_list" => {
                let factor = if overload == "list_sets_equivalent_list" { 2.0 } else { 1.0 };
                let [left, right] = args else { return None };
                only(self.known(left).times(self.known(right)).by(factor).plus(CostEstimate::fixed(1)))
            }
            "list_slice" => {
                let start = literal_int(args.first()).unwrap_or(0);
                let end = literal_int(args.get(1)).unwrap_or(of?.max);
                listing(1.0, SizeEstimate::fixed(end.wrapping_sub(start)))
            }
            "lists_range" => listing(1.0, SizeEstimate::fixed(literal_int(args.first()).unwrap_or(u64::MAX))),
            "list_reverse" => listing(1.0, of?),
            "list_flatten" => listing(1.0, of?),
            "list_flatten_int" => listing(literal_int(args.first()).unwrap_or(u64::MAX) as f64, of?),
            "list_distinct" => listing(2.0, of?.times(of?)),
            _ => {
                let list = match overload.strip_prefix("list_")?.split_once('_')? {
                    (t, "sort") => Some((t, of?)),
                    (t, "sortByAssociatedKeys") => Some((t, self.known(args.first()?))),
                    _ => None,
                };
                let (t, size) = list?;
                let factor = if matches!(t, "string" | "bytes") { 2.0 + TRAVERSAL } else { 2.0 };
                listing(factor, size.times(size))
            }
        }
    }
}

/// The size of a text in which every `old` is replaced by `new`.
fn replaced(text: SizeEstimate, old: SizeEstimate, new: SizeEstimate) -> SizeEstimate {
    let (mut count, mut kept) = (SizeEstimate::default(), SizeEstimate::default());
    let pieces = |size: u64, of: u64| (size as f64 / of as f64).ceil() as u64;
    if old.min == 0 {
        // Nothing is found between all characters.
        count.max = text.max.saturating_add(1);
        kept.max = text.max;
    } else if new.max <= old.min {
        kept.max = text.max;
    } else {
        count.max = pieces(text.max, old.min);
    }
    if old.max == 0 {
        count.min = text.min.saturating_add(1);
        kept.min = text.min;
    } else if old.max <= new.min {
        kept.min = text.min;
    } else {
        count.min = pieces(text.min, old.max);
    }
    count.times(new).plus(kept)
}
