//! How the connections of one client are shared out among the things that can become of them.

use std::net::IpAddr;
use std::rc::Rc;

use crate::api::Timestamp;
use crate::network::proxy::{Fraction, Share, common_divisor};
use crate::network::{Outcome, Reply, Response};

/// One of the things that become of a request that came to a proxy, with its part of all such requests.
pub(super) struct Part {
    pub(super) weight: u128,
    pub(super) reply: Reply,
}

/// The least number that both divide.
pub(super) fn common_multiple(a: u128, b: u128) -> u128 {
    a.checked_div(common_divisor(a, b)).unwrap_or(1).saturating_mul(b)
}

/// The replies of all parts, each with its share of the whole in the smallest numbers.
pub(super) fn shared_out(parts: Vec<(Fraction, Vec<Part>)>) -> Vec<Reply> {
    let sums = parts.iter().map(|(f, all)| {
        (f.denominator.saturating_mul(all.iter().map(|p| p.weight).sum::<u128>().max(1)), f.numerator)
    });
    let sums: Vec<(u128, u128)> = sums.collect();
    let whole = sums.iter().map(|(denominator, _)| *denominator).fold(1, common_multiple);
    let mut all: Vec<(u128, Reply)> = Vec::new();
    for ((denominator, numerator), (_, parts)) in sums.into_iter().zip(parts) {
        let each = whole.checked_div(denominator).unwrap_or(1).saturating_mul(numerator);
        all.extend(parts.into_iter().map(|p| (each.saturating_mul(p.weight), p.reply)));
    }
    let divisor = all.iter().fold(0, |d, (share, _)| common_divisor(*share, d)).max(1);
    let share = |share: u128| u32::try_from(share.checked_div(divisor).unwrap_or(0)).unwrap_or(u32::MAX);
    all.into_iter().map(|(parts, reply)| Reply { share: share(parts), ..reply }).collect()
}

/// What becomes of the requests that come to one server: it answers a part of them with an error if it is told to. The errors come last,
/// so that a proxy that asks somebody else after one of them finds the next endpoint behind it.
pub(super) fn with_errors(reply: Reply) -> Vec<Part> {
    let errors = match &reply.outcome {
        Outcome::Answered(response) => response.by.as_ref().and_then(|by| by.errors).zip(Some(response)),
        _ => None,
    };
    let Some((errors, response)) = errors else { return vec![Part { weight: 1, reply }] };
    let of_status = |status: u16, thousandths: u16| {
        let outcome = Outcome::Answered(Rc::new(Response { status, ..(**response).clone() }));
        Part { weight: thousandths.into(), reply: Reply { outcome, ..reply.clone() } }
    };
    let (failing, rate) = (errors.rate.thousandths.min(1000), errors.rate);
    let both = [of_status(errors.otherwise, 1000 - failing), of_status(rate.status, failing)];
    both.into_iter().filter(|part| part.weight > 0).collect()
}

/// What is drawn from the shares for a client. It follows from the client and the endpoints, and from when the client was remembered
/// last, if it ever was.
pub(super) fn drawn(shares: &[Share], client: IpAddr, last: Option<Timestamp>) -> Option<Share> {
    let of = |share: &&Share| match last {
        None => hash(&format!("{client} {}", share.verdict)),
        Some(last) => hash(&format!("{client} {} {}", share.verdict, last.as_nanosecond())),
    };
    shares.iter().max_by_key(of).cloned()
}

/// FNV-1a of a text.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
