//! Cutting a module into two that share memory, tables and globals.
//!
//! The *first* module has everything except the bodies of the functions that move to the second. Where it
//! calls one of these, or has it in a table or among its exports, it has a *stub*: the stub has the second
//! module loaded if that is not there yet, and calls the function by its slot of the table. The *second*
//! module imports what it needs from the first, and puts its functions into their slots when it is
//! instantiated. A function that had a slot before the cut keeps it, so it is called as directly as before,
//! and its address in Rust, which is the slot, does not change. Of a function that stays, what never ran moves as a function of its
//! own ([`crate::region`]). Data to which only the second module can refer moves with it ([`data`]).
//!
//! The choice of functions decides how large the first module is and how early the second is needed, but
//! never what is computed.

use std::collections::BTreeMap;
use std::ops::Range;

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind,
    ExportSection, Function, GlobalSection, GlobalType, ImportSection, Instruction, Module as Output,
    StartSection, TableSection, ValType,
};
use wasmparser::FunctionBody;

use crate::Result;
use crate::data;
use crate::emit::{self, Renumber, said};
use crate::module::Module;
use crate::plan::{Known, Plan, Without};
use crate::region::Region;

/// The name of the first module in the imports of the second.
const FIRST: &str = "first";
/// Data of at most this many bytes is not worth a segment.
const FEW: u32 = 16;

/// The two modules.
pub struct Parts {
    /// The functions that open the page, and stubs for others.
    pub first: Vec<u8>,
    /// The other functions.
    pub second: Vec<u8>,
    /// The number of functions that stay, the number that move, how many of these have stubs, and the number of regions.
    pub counts: [usize; 4],
}

/// Cuts a module.
pub fn cut(module: &Module, linked: &data::References, known: &impl Known) -> Result<Parts> {
    let plan = Plan::new(module, linked, known)?;
    let counts =
        [module.bodies.len() - plan.cold.len(), plan.cold.len(), plan.stubs.len(), plan.regions.len()];
    Ok(Parts { first: plan.first()?, second: plan.second()?, counts })
}

impl Plan<'_> {
    fn first(&self) -> Result<Vec<u8>> {
        let module = self.module;
        let hot: Vec<_> = module.defined().filter(|(function, _)| !self.cold.contains(function)).collect();
        let imported = module.imported();
        let order =
            (0..imported).chain(hot.iter().map(|(function, _)| *function)).chain(self.stubs.iter().copied());
        let mut functions = vec![None; module.functions.len()];
        let mut count = 0;
        for function in order.clone() {
            if let Some(new) = functions.get_mut(function as usize) {
                *new = Some(count);
            }
            count += 1;
        }
        // The function that checks whether the second module is loaded follows all others.
        let ready = count;
        let mut renumber = Renumber { functions };

        let mut output = Output::new();
        let (types, plain) = emit::types(module, &self.types)?;
        output.section(&types);
        output.section(&emit::imports(module)?);
        let mut of = Vec::new();
        for function in order.clone().skip(imported as usize) {
            of.push(module.signature(function)?.0);
        }
        output.section(&emit::functions(of.into_iter().chain([plain])));
        let mut tables = TableSection::new();
        for (number, table) in module.tables.iter().enumerate() {
            let mut table = table.clone();
            if number == 0 {
                let grown = self.table - table.ty.initial;
                table.ty.initial += grown;
                table.ty.maximum = table.ty.maximum.map(|maximum| maximum + grown);
            }
            renumber.parse_table(&mut tables, table).map_err(said)?;
        }
        output.section(&tables);
        output.section(&emit::memories(module)?);
        let mut globals = GlobalSection::new();
        for global in &module.globals {
            renumber.parse_global(&mut globals, global.clone()).map_err(said)?;
        }
        let flag = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(flag, &ConstExpr::i32_const(0));
        output.section(&globals);
        let mut exports = ExportSection::new();
        for export in &module.exports {
            renumber.parse_export(&mut exports, *export).map_err(said)?;
        }
        for (name, kind, number) in self.common() {
            exports.export(&name, kind, number);
        }
        for (function, name) in &self.shared {
            exports.export(name, ExportKind::Func, renumber.function_index(*function).map_err(said)?);
        }
        output.section(&exports);
        let mut elements = ElementSection::new();
        for (slot, run) in runs(&module.slots()?) {
            let new = |function| match self.cold.contains(&function) && !self.stubs.contains(&function) {
                // Nothing refers to this slot before the second module fills it.
                true => Ok(ready),
                false => renumber.function_index(function).map_err(said),
            };
            let functions = run.into_iter().map(new).collect::<Result<Vec<_>>>()?;
            elements.active(None, &ConstExpr::i32_const(slot as i32), Elements::Functions(functions.into()));
        }
        output.section(&elements);
        let mut code = CodeSection::new();
        for (function, body) in &hot {
            code.function(&match self.without.get(function) {
                Some(without) => self.rest(without, body, &mut renumber, ready)?,
                None => renumber.body(body)?,
            });
        }
        for function in &self.stubs {
            code.function(&self.stub(*function, ready)?);
        }
        code.function(&self.ready(renumber.function_index(self.load).map_err(said)?));
        output.section(&code);
        output.section(&self.first_data()?);
        let names = (0..).zip(order).map(|(new, function)| {
            let kind = if self.stubs.contains(&function) { "stub " } else { "" };
            (new, format!("{kind}{}", module.name(function)))
        });
        emit::custom(&mut output, module, names);
        Ok(output.finish())
    }

    /// A function without its regions.
    fn rest(
        &self,
        of: &Without<'_>,
        body: &FunctionBody<'_>,
        renumber: &mut Renumber,
        ready: u32,
    ) -> Result<Function> {
        let mut locals = Vec::new();
        for run in body.get_locals_reader()? {
            let (count, ty) = run?;
            locals.push((count, renumber.val_type(ty).map_err(said)?));
        }
        let mut extra = of.regions.first().map_or(0, Region::locals);
        for region in &of.regions {
            locals.extend(region.extra(renumber)?.map(|ty| (1, ty)));
        }
        let mut function = Function::new(locals);
        let mut regions = of.regions.iter().zip(of.first..).peekable();
        let mut skip = 0;
        for (at, operator) in of.shape.operators.iter().enumerate() {
            if let Some((region, number)) = regions.next_if(|(region, _)| region.point.at == at) {
                let slot = self.slot_of.get(&((self.module.functions.len() + number) as u32));
                let slot = *slot.ok_or("a region without a slot")?;
                region.call(&mut function, [ready, slot, self.type_of(region)?, extra]);
                extra += 2;
                skip = region.point.end;
            }
            if at >= skip {
                function.instruction(&renumber.instruction(operator.clone()).map_err(said)?);
            }
        }
        Ok(function)
    }

    /// A stub: calls the function in its slot with the same arguments.
    fn stub(&self, function: u32, ready: u32) -> Result<Function> {
        let (type_index, signature) = self.module.signature(function)?;
        let slot = *self.slot_of.get(&function).ok_or("a stub without a slot")?;
        let mut stub = Function::new([]);
        stub.instruction(&Instruction::Call(ready));
        for parameter in 0..signature.params().len() as u32 {
            stub.instruction(&Instruction::LocalGet(parameter));
        }
        stub.instruction(&Instruction::I32Const(slot as i32));
        stub.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
        stub.instruction(&Instruction::End);
        Ok(stub)
    }

    /// The function that has the second module loaded if it is not. If loading fails it does not return,
    /// because JavaScript throws.
    fn ready(&self, load: u32) -> Function {
        let mut ready = Function::new([]);
        for instruction in [
            Instruction::GlobalGet(self.loaded()),
            Instruction::I32Eqz,
            Instruction::If(BlockType::Empty),
            Instruction::Call(load),
            Instruction::GlobalGet(self.loaded()),
            Instruction::I32Eqz,
            Instruction::If(BlockType::Empty),
            Instruction::Unreachable,
            Instruction::End,
            Instruction::End,
            Instruction::End,
        ] {
            ready.instruction(&instruction);
        }
        ready
    }

    /// What both modules share beside functions, with the names under which the first exports it.
    fn common(&self) -> Vec<(String, ExportKind, u32)> {
        let numbered = |letter: char, kind, count: usize| {
            (0..count as u32).map(move |number| (format!("{letter}.{number}"), kind, number))
        };
        numbered('m', ExportKind::Memory, self.module.memories.len())
            .chain(numbered('t', ExportKind::Table, self.module.tables.len()))
            .chain(numbered('g', ExportKind::Global, self.module.globals.len() + 1))
            .collect()
    }

    fn second(&self) -> Result<Vec<u8>> {
        let module = self.module;
        let apart = (module.functions.len() as u32..).take(self.regions.len());
        let order = self.shared.keys().chain(&self.cold).copied().chain(apart);
        let mut functions = vec![None; module.functions.len() + self.regions.len()];
        for (new, function) in (0..).zip(order.clone()) {
            if let Some(place) = functions.get_mut(function as usize) {
                *place = Some(new);
            }
        }
        let mut renumber = Renumber { functions };

        let mut output = Output::new();
        let (types, plain) = emit::types(module, &self.types)?;
        output.section(&types);
        output.section(&self.second_imports(&mut renumber)?);
        let mut of = Vec::new();
        for function in &self.cold {
            of.push(module.signature(*function)?.0);
        }
        for (function, number) in &self.regions {
            of.push(self.type_of(self.region(*function, *number)?.1)?);
        }
        output.section(&emit::functions(of.into_iter().chain([plain])));
        let start = (self.shared.len() + self.cold.len() + self.regions.len()) as u32;
        output.section(&StartSection { function_index: start });
        let mut elements = ElementSection::new();
        for (slot, run) in runs(&self.slots) {
            let mut numbers = Vec::new();
            for function in run {
                numbers.push(renumber.function_index(function).map_err(said)?);
            }
            let at = ConstExpr::i32_const(slot as i32);
            elements.active(None, &at, Elements::Functions(numbers.into()));
        }
        output.section(&elements);
        let mut code = CodeSection::new();
        for (_, body) in module.defined().filter(|(function, _)| self.cold.contains(function)) {
            code.function(&renumber.body(body)?);
        }
        for (function, number) in &self.regions {
            let (without, region) = self.region(*function, *number)?;
            code.function(&region.function(&without.shape, &mut renumber)?);
        }
        let mut loaded = Function::new([]);
        loaded.instruction(&Instruction::I32Const(1));
        loaded.instruction(&Instruction::GlobalSet(self.loaded()));
        loaded.instruction(&Instruction::End);
        code.function(&loaded);
        output.section(&code);
        output.section(&self.second_data()?);
        let name = |function: u32| match self
            .regions
            .get((function as usize).wrapping_sub(module.functions.len()))
        {
            Some((of, number)) => format!("{} {number}", module.name(*of)),
            None => module.name(function).to_owned(),
        };
        emit::custom(&mut output, module, (0..).zip(order.map(name)));
        Ok(output.finish())
    }

    /// All data, with zeros for what moves: `wasm-opt` removes them.
    fn first_data(&self) -> Result<DataSection> {
        let mut data = DataSection::new();
        for (start, bytes) in self.module.memory()? {
            let mut bytes = bytes.to_vec();
            for range in self.leaving(start, &bytes) {
                bytes.get_mut(range).ok_or("data beyond its segment")?.fill(0);
            }
            data.active(0, &ConstExpr::i32_const(start as i32), bytes);
        }
        Ok(data)
    }

    fn second_data(&self) -> Result<DataSection> {
        let mut data = DataSection::new();
        for (start, bytes) in self.module.memory()? {
            for range in self.leaving(start, bytes) {
                let at = ConstExpr::i32_const((start as usize + range.start) as i32);
                data.active(0, &at, bytes.get(range).ok_or("data beyond its segment")?.iter().copied());
            }
        }
        Ok(data)
    }

    /// The parts of a segment that move. Parts smaller than the overhead of a segment stay.
    fn leaving(&self, start: u32, bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        let end = start + bytes.len() as u32;
        let within = |range: &Range<u32>| range.start.max(start)..range.end.min(end);
        let apart = self.data.iter().map(within).filter(|range| range.end >= range.start + FEW);
        apart.map(|range| (range.start - start) as usize..(range.end - start) as usize).collect()
    }

    fn second_imports(&self, renumber: &mut Renumber) -> Result<ImportSection> {
        let module = self.module;
        let mut imports = ImportSection::new();
        for (function, name) in &self.shared {
            imports.import(FIRST, name, EntityType::Function(module.signature(*function)?.0));
        }
        for (name, kind, number) in self.common() {
            let at = number as usize;
            let entity = match kind {
                ExportKind::Memory => {
                    let memory = module.memories.get(at).ok_or("a memory that is not there")?;
                    EntityType::Memory(renumber.memory_type(*memory).map_err(said)?)
                }
                ExportKind::Table => {
                    let mut table = module.tables.get(at).ok_or("a table that is not there")?.ty;
                    if at == 0 {
                        let grown = self.table - table.initial;
                        table.initial += grown;
                        table.maximum = table.maximum.map(|maximum| maximum + grown);
                    }
                    EntityType::Table(renumber.table_type(table).map_err(said)?)
                }
                _ => EntityType::Global(match module.globals.get(at) {
                    Some(global) => renumber.global_type(global.ty).map_err(said)?,
                    None => GlobalType { val_type: ValType::I32, mutable: true, shared: false },
                }),
            };
            imports.import(FIRST, &name, entity);
        }
        Ok(imports)
    }
}

/// Groups consecutive slots: the first slot, and the functions in order.
fn runs(slots: &BTreeMap<u32, u32>) -> Vec<(u32, Vec<u32>)> {
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (slot, function) in slots {
        match runs.last_mut() {
            Some((first, run)) if *first + run.len() as u32 == *slot => run.push(*function),
            _ => runs.push((*slot, vec![*function])),
        }
    }
    runs
}
