//! Which code and data refer to which data, as the linker reports it (`--emit-relocs`), and therefore which
//! data can move with the functions that move.
//!
//! The linker has written every constant in the code that is an address, so all of them are known. Whatever
//! the first module's code can reach, by addresses in its code and by those in the data that it reaches,
//! stays in the first module; only the second module can have the address of any other data. The same holds
//! for functions whose slot in the table is only in such data: nothing can call them before the second
//! module is loaded, so they need no stub.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::Range;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasmparser::{
    BinaryReader, KnownCustom, Linking, MemArg, Operator, Parser, Payload, RelocSectionReader,
    RelocationType, SymbolInfo,
};

use crate::Result;
use crate::emit::said;
use crate::module::constant;

/// What the linker knows about addresses.
#[derive(Default)]
pub struct References {
    /// The range of addresses of each data symbol.
    symbols: BTreeMap<u32, Range<u32>>,
    /// Constants in code that are addresses, with the symbols that they are addresses of.
    addresses: BTreeMap<u32, BTreeSet<u32>>,
    /// The symbols whose addresses are in a symbol's data.
    data: BTreeMap<u32, BTreeSet<u32>>,
    /// Constants in code that are slots of functions in the table.
    slots: BTreeSet<u32>,
    /// The slots that are in a symbol's data.
    data_slots: BTreeMap<u32, BTreeSet<u32>>,
    /// Every slot that the linker knows. A function in any other slot can be called from anywhere.
    known: BTreeSet<u32>,
}

/// The symbols and slots that code reaches by its addresses.
#[derive(Default)]
pub struct Reached {
    symbols: BTreeSet<u32>,
    slots: BTreeSet<u32>,
}

impl References {
    /// Reads the linker's relocations, before any tool has changed the module. Empty if the linker was not
    /// asked for them.
    pub fn read(linked: &[u8]) -> Result<Self> {
        let mut found = References::default();
        // Sections are counted in order. Relocations name a section by its number.
        let (mut sections, mut code, mut data) = (0, None, None);
        let mut segments = Vec::new();
        let mut symbols = BTreeMap::new();
        let mut relocations: Vec<RelocSectionReader> = Vec::new();
        for payload in Parser::new(0).parse_all(linked) {
            let payload = payload?;
            match &payload {
                Payload::CodeSectionStart { range, .. } => code = Some((sections, range.clone())),
                Payload::DataSection(section) => {
                    data = Some((sections, section.range()));
                    for segment in section.clone() {
                        let segment = segment?;
                        let wasmparser::DataKind::Active { offset_expr, .. } = segment.kind else {
                            return Err("a data segment that is not active".into());
                        };
                        // The range of the segment's bytes in the file, and its address in memory.
                        let end = segment.range.end;
                        segments.push((end - segment.data.len()..end, constant(&offset_expr)?));
                    }
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => {
                        for part in linking.subsections() {
                            let Linking::SymbolTable(table) = part? else { continue };
                            for (number, symbol) in (0u32..).zip(table) {
                                if let SymbolInfo::Data { symbol: Some(at), .. } = symbol? {
                                    symbols.insert(number, at);
                                }
                            }
                        }
                    }
                    KnownCustom::Reloc(section) => relocations.push(section),
                    _ => {}
                },
                _ => {}
            }
            // The code section is counted at its start; its functions are not sections.
            sections += u32::from(payload.as_section().is_some());
        }
        for (number, at) in symbols {
            if let Some((_, start)) = segments.get(at.index as usize) {
                found.symbols.insert(number, start + at.offset..start + at.offset + at.size);
            }
        }
        for section in relocations {
            let of = |part: &Option<(u32, Range<usize>)>| {
                part.as_ref()
                    .filter(|(number, _)| *number == section.section_index())
                    .map(|(_, range)| range.start)
            };
            if let Some(start) = of(&code) {
                found.in_code(linked, &section, start)?;
            } else if let Some(start) = of(&data) {
                found.in_data(linked, &section, start, &segments)?;
            }
        }
        Ok(found)
    }

    fn in_code(&mut self, linked: &[u8], section: &RelocSectionReader, start: usize) -> Result<()> {
        for entry in section.entries() {
            let entry = entry?;
            let at = linked.get(start + entry.offset as usize..).ok_or("a relocation beyond the end")?;
            let mut reader = BinaryReader::new(at, 0);
            match entry.ty {
                RelocationType::MemoryAddrLeb => {
                    self.addresses.entry(reader.read_var_u32()?).or_default().insert(entry.index);
                }
                RelocationType::MemoryAddrSleb => {
                    self.addresses.entry(reader.read_var_i32()? as u32).or_default().insert(entry.index);
                }
                RelocationType::TableIndexSleb => {
                    let slot = reader.read_var_i32()? as u32;
                    self.slots.insert(slot);
                    self.known.insert(slot);
                }
                RelocationType::FunctionIndexLeb
                | RelocationType::TypeIndexLeb
                | RelocationType::GlobalIndexLeb
                | RelocationType::TableNumberLeb
                | RelocationType::EventIndexLeb => {}
                other => return Err(format!("a relocation of code that is not known here: {other:?}").into()),
            }
        }
        Ok(())
    }

    fn in_data(
        &mut self,
        linked: &[u8],
        section: &RelocSectionReader,
        start: usize,
        segments: &[(Range<usize>, u32)],
    ) -> Result<()> {
        let mut by_address: Vec<(u32, u32)> =
            self.symbols.iter().map(|(s, range)| (range.start, *s)).collect();
        by_address.sort_unstable();
        for entry in section.entries() {
            let entry = entry?;
            let at = start + entry.offset as usize;
            let bytes = linked.get(at..at + 4).ok_or("a relocation beyond the end")?;
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            let address = segments.iter().find(|(file, _)| file.contains(&at));
            let address = address.map(|(file, memory)| memory + (at - file.start) as u32);
            let address = address.ok_or("a relocation outside of all data")?;
            // Several symbols can begin at one address: aliases, and symbols without a size.
            let until = by_address.partition_point(|(start, _)| *start <= address);
            let holds = |symbol: &u32| self.symbols.get(symbol).is_some_and(|range| range.contains(&address));
            let holders: Vec<u32> =
                by_address.iter().take(until).rev().take(64).map(|(_, s)| *s).filter(holds).collect();
            if holders.is_empty() {
                return Err("a relocation in no symbol's data".into());
            }
            for symbol in holders {
                match entry.ty {
                    RelocationType::MemoryAddrI32 => {
                        self.data.entry(symbol).or_default().insert(entry.index);
                    }
                    RelocationType::TableIndexI32 => {
                        self.data_slots.entry(symbol).or_default().insert(value);
                        self.known.insert(value);
                    }
                    other => {
                        return Err(format!("a relocation of data that is not known here: {other:?}").into());
                    }
                }
            }
        }
        Ok(())
    }

    /// The symbols and slots that the instructions of some functions reach.
    pub fn reached<'a>(&self, of: impl Iterator<Item = Result<Vec<Operator<'a>>>>) -> Result<Reached> {
        let mut reached = Reached::default();
        let mut ahead: Vec<u32> = Vec::new();
        let mut constants = Constants::default();
        for operators in of {
            for operator in operators? {
                for constant in constants.of(operator)? {
                    ahead.extend(self.addresses.get(&constant).into_iter().flatten());
                    if self.slots.contains(&constant) {
                        reached.slots.insert(constant);
                    }
                }
            }
        }
        while let Some(symbol) = ahead.pop() {
            if reached.symbols.insert(symbol) {
                ahead.extend(self.data.get(&symbol).into_iter().flatten());
                reached.slots.extend(self.data_slots.get(&symbol).into_iter().flatten());
            }
        }
        Ok(reached)
    }

    /// Whether something that was reached refers to this slot, or the linker does not know the slot.
    pub fn needs(&self, reached: &Reached, slot: u32) -> bool {
        !self.known.contains(&slot) || reached.slots.contains(&slot)
    }

    /// The addresses to which nothing that was reached can refer, as ranges in order.
    pub fn unreached(&self, reached: &Reached) -> Vec<Range<u32>> {
        let ranges = |of: bool| {
            let mut ranges: Vec<Range<u32>> = self
                .symbols
                .iter()
                .filter(|(symbol, range)| reached.symbols.contains(symbol) == of && !range.is_empty())
                .map(|(_, range)| range.clone())
                .collect();
            ranges.sort_unstable_by_key(|range| range.start);
            merged(ranges)
        };
        without(ranges(false), &ranges(true))
    }
}

/// Collects the constants in operators that may be addresses.
#[derive(Default)]
struct Constants(Vec<u32>);

impl Reencode for Constants {
    type Error = Infallible;

    /// Every load and store has its offset here.
    fn mem_arg(&mut self, arg: MemArg) -> std::result::Result<wasm_encoder::MemArg, Error<Infallible>> {
        self.0.push(arg.offset as u32);
        utils::mem_arg(self, arg)
    }
}

impl Constants {
    fn of(&mut self, operator: Operator) -> Result<std::vec::Drain<'_, u32>> {
        if let Operator::I32Const { value } = operator {
            self.0.push(value as u32);
        }
        self.instruction(operator).map_err(said)?;
        Ok(self.0.drain(..))
    }
}

fn merged(ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    let mut out: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// `ranges` without what `taken` covers. Both are in order and do not overlap.
fn without(ranges: Vec<Range<u32>>, taken: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut out = Vec::new();
    for range in ranges {
        let mut start = range.start;
        let from = taken.partition_point(|t| t.end <= range.start);
        for t in taken.iter().skip(from).take_while(|t| t.start < range.end) {
            if start < t.start {
                out.push(start..t.start);
            }
            start = start.max(t.end);
        }
        if start < range.end {
            out.push(start..range.end);
        }
    }
    out
}
