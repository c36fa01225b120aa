//! The map in ARCHITECTURE.md: which room may use which others, and in which folders the modules may have
//! cycles.

use std::collections::BTreeMap;

/// The content of the block ```` ```arrows ````.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// The rooms that a room may use, by room.
    pub rooms: BTreeMap<String, Vec<String>>,
    /// The folders whose modules have cycles, for example `kubectl`.
    pub with_circles: Vec<String>,
}

/// Parses the block. A line is `room: the rooms it may use`, or `with circles: folders`.
pub fn read(text: &str) -> Result<Map, String> {
    let block = text.split("\n```arrows\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let mut map = Map::default();
    for line in block.ok_or("there is no block ```arrows")?.lines() {
        let (name, rest) = line.split_once(':').ok_or_else(|| format!("`{line}` has no colon"))?;
        let words = rest.split_whitespace().map(str::to_owned).collect();
        if name == "with circles" {
            map.with_circles = words;
        } else if map.rooms.insert(name.trim().to_owned(), words).is_some() {
            return Err(format!("{name} has two lines"));
        }
    }
    for (room, may) in &map.rooms {
        if let Some(unknown) = may.iter().find(|other| !map.rooms.contains_key(*other)) {
            return Err(format!("{room} may use {unknown}, which has no line"));
        }
    }
    match map.circle() {
        Some(room) => Err(format!("{room} may use itself by way of others")),
        None => Ok(map),
    }
}

impl Map {
    /// A room from which the map leads back to the room.
    fn circle(&self) -> Option<&String> {
        self.rooms.keys().find(|room| {
            let mut reached: Vec<&String> = Vec::new();
            let mut next: Vec<&String> = self.rooms.get(*room).into_iter().flatten().collect();
            while let Some(room) = next.pop() {
                if !reached.contains(&room) {
                    reached.push(room);
                    next.extend(self.rooms.get(room).into_iter().flatten());
                }
            }
            reached.contains(room)
        })
    }
}

#[test]
fn a_block_is_read() {
    let map = read("# A\n\n```arrows\napi:\netcd: api\nwith circles: etcd a/b\n```\n").expect("a map");
    assert_eq!(map.rooms.get("etcd"), Some(&vec!["api".to_owned()]));
    assert_eq!(map.with_circles, ["etcd", "a/b"]);
}

#[test]
fn a_map_with_a_circle_is_refused() {
    let read = |lines: &str| read(&format!("\n```arrows\n{lines}\n```\n"));
    assert_eq!(read("a: b\nb: a"), Err("a may use itself by way of others".into()));
    assert_eq!(read("a: b"), Err("a may use b, which has no line".into()));
    assert_eq!(read("a:\na:"), Err("a has two lines".into()));
    assert_eq!(super::map::read("no block"), Err("there is no block ```arrows".into()));
}
