//! Arithmetic that gives the same bits natively and in a browser.

/// The natural logarithm of a positive, finite number. It uses additions and multiplications only, because
/// the platform's own logarithm differs in the last bit between platforms, and scores are rounded from it.
/// The method is that of FreeBSD's `e_log.c`, which Go uses as well.
pub(crate) fn ln(x: f64) -> f64 {
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    const L: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    if x <= 0.0 || !x.is_finite() {
        return 0.0;
    }
    // x = f1 * 2^k with sqrt(2)/2 <= f1 < sqrt(2). Halving and doubling are exact.
    let (mut f1, mut k) = (x, 0.0);
    while f1 >= std::f64::consts::SQRT_2 {
        f1 /= 2.0;
        k += 1.0;
    }
    while f1 < std::f64::consts::FRAC_1_SQRT_2 {
        f1 *= 2.0;
        k -= 1.0;
    }
    let f = f1 - 1.0;
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let t1 = s2 * (L[0] + s4 * (L[2] + s4 * (L[4] + s4 * L[6])));
    let t2 = s4 * (L[1] + s4 * (L[3] + s4 * L[5]));
    let r = t1 + t2;
    let half = 0.5 * f * f;
    k * LN2_HI - ((half - (s * (half + r) + k * LN2_LO)) - f)
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_the_logarithm() {
        for n in 1..6000 {
            let x = f64::from(n);
            assert!((super::ln(x) - x.ln()).abs() < 1e-14 * x.ln().max(1.0), "{n}");
        }
    }
}
