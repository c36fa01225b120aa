//! Text: the standard library, `ext/strings.go` of cel-go (version 2), and Kubernetes' `find` and `findAll`.

use super::super::super::regexes::compile;
use super::super::meter::Meter;
use super::super::value::{Items, Value};
use super::super::{EvalError, EvalResult};
use super::convert::size;
use super::printf::printf;

fn out_of_range(at: i64) -> EvalError {
    EvalError::new(format!("index out of range: {at}"))
}

pub(super) fn global(function: &str, args: &[Value], meter: &mut Meter) -> Option<EvalResult> {
    match (function, args) {
        ("matches", [Value::String(_), Value::String(_)]) => member(function, args, meter),
        ("strings.quote", [Value::String(text)]) => Some(Ok(Value::string(&quote(text)))),
        // A key as a part of a path of a JSON patch (`k8s.io/apiserver/pkg/cel/library/jsonpatch.go`).
        ("jsonpatch.escapeKey", [Value::String(key)]) => {
            Some(Ok(Value::string(&key.replace('~', "~0").replace('/', "~1"))))
        }
        _ => None,
    }
}

pub(super) fn member(function: &str, args: &[Value], meter: &mut Meter) -> Option<EvalResult> {
    let (of, rest) = args.split_first()?;
    if function == "size" && rest.is_empty() {
        return size(of);
    }
    let Value::String(text) = of else { return None };
    let flag = |b: bool| Some(Ok(Value::Bool(b)));
    let string = |s: &str| Some(Ok(Value::string(s)));
    match (function, rest) {
        ("contains", [Value::String(part)]) => flag(text.contains(&**part)),
        ("startsWith", [Value::String(part)]) => flag(text.starts_with(&**part)),
        ("endsWith", [Value::String(part)]) => flag(text.ends_with(&**part)),
        ("matches", [Value::String(pattern)]) => {
            Some(compile(pattern).map(|r| Value::Bool(r.is_match(text))).map_err(EvalError::new))
        }
        ("find", [Value::String(pattern)]) => Some(match compile(pattern) {
            Ok(r) => Ok(Value::string(r.find(text).map_or("", |m| m.as_str()))),
            Err(why) => Err(EvalError::new(format!("Illegal regex: {why}"))),
        }),
        ("findAll", [Value::String(pattern)]) => Some(find_all(text, pattern, -1)),
        ("findAll", [Value::String(pattern), Value::Int(most)]) => Some(find_all(text, pattern, *most)),
        ("charAt", [Value::Int(at)]) => Some(char_at(text, *at)),
        ("indexOf", [Value::String(part)]) => Some(index_of(text, part, 0)),
        ("indexOf", [Value::String(part), Value::Int(from)]) => Some(index_of(text, part, *from)),
        ("lastIndexOf", [Value::String(part)]) => Some(last_index_of(text, part, None)),
        ("lastIndexOf", [Value::String(part), Value::Int(from)]) => {
            Some(last_index_of(text, part, Some(*from)))
        }
        ("lowerAscii", []) => string(&text.to_ascii_lowercase()),
        ("upperAscii", []) => string(&text.to_ascii_uppercase()),
        ("trim", []) => string(text.trim()),
        ("replace", [Value::String(old), Value::String(new)]) => Some(replace(text, old, new, -1, meter)),
        ("replace", [Value::String(old), Value::String(new), Value::Int(most)]) => {
            Some(replace(text, old, new, *most, meter))
        }
        ("split", [Value::String(by)]) => Some(Ok(split(text, by, -1))),
        ("split", [Value::String(by), Value::Int(most)]) => Some(Ok(split(text, by, *most))),
        ("substring", [Value::Int(start)]) => Some(substring(text, *start, None)),
        ("substring", [Value::Int(start), Value::Int(end)]) => Some(substring(text, *start, Some(*end))),
        ("format", [Value::List(list)]) => Some(printf(text, &list.items, meter).map(|s| Value::string(&s))),
        _ => None,
    }
}

fn find_all(text: &str, pattern: &str, most: i64) -> EvalResult {
    let regex = compile(pattern).map_err(|why| EvalError::new(format!("Illegal regex: {why}")))?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found: Items = regex.find_iter(text).take(most).map(|m| Value::string(m.as_str())).collect();
    Ok(Value::list(found))
}

fn char_at(text: &str, at: i64) -> EvalResult {
    let length = text.chars().count();
    let place = usize::try_from(at).ok().filter(|p| *p <= length).ok_or_else(|| out_of_range(at))?;
    Ok(Value::string(&text.chars().nth(place).map(String::from).unwrap_or_default()))
}

/// The byte at which a code point begins; the end of the text for the one behind the last.
fn byte_at(text: &str, place: usize) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(place)
}

fn place_of(text: &str, byte: usize) -> i64 {
    let place = text.get(..byte).map_or(0, |before| before.chars().count());
    i64::try_from(place).unwrap_or(i64::MAX)
}

fn index_of(text: &str, part: &str, from: i64) -> EvalResult {
    if part.is_empty() && (from == 0 || usize::try_from(from).is_ok_and(|f| f <= text.chars().count())) {
        return Ok(Value::Int(from));
    }
    // Behind the last code point there is nothing to find from.
    let start =
        usize::try_from(from).ok().and_then(|f| byte_at(text, f)).filter(|s| *s < text.len() || from == 0);
    let start = start.ok_or_else(|| out_of_range(from))?;
    let found = text.get(start..).and_then(|rest| rest.find(part));
    Ok(Value::Int(found.map_or(-1, |at| place_of(text, start + at))))
}

fn last_index_of(text: &str, part: &str, from: Option<i64>) -> EvalResult {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if part.is_empty() && from.is_none() {
        return Ok(Value::Int(length));
    }
    let Some(from) = from else {
        return Ok(Value::Int(text.rfind(part).map_or(-1, |at| place_of(text, at))));
    };
    if from < 0 || from >= length.max(1) {
        return Err(out_of_range(from));
    }
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    // The part begins at `from` at the latest.
    let start = usize::try_from(from).ok().and_then(|f| byte_at(text, f)).unwrap_or(text.len());
    let end = text.len().min(start.saturating_add(part.len()));
    let end = (end..=text.len()).find(|e| text.is_char_boundary(*e)).unwrap_or(text.len());
    let found = text.get(..end).and_then(|before| before.rfind(part)).filter(|at| *at <= start);
    Ok(Value::Int(found.map_or(-1, |at| place_of(text, at))))
}

fn replace(text: &str, old: &str, new: &str, most: i64, meter: &mut Meter) -> EvalResult {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let times = text.matches(old).take(most).count() as u64;
    meter.work(times.saturating_mul(new.len() as u64).saturating_add(text.len() as u64) / 8)?;
    Ok(Value::string(&text.replacen(old, new, most)))
}

fn split(text: &str, by: &str, most: i64) -> Value {
    let parts: Items = match usize::try_from(most) {
        Ok(0) => Items::new(),
        Ok(1) => Items::unit(Value::string(text)),
        // Between all code points, and not before the first.
        _ if by.is_empty() => {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let mut parts = Items::new();
            let mut rest = text.chars();
            while parts.len() + 1 < most
                && let Some(c) = rest.next()
            {
                parts.push_back(Value::string(c.encode_utf8(&mut [0; 4])));
            }
            if !rest.as_str().is_empty() {
                parts.push_back(Value::string(rest.as_str()));
            }
            parts
        }
        Ok(most) => text.splitn(most, by).map(Value::string).collect(),
        Err(_) => text.split(by).map(Value::string).collect(),
    };
    Value::list(parts)
}

fn substring(text: &str, start: i64, end: Option<i64>) -> EvalResult {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let last = end.unwrap_or(length);
    if end.is_some() && start > last {
        return Err(EvalError::new(format!("invalid substring range. start: {start}, end: {last}")));
    }
    for at in [start, last] {
        if !(0..=length).contains(&at) {
            return Err(out_of_range(at));
        }
    }
    let byte = |at: i64| usize::try_from(at).ok().and_then(|at| byte_at(text, at)).unwrap_or(text.len());
    Ok(Value::string(text.get(byte(start)..byte(last)).unwrap_or_default()))
}

/// Text in double quotes, as a literal.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
