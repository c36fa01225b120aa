//! Changes of inputs: of their text, and of the tree that it is.

use serde_json::{Map, Value};
use steady::api::yaml::{self, Limits};

use crate::dice::Dice;
use crate::hostile;

/// What the inputs of a target are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON.
    Json,
    /// Documents of YAML.
    Yaml,
    /// Text with words of a language.
    Text(&'static [&'static str]),
    /// Bytes of a binary format.
    Bytes,
}

/// The longest input that is changed further. Beside a long text nothing more would be found.
const LENGTH: usize = 200_000;

/// The longest input that is made: a little more than a request may have (`BODY_LIMIT` of the API server).
const LONGEST: usize = 3_300_000;

/// An input made of another one. `other` is a third one, for a part of it.
pub(crate) fn mutate(form: Form, input: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    if form == Form::Bytes {
        return bytes(input, other, dice);
    }
    let text = String::from_utf8_lossy(input);
    let text = if text.len() > LENGTH { "".into() } else { text };
    let times = 1 + dice.below(4);
    match form {
        Form::Json if !dice.once_in(8) => {
            if let Ok(mut tree) = serde_json::from_str::<Value>(&text) {
                let other = serde_json::from_slice(other).unwrap_or_default();
                (0..times).for_each(|_| change(&mut tree, &other, dice));
                let changed = tree.to_string().into_bytes();
                return if changed.len() <= LONGEST { changed } else { input.to_vec() };
            }
        }
        Form::Yaml if !dice.once_in(3) => {
            let read = |text: &str| yaml::documents(text, &Limits::default()).unwrap_or_default();
            let mut trees: Vec<Value> = read(&text).into_iter().map(|d| d.value).collect();
            if !trees.is_empty() {
                let others = read(&String::from_utf8_lossy(other));
                let other = others.into_iter().next().map_or(Value::Null, |d| d.value);
                for _ in 0..times {
                    let nth = dice.below(trees.len());
                    change(&mut trees[nth], &other, dice);
                }
                let written = |tree: &Value| {
                    if dice.once_in(6) { tree.to_string() } else { yaml::to_yaml(tree) }
                };
                let changed = trees.iter().map(written).collect::<Vec<_>>().join("\n---\n").into_bytes();
                return if changed.len() <= LONGEST { changed } else { input.to_vec() };
            }
        }
        _ => {}
    }
    let words = if let Form::Text(words) = form { words } else { &[] };
    let other = String::from_utf8_lossy(other);
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..times {
        edit(&mut text, &other, words, dice);
    }
    let mut bytes: Vec<u8> = text.into_iter().collect::<String>().into_bytes();
    if dice.once_in(40) && !bytes.is_empty() {
        let at = dice.below(bytes.len());
        bytes[at] = dice.below(256) as u8;
    }
    bytes
}

/// Bytes that are changed at some places.
fn bytes(input: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = input.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(out.len() + 1);
        let end = (at + dice.below(20)).min(out.len());
        match dice.below(6) {
            0 if at < out.len() => out[at] = dice.below(256) as u8,
            1 if at < out.len() => out[at] ^= 1 << dice.below(8),
            2 => out.truncate(at),
            3 => {
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(40)).min(other.len());
                out.splice(at..end, other[from..to].iter().copied());
            }
            4 => {
                // The longest number of the format, or a part of it.
                let longest = [0xff; 12];
                out.splice(at..end, longest.into_iter().take(dice.below(12)));
            }
            _ => {
                let piece: Vec<u8> = out[at..end].to_vec();
                let times = 1 << dice.below(10);
                out.splice(at..at, piece.repeat(times));
            }
        }
    }
    out
}

/// Changes a text at one place.
fn edit(text: &mut Vec<char>, other: &str, words: &[&str], dice: &mut Dice) {
    let at = dice.below(text.len() + 1);
    let longest = 1 << dice.below(8);
    let end = (at + dice.below(longest)).min(text.len());
    let put = |text: &mut Vec<char>, end: usize, piece: &str| {
        text.splice(at..end, piece.chars());
    };
    match dice.below(12) {
        0 => put(text, end, ""),
        1 => put(text, at, &hostile::word(dice)),
        2 => put(text, end, &hostile::word(dice)),
        3 | 4 if !words.is_empty() => {
            let word = *dice.pick(words);
            put(text, if dice.once_in(2) { at } else { end }, word);
        }
        5 => {
            // A piece of the text again, up to very often.
            let piece: String = text[at..end].iter().take(24).collect();
            let times = 1 << dice.below(12);
            put(text, at, &piece.repeat(times));
        }
        6 => {
            let other: Vec<char> = other.chars().collect();
            let from = dice.below(other.len() + 1);
            let to = (from + dice.below(60)).min(other.len());
            put(text, end, &other[from..to].iter().collect::<String>());
        }
        7 => text.truncate(at),
        8 => {
            // A number becomes another one.
            if let Some(at) = (at..text.len()).find(|i| text[*i].is_ascii_digit()) {
                let end = (at..text.len()).find(|i| !text[*i].is_ascii_digit()).unwrap_or(text.len());
                let number = *dice.pick(&[
                    "0",
                    "-1",
                    "1",
                    "9223372036854775807",
                    "1e999",
                    "007",
                    "2147483648",
                    "65536",
                ]);
                text.splice(at..end, number.chars());
            }
        }
        9 => {
            // A line moves, or stands twice.
            let start = text[..at].iter().rposition(|c| *c == '\n').map_or(0, |i| i + 1);
            let stop = text[at..].iter().position(|c| *c == '\n').map_or(text.len(), |i| at + i + 1);
            let line: Vec<char> = text[start..stop].to_vec();
            if dice.once_in(2) {
                text.drain(start..stop);
            }
            let to = dice.below(text.len() + 1);
            text.splice(to..to, line);
        }
        10 => {
            let c = char::from_u32(dice.below(0x3000) as u32).unwrap_or('\u{fffd}');
            put(text, at, &c.to_string());
        }
        _ => {
            let piece = *dice.pick(&[
                "(", "[", "{", "\"", "'", " ", "\n", "-", ":", ",", ".", "|", "&", "*", "!", "\\", "#", "$",
            ]);
            put(text, at, &piece.repeat(1 << dice.below(8)));
        }
    }
}

/// The number of values in a tree.
fn count(tree: &Value) -> usize {
    1 + match tree {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

/// The value with this number, in the order of the text.
fn nth<'t>(tree: &'t mut Value, n: &mut usize) -> Option<&'t mut Value> {
    if *n == 0 {
        return Some(tree);
    }
    *n -= 1;
    match tree {
        Value::Array(items) => items.iter_mut().find_map(|v| nth(v, n)),
        Value::Object(map) => map.values_mut().find_map(|v| nth(v, n)),
        _ => None,
    }
}

/// Changes a tree at one place.
fn change(tree: &mut Value, other: &Value, dice: &mut Dice) {
    let values = count(tree);
    // Small parts of another input, not the whole of it.
    let mut foreign = other.clone();
    let mut from = dice.below(count(&foreign));
    let foreign = nth(&mut foreign, &mut from).cloned().unwrap_or_default();
    let Some(place) = nth(tree, &mut dice.below(values)) else { return };
    if values > 20_000 {
        *place = Value::Null;
        return;
    }
    if dice.once_in(150) {
        return widen(place, dice);
    }
    match dice.below(14) {
        0..=3 => match place {
            Value::Object(map) if !map.is_empty() => in_map(map, foreign, dice),
            Value::Array(items) if !items.is_empty() => in_list(items, foreign, dice),
            Value::String(text) => in_text(text, dice),
            Value::Number(n) => {
                let near = n.as_i64().unwrap_or_default();
                let by = *dice.pick(&[1, -1, 10, 1 << 16, 1 << 31, 1 << 40]);
                *place = near.wrapping_add(by).into();
            }
            other => *other = hostile::value(dice),
        },
        4..=7 => *place = hostile::value(dice),
        8 | 9 => *place = foreign,
        10 => {
            let depth = 1 << dice.below(8);
            let map = dice.once_in(2).then(|| *dice.pick(hostile::KEYS));
            *place = hostile::nested(place.take(), depth, map);
        }
        11 => *place = Value::Null,
        _ => {
            // Something else of the same tree.
            let mut from = dice.below(values);
            if let Some(copy) = nth(tree, &mut from).cloned()
                && let Some(place) = nth(tree, &mut dice.below(values))
            {
                *place = copy;
            }
        }
    }
}

/// Makes a list or a map very long, with entries that are alike and not the same.
fn widen(place: &mut Value, dice: &mut Dice) {
    let times = 1 << (6 + dice.below(10));
    match place {
        Value::Array(items) if !items.is_empty() => {
            let one = items[dice.below(items.len())].clone();
            for n in 0..times {
                let mut another = one.clone();
                match &mut another {
                    Value::String(text) => text.push_str(&n.to_string()),
                    Value::Number(number) => {
                        another = (number.as_i64().unwrap_or_default().wrapping_add(n)).into()
                    }
                    Value::Object(map) => {
                        for value in map.values_mut() {
                            if let Value::String(text) = value {
                                text.push_str(&n.to_string());
                            }
                        }
                    }
                    _ => {}
                }
                items.push(another);
            }
        }
        Value::Object(map) if !map.is_empty() => {
            let (key, value) = map
                .iter()
                .nth(dice.below(map.len()))
                .map(|(k, v)| (k.clone(), v.clone()))
                .unwrap_or_default();
            if value.to_string().len() < 200 {
                map.extend((0..times).map(|n| (format!("{key}{n}"), value.clone())));
            }
        }
        other => *other = hostile::value(dice),
    }
}

fn in_map(map: &mut Map<String, Value>, foreign: Value, dice: &mut Dice) {
    let key = map.keys().nth(dice.below(map.len())).cloned().unwrap_or_default();
    match dice.below(5) {
        0 | 1 => drop(map.remove(&key)),
        2 => {
            let value = map.remove(&key).unwrap_or_default();
            map.insert((*dice.pick(hostile::KEYS)).to_owned(), value);
        }
        3 => drop(map.insert((*dice.pick(hostile::KEYS)).to_owned(), foreign)),
        _ => drop(map.insert(hostile::word(dice), hostile::value(dice))),
    }
}

fn in_list(items: &mut Vec<Value>, foreign: Value, dice: &mut Dice) {
    let at = dice.below(items.len());
    match dice.below(5) {
        0 => drop(items.remove(at)),
        1 => items.insert(at, foreign),
        2 => {
            let copy = items[at].clone();
            let times = 1 << dice.below(8);
            items.extend(std::iter::repeat_n(copy, times));
        }
        3 => {
            let to = dice.below(items.len());
            items.swap(at, to);
        }
        _ => items.insert(at, hostile::value(dice)),
    }
}

fn in_text(text: &mut String, dice: &mut Dice) {
    let mut chars: Vec<char> = text.chars().collect();
    edit(&mut chars, "", hostile::WORDS, dice);
    *text = chars.into_iter().collect();
}
