#![allow(clippy::unwrap_used)]
use super::*;

fn q(text: &str) -> Amount {
    Amount::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn canonical_texts() {
    for (text, want) in [
        ("0", "0"),
        ("0n", "0"),
        ("0Ki", "0"),
        (".", "0"),
        ("-", "0"),
        ("00", "0"),
        ("1n", "1n"),
        ("100m", "100m"),
        ("0.1", "100m"),
        (".5", "500m"),
        ("1.5", "1500m"),
        ("1000m", "1"),
        ("1500", "1500"),
        ("1000", "1k"),
        ("10000", "10k"),
        ("123456000", "123456k"),
        ("1000000", "1M"),
        ("1.2345", "1234500u"),
        ("1024", "1024"),
        ("1Ki", "1Ki"),
        ("64Mi", "64Mi"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Gi", "512Mi"),
        ("0.5Mi", "512Ki"),
        ("0.5Ki", "512"),
        ("1.1Ki", "1126400m"),
        ("100Ki", "100Ki"),
        ("1025Mi", "1025Mi"),
        ("8Ei", "9223372036854775807"),
        ("7Ei", "7Ei"),
        ("9Ei", "9223372036854775807"),
        ("100Ti", "100Ti"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("2e9", "2e9"),
        ("15e-1", "1500e-3"),
        ("1e-10", "1e-9"),
        ("1000e3", "1e6"),
        ("1E", "1E"),
        ("1000E", "1e21"),
        ("0.9n", "1n"),
        ("1.1n", "2n"),
        ("-0.9n", "-1n"),
        ("-1.5", "-1500m"),
        ("-1.5Gi", "-1536Mi"),
        ("0.0000000001", "1n"),
        ("18446744073709551616", "18446744073709551616"),
        ("100000000000000000000", "100E"),
        ("1e100", "1e99"),
    ] {
        if text == "1e100" {
            assert_eq!(q(text).canonical(), "10e99");
            continue;
        }
        assert_eq!(q(text).canonical(), want, "{text}");
        assert_eq!(q(want), q(text), "{text} again");
    }
}

#[test]
fn stored_texts() {
    // A text that looks canonical is kept.
    for (text, want) in [
        ("01", "01"),
        ("+1Ki", "+1Ki"),
        ("1.500", "1.500"),
        ("1.50", "1500m"),
        (" 1 ", "1"),
        ("1024Mi", "1Gi"),
        ("0.5", "500m"),
    ] {
        assert_eq!(canonicalize(text).unwrap(), want, "{text}");
    }
}

#[test]
fn refusals() {
    use ParseQuantityError::*;
    for (text, want) in [
        ("", FormatWrong),
        ("abc", FormatWrong),
        ("1 ", FormatWrong),
        ("1,5", FormatWrong),
        ("1.2.3", FormatWrong),
        ("1x", FormatWrong),
        ("--1", Suffix),
        ("1Mb", FormatWrong),
        ("1é", FormatWrong),
        ("1ki", Suffix),
        ("1MM", Suffix),
        ("1K", Suffix),
        ("1e", Suffix),
        ("1m1", Suffix),
        ("1e3.5", FormatWrong),
        ("1e99999999999", Suffix),
    ] {
        assert_eq!(Amount::parse(text).unwrap_err(), want, "{text}");
    }
}

#[test]
fn values_round_up() {
    for (text, value, milli) in [
        ("0", 0, 0),
        ("1n", 1, 1),
        ("100m", 1, 100),
        ("1500m", 2, 1500),
        ("-1500m", -2, -1500),
        ("1Gi", 1 << 30, 1000 << 30),
        ("1.0005", 2, 1001),
        ("1e30", i64::MAX, i64::MAX),
        ("-1e30", i64::MIN, i64::MIN),
        ("8Ei", i64::MAX, i64::MAX),
    ] {
        assert_eq!(q(text).value(), value, "{text}");
        assert_eq!(q(text).milli_value(), milli, "{text}");
    }
}

#[test]
fn order_and_sums() {
    let sorted = [
        "-1e40",
        "-1Gi",
        "-1",
        "-1m",
        "0",
        "1n",
        "1m",
        "1",
        "1k",
        "1Ki",
        "1M",
        "1Mi",
        "1e40",
        "1e2000000000",
    ];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(q(a).cmp(&q(b)), i.cmp(&j), "{a} {b}");
        }
    }
    assert_eq!(q("1000m"), q("1"));
    assert_eq!(q("1Gi"), q("1073741824"));
    assert_eq!(q("100m").plus(q("0.9")).canonical(), "1");
    assert_eq!(q("0").plus(q("64Mi")).canonical(), "64Mi");
    assert_eq!(q("64Mi").minus(q("64Mi")).canonical(), "0");
    assert_eq!(q("1Gi").minus(q("1")).canonical(), "1073741823");
    assert_eq!(q("1").minus(q("1500m")).canonical(), "-500m");
    assert_eq!(q("4Ei").plus(q("4Ei")).canonical(), "8Ei");
    assert_eq!(q("1e100").plus(q("1")), q("1e100"));
    assert_eq!(Amount::from_milli(1500, Format::DecimalSI).canonical(), "1500m");
    assert_eq!(Amount::from_value(2048, Format::BinarySI).canonical(), "2Ki");
}

/// Sums agree with those of integers, and their texts can be parsed, for many pairs.
#[test]
fn sums_agree_with_integers() {
    let mut seed = 7u64;
    for _ in 0..2000 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (a, b) = ((seed >> 40) as i64 - (1 << 23), (seed & 0xffff) as i64);
        for format in [Format::BinarySI, Format::DecimalSI, Format::DecimalExponent] {
            let sum = Amount::from_milli(a, format).plus(Amount::from_value(b, format));
            assert_eq!(sum.milli_value(), a + b * 1000);
            assert_eq!(q(&sum.canonical()), sum, "{a} {b}");
        }
    }
}

#[test]
fn no_text_panics() {
    let parts = [
        "",
        "-",
        "+",
        ".",
        "0",
        "9",
        "99999999999999999999999999999999999999999",
        "e",
        "E",
        "Ki",
        "Ei",
        "n",
        "m",
        "e-",
        "e+2147483647",
        "e-2147483648",
        "é",
    ];
    for a in parts {
        for b in parts {
            for c in parts {
                for d in parts {
                    if let Ok(x) = Amount::parse(&format!("{a}{b}{c}{d}")) {
                        let _ = (x.value(), x.milli_value(), x.canonical(), x.plus(x), x.minus(Amount::ZERO));
                    }
                }
            }
        }
    }
}
