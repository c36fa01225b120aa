//! What of a module moves to the second one, and what both share.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::{FuncType, Operator};

use crate::Result;
use crate::data;
use crate::emit::said;
use crate::module::{Module, References, operators, references};
use crate::points::Shape;
use crate::profile::Ran;
use crate::region::{self, Region};

/// The exported function that has the second module loaded: `src/main.rs` and `crates/worker/src/main.rs`.
pub const LOAD: &str = "steadyLoadSecond";
/// wasm-bindgen's export that runs `main`. Other exports that begin with two underscores are wasm-bindgen's
/// glue.
const START: &str = "__wbindgen_start";
/// A body of at most this many bytes is not worth a stub.
const SMALL: usize = 14;

/// What is known of the functions of a module, by their indexes.
pub trait Known {
    /// Whether a function is needed to open the page.
    fn opens(&self, function: u32) -> bool;
    /// What was reached of a function whose shape has this print; `None` if that is not known.
    fn ran(&self, function: u32, print: u32) -> Option<&Ran>;
}

/// How a module is cut.
pub struct Plan<'a> {
    /// The module.
    pub module: &'a Module<'a>,
    /// The functions that move to the second module.
    pub cold: BTreeSet<u32>,
    /// Those of them to which something in the first module refers.
    pub stubs: BTreeSet<u32>,
    /// The slots that the second module fills, each with its function.
    pub slots: BTreeMap<u32, u32>,
    /// The slot by which a stub calls its function.
    pub slot_of: BTreeMap<u32, u32>,
    /// The size of the table.
    pub table: u64,
    /// Functions of the first module that the second calls, with the names of their exports.
    pub shared: BTreeMap<u32, String>,
    /// The exported function that has the second module loaded.
    pub load: u32,
    /// The addresses of the data that moves.
    pub data: Vec<Range<u32>>,
    /// The functions that stay without some regions.
    pub without: BTreeMap<u32, Without<'a>>,
    /// All regions: the function, and which one of its own. As functions they have the indexes behind all others.
    pub regions: Vec<(u32, usize)>,
    /// The types of regions that no function has.
    pub types: Vec<FuncType>,
}

/// A function of which regions move.
pub struct Without<'a> {
    /// The function.
    pub shape: Shape<'a>,
    /// The regions, in order.
    pub regions: Vec<Region>,
    /// The number of the first one.
    pub first: usize,
}

impl<'a> Without<'a> {
    /// The instructions of the regions, or all others.
    pub fn operators(&self, of_regions: bool) -> Vec<Operator<'a>> {
        let moves = |at: usize| self.regions.iter().any(|r| (r.point.at..r.point.end).contains(&at));
        let all = self.shape.operators.iter().enumerate();
        all.filter(|(at, _)| moves(*at) == of_regions).map(|(_, operator)| operator.clone()).collect()
    }
}

impl<'a> Plan<'a> {
    /// Plans how a module is cut.
    pub fn new(module: &'a Module<'a>, linked: &data::References, known: &impl Known) -> Result<Self> {
        let load = module.exports.iter().find(|export| export.name == LOAD);
        let load = load.ok_or_else(|| format!("the module does not export `{LOAD}`"))?.index;
        if module.start.is_some() {
            // A start function would run before JavaScript can load the second module.
            return Err("the module has a start function".into());
        }
        let mut refers = BTreeMap::new();
        for (function, body) in module.defined() {
            refers.insert(function, references(&operators(body)?));
        }
        let (cold, pinned) = cold(module, &refers, load, known);
        let (mut without, mut regions) = (BTreeMap::new(), Vec::new());
        for (function, body) in module.defined().filter(|(f, _)| !cold.contains(f) && !pinned.contains(f)) {
            let shape = module.shape(function)?;
            let Some(ran) = known.ran(function, shape.print) else { continue };
            let of = region::regions(&shape, body, module.signature(function)?.1, |point| ran.has(point))?;
            if !of.is_empty() {
                let first = regions.len();
                regions.extend((0..of.len()).map(|number| (function, number)));
                without.insert(function, Without { shape, regions: of, first });
            }
        }
        let slots = module.slots()?;
        let leaves = &cold;
        let stay = module.defined().filter(|(function, _)| !leaves.contains(function));
        let reached = linked.reached(stay.map(|(function, body)| match without.get(&function) {
            Some(without) => Ok(without.operators(false)),
            None => operators(body),
        }))?;
        // What the functions of either module call.
        let (mut of_first, mut of_second) = (BTreeSet::new(), BTreeSet::new());
        for (function, refers) in &refers {
            match (without.get(function), cold.contains(function)) {
                (Some(without), _) => {
                    of_first.extend(references(&without.operators(false)).functions);
                    of_second.extend(references(&without.operators(true)).functions);
                }
                (None, false) => of_first.extend(&refers.functions),
                (None, true) => of_second.extend(&refers.functions),
            }
        }
        let mut stubs: BTreeSet<u32> = of_first;
        let known = slots.iter().filter(|(slot, _)| linked.needs(&reached, **slot));
        stubs.extend(known.map(|(_, function)| function));
        stubs.extend(
            module
                .exports
                .iter()
                .filter(|export| export.kind == wasmparser::ExternalKind::Func)
                .map(|export| export.index),
        );
        stubs.retain(|function| cold.contains(function));

        let mut slots: BTreeMap<u32, u32> =
            slots.into_iter().filter(|(_, function)| cold.contains(function)).collect();
        let mut slot_of: BTreeMap<u32, u32> =
            slots.iter().rev().map(|(slot, function)| (*function, *slot)).collect();
        let mut table = module.tables.first().ok_or("the module has no table")?.ty.initial;
        for function in &stubs {
            if !slot_of.contains_key(function) {
                let slot = u32::try_from(table).map_err(said)?;
                slot_of.insert(*function, slot);
                slots.insert(slot, *function);
                table += 1;
            }
        }
        let mut types: Vec<FuncType> = Vec::new();
        for number in 0..regions.len() {
            let (slot, function) =
                (u32::try_from(table).map_err(said)?, (module.functions.len() + number) as u32);
            slot_of.insert(function, slot);
            slots.insert(slot, function);
            table += 1;
        }
        for without in without.values() {
            for region in &without.regions {
                let ty = region.signature()?;
                if !module.types.contains(&ty) && !types.contains(&ty) {
                    types.push(ty);
                }
            }
        }
        let taken: BTreeSet<&str> = module.exports.iter().map(|export| export.name).collect();
        let mut names = (0..).map(short).filter(|name| !taken.contains(name.as_str()));
        let shared: BTreeSet<u32> =
            of_second.into_iter().filter(|function| !cold.contains(function)).collect();
        let shared = shared.into_iter().zip(&mut names).collect();
        let data = linked.unreached(&reached);
        Ok(Plan { module, cold, stubs, slots, slot_of, table, shared, load, data, without, regions, types })
    }

    /// The type of a region, among those of both modules.
    pub fn type_of(&self, region: &Region) -> Result<u32> {
        let ty = region.signature()?;
        let own = || self.types.iter().position(|t| *t == ty).map(|at| self.module.types.len() + 1 + at);
        let index = self.module.types.iter().position(|t| *t == ty).or_else(own);
        Ok(index.ok_or("a type that is not there")? as u32)
    }

    /// The index of the global that says whether the second module is loaded: it follows all others.
    pub fn loaded(&self) -> u32 {
        self.module.globals.len() as u32
    }

    /// A region by its function and its number there.
    pub fn region(&self, function: u32, number: usize) -> Result<(&Without<'a>, &Region)> {
        let without = self.without.get(&function).ok_or("a function without regions")?;
        Ok((without, without.regions.get(number).ok_or("a region that is not there")?))
    }
}

/// The functions that move: all that are not hot, except the one that has the second module loaded, those
/// that use segments by index, and those so small that a stub would not be smaller. And those that have to be whole in the first.
fn cold(
    module: &Module,
    refers: &BTreeMap<u32, References>,
    load: u32,
    known: &impl Known,
) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let mut cold: BTreeSet<u32> = refers
        .iter()
        .filter(|(function, refers)| !refers.segments && !known.opens(**function))
        .map(|(function, _)| *function)
        .collect();
    // These functions stay: what loading the second module runs, what JavaScript calls meanwhile to pass
    // objects and texts, and all that these can call.
    let glue = module.exports.iter().filter(|export| {
        export.kind == wasmparser::ExternalKind::Func && export.name.starts_with("__") && export.name != START
    });
    let mut ahead: Vec<u32> = glue.map(|export| export.index).chain([load]).collect();
    let mut stay = BTreeSet::new();
    while let Some(function) = ahead.pop() {
        if stay.insert(function) {
            cold.remove(&function);
            ahead.extend(refers.get(&function).into_iter().flat_map(|refers| &refers.functions));
        }
    }
    // The start function stays, too: it prepares the table of objects to pass, before anything else runs.
    for export in module.exports.iter().filter(|export| export.name == START) {
        cold.remove(&export.index);
        stay.insert(export.index);
    }
    // A small function that calls nothing that moves stays. Its callers come later in the module, or they move.
    for (function, body) in module.defined() {
        let stays = |refers: &References| refers.functions.is_disjoint(&cold);
        if body.range().len() <= SMALL && refers.get(&function).is_some_and(stays) {
            cold.remove(&function);
        }
    }
    (cold, stay)
}

/// The shortest names in order: a, b, … 9, aa, ba, …
fn short(mut number: u32) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut name = String::new();
    loop {
        let count = LETTERS.len() as u32;
        name.push(LETTERS.get((number % count) as usize).copied().map_or('_', char::from));
        number /= count;
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}
