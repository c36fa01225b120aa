//! What never ran of a function that did: a *region*, the rest of a body from one of its [`Point`]s on, becomes a function of the
//! second module.
//!
//! In its place the first module calls that function, hands it the locals that the region reads, and gets back those that are read
//! behind it, with the number of the way by which the region was left: a branch out of it is a branch behind the call.

use std::collections::BTreeMap;

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{BlockType, Function, Instruction, ValType};
use wasmparser::{FuncType, FunctionBody, Operator};

use crate::Result;
use crate::emit::{Renumber, said};
use crate::live;
use crate::points::{Frame, Point, Shape};

/// A way out of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// By going on, where the body is a loop's; elsewhere that is a branch to the body's label.
    Fall,
    /// To a label, counted from the region's body outwards.
    Label(u32),
    /// Out of the function.
    Return,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// Where it is.
    pub point: Point,
    /// The locals that it reads as they were set before it, which are its parameters.
    params: Vec<u32>,
    /// The locals that it sets and that are read behind it.
    writes: Vec<u32>,
    exits: Vec<Exit>,
    /// The types of the function's own results, if the region can return.
    returns: Vec<wasmparser::ValType>,
    /// The types of all locals of the function.
    locals: Vec<wasmparser::ValType>,
}

/// What a call of a region costs beside its parameters and results, in bytes: a smaller region is not worth it.
const WORTH: usize = 24;

/// The locals of a function with their types, its parameters first.
fn locals(body: &FunctionBody<'_>, signature: &FuncType) -> Result<Vec<wasmparser::ValType>> {
    let mut locals = signature.params().to_vec();
    for run in body.get_locals_reader()? {
        let (count, ty) = run?;
        locals.extend(std::iter::repeat_n(ty, count as usize));
    }
    Ok(locals)
}

/// The regions of a function. `ran` says whether a place was ever reached.
pub fn regions(
    shape: &Shape<'_>,
    body: &FunctionBody<'_>,
    signature: &FuncType,
    ran: impl Fn(usize) -> bool,
) -> Result<Vec<Region>> {
    let locals = locals(body, signature)?;
    let (mut chosen, mut exits, mut passed): (Vec<Point>, Vec<Vec<Exit>>, usize) = Default::default();
    for (number, point) in shape.points.iter().enumerate() {
        if point.at < passed || ran(number) || shape.bytes(point.at, point.end) < WORTH {
            continue;
        }
        if let Some(found) = ways_out(shape, point, signature)? {
            passed = point.end;
            chosen.push(*point);
            exits.push(found);
        }
    }
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let mut regions = Vec::new();
    for ((point, exits), around) in chosen.iter().zip(exits).zip(live::around(shape, &chosen)?) {
        let mut sets: Vec<u32> = within(shape, point)
            .iter()
            .filter_map(|operator| match operator {
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => Some(*local_index),
                _ => None,
            })
            .collect();
        sets.sort_unstable();
        sets.dedup();
        let writes: Vec<u32> = sets.into_iter().filter(|local| around.after.has(*local)).collect();
        // What only some ways set is handed back as it was handed over.
        let params: Vec<u32> = around.before.iter().collect();
        let cost = WORTH + 2 * params.len() + 3 * writes.len() + 2 * exits.len();
        if params.len() + writes.len() <= MOST && shape.bytes(point.at, point.end) >= cost {
            let returns =
                if exits.contains(&Exit::Return) { signature.results().to_vec() } else { Vec::new() };
            regions.push(Region { point: *point, params, writes, exits, returns, locals: locals.clone() });
        }
    }
    Ok(regions)
}

/// The most locals that go over.
const MOST: usize = 60;

fn within<'s, 'a>(shape: &'s Shape<'a>, point: &Point) -> &'s [Operator<'a>] {
    shape.operators.get(point.at..point.end).unwrap_or_default()
}

/// By which ways a region is left; `None` if it cannot be taken out.
fn ways_out(shape: &Shape<'_>, point: &Point, signature: &FuncType) -> Result<Option<Vec<Exit>>> {
    // Whether the labels outside of the region take values, from the innermost outwards.
    let mut around = Vec::new();
    for at in 0..point.at {
        match shape.operators.get(at) {
            Some(Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. }) => {
                around.push(shape.typed.get(at).copied().unwrap_or(true));
            }
            Some(Operator::End) => {
                around.pop();
            }
            _ => {}
        }
    }
    if around.len() != point.depth {
        return Err("a place is in other bodies than it was".into());
    }
    around.reverse();
    let results = signature.results();
    if results.len() > 1 || point.falls && point.results {
        return Ok(None);
    }
    let mut exits: Vec<Exit> = Vec::new();
    let mut add = |exit: Exit| {
        if !exits.contains(&exit) {
            exits.push(exit);
        }
    };
    // What a branch to a label outside is, if it can be one behind the call. Only `br` can be a return with a value.
    let out = |label: u32, plain: bool| match around.get(label as usize) {
        Some(false) => Some(Exit::Label(label)),
        Some(true) => None,
        None => (plain || results.is_empty()).then_some(Exit::Return),
    };
    let mut depth = 0;
    for operator in within(shape, point) {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
            Operator::End => depth -= 1,
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth }
                if *relative_depth >= depth =>
            {
                let plain = matches!(operator, Operator::Br { .. });
                let Some(exit) = out(relative_depth - depth, plain) else { return Ok(None) };
                add(exit);
            }
            Operator::BrTable { targets } => {
                let all: Vec<u32> = targets.targets().collect::<std::result::Result<_, _>>()?;
                for target in all.into_iter().chain([targets.default()]).filter(|target| *target >= depth) {
                    let Some(exit) = out(target - depth, false) else { return Ok(None) };
                    add(exit);
                }
            }
            Operator::Return => add(Exit::Return),
            Operator::MemoryInit { .. }
            | Operator::DataDrop { .. }
            | Operator::TableInit { .. }
            | Operator::ElemDrop { .. }
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. }
            | Operator::BrOnNull { .. }
            | Operator::BrOnNonNull { .. }
            | Operator::TryTable { .. } => return Ok(None),
            _ => {}
        }
    }
    if point.falls {
        add(match point.frame {
            Frame::Function => Exit::Return,
            Frame::Block => Exit::Label(0),
            Frame::Loop => Exit::Fall,
        });
    }
    // A way that needs a block of its own behind the call: one of them at most.
    let own = exits.iter().filter(|exit| match exit {
        Exit::Fall => true,
        Exit::Label(_) => false,
        Exit::Return => !results.is_empty(),
    });
    let can_be = exits.len() == 1 || own.count() <= 1;
    let simple = |ty: &wasmparser::ValType| !matches!(ty, wasmparser::ValType::Ref(_));
    Ok((can_be && results.iter().all(simple)).then_some(exits))
}

impl Region {
    /// How many locals its function has.
    pub fn locals(&self) -> u32 {
        self.locals.len() as u32
    }

    /// Its signature as a function.
    pub fn signature(&self) -> Result<FuncType> {
        let ty = |local: &u32| self.locals.get(*local as usize).copied().ok_or("a local without a type");
        let params: Vec<_> = self.params.iter().map(ty).collect::<std::result::Result<_, _>>()?;
        let number = (self.exits.len() > 1).then_some(wasmparser::ValType::I32);
        let writes: Vec<_> = self.writes.iter().map(ty).collect::<std::result::Result<_, _>>()?;
        let results = number.into_iter().chain(self.returns.iter().copied()).chain(writes);
        Ok(FuncType::new(params, results.collect::<Vec<_>>()))
    }

    /// The types of two locals that its caller needs: for the number of a way, and for what the function returns.
    pub fn extra(&self, same: &mut Renumber) -> Result<[ValType; 2]> {
        let returns = self.returns.first().map_or(Ok(ValType::I32), |ty| same.val_type(*ty)).map_err(said)?;
        Ok([ValType::I32, returns])
    }

    /// Writes what stands in its place: `ready` has the second module there, `slot` is that of its function, whose type is
    /// `type_index`, and `extra` is the first of two more locals.
    pub fn call(&self, into: &mut Function, [ready, slot, type_index, extra]: [u32; 4]) {
        into.instruction(&Instruction::Call(ready));
        for local in &self.params {
            into.instruction(&Instruction::LocalGet(*local));
        }
        into.instruction(&Instruction::I32Const(slot as i32));
        into.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
        for local in self.writes.iter().rev() {
            into.instruction(&Instruction::LocalSet(*local));
        }
        let function = self.point.depth as u32;
        match self.exits.as_slice() {
            [] => {
                into.instruction(&Instruction::Unreachable);
            }
            [Exit::Label(0)] if self.point.frame != Frame::Loop => {}
            [Exit::Fall] => {}
            [Exit::Label(label)] => {
                into.instruction(&Instruction::Br(*label));
            }
            [Exit::Return] => {
                into.instruction(&Instruction::Return);
            }
            several => {
                let (number, returned) = (extra, extra + 1);
                if !self.returns.is_empty() {
                    into.instruction(&Instruction::LocalSet(returned));
                }
                let own = |exit: &Exit| match exit {
                    Exit::Fall => true,
                    Exit::Label(_) => false,
                    Exit::Return => !self.returns.is_empty(),
                };
                let wraps = several.iter().any(own);
                if wraps {
                    into.instruction(&Instruction::LocalSet(number));
                    into.instruction(&Instruction::Block(BlockType::Empty));
                    into.instruction(&Instruction::LocalGet(number));
                }
                let label = |exit: &Exit| match exit {
                    own_one if own(own_one) => 0,
                    Exit::Label(label) => label + u32::from(wraps),
                    _ => function + u32::from(wraps),
                };
                let labels: Vec<u32> = several.iter().map(label).collect();
                let (last, targets) = labels.split_last().map_or((0, &[][..]), |(last, rest)| (*last, rest));
                into.instruction(&Instruction::BrTable(targets.into(), last));
                if wraps {
                    into.instruction(&Instruction::End);
                    if several.iter().any(|exit| own(exit) && *exit == Exit::Return) {
                        into.instruction(&Instruction::LocalGet(returned));
                        into.instruction(&Instruction::Return);
                    }
                }
            }
        }
    }

    /// Its function.
    pub fn function(&self, shape: &Shape<'_>, renumber: &mut Renumber) -> Result<Function> {
        // The locals of the function, as those of this one.
        let mut new: BTreeMap<u32, u32> = (0..).zip(&self.params).map(|(new, old)| (*old, new)).collect();
        let used = within(shape, &self.point).iter().filter_map(|operator| match operator {
            Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index } => Some(*local_index),
            _ => None,
        });
        let mut rest: Vec<(u8, u32, ValType)> = Vec::new();
        let mut used: Vec<u32> = used.collect();
        used.sort_unstable();
        used.dedup();
        for local in used.into_iter().filter(|local| !self.params.contains(local)) {
            let ty = *self.locals.get(local as usize).ok_or("a local without a type")?;
            let ty = renumber.val_type(ty).map_err(said)?;
            rest.push((kind(ty), local, ty));
        }
        rest.sort_unstable_by_key(|(kind, local, _)| (*kind, *local));
        let mut count = self.params.len() as u32;
        for (_, local, _) in &rest {
            new.insert(*local, count);
            count += 1;
        }
        let returned = count;
        let mut types: Vec<ValType> = rest.into_iter().map(|(_, _, ty)| ty).collect();
        for ty in &self.returns {
            types.push(renumber.val_type(*ty).map_err(said)?);
        }
        let mut into = Function::new_with_locals_types(types);
        for _ in &self.exits {
            into.instruction(&Instruction::Block(BlockType::Empty));
        }
        let local = |old: u32| new.get(&old).copied().ok_or("a local that is not known");
        let way = |exit: Exit| {
            let place = self.exits.iter().position(|known| *known == exit);
            place.map(|place| place as u32).ok_or("a way that is not known")
        };
        let mut depth = 0;
        // A label, as one of this function.
        let label = |target: u32, depth: u32| match target.checked_sub(depth) {
            None => Ok(target),
            Some(out) if out as usize >= self.point.depth => way(Exit::Return).map(|way| depth + way),
            Some(out) => way(Exit::Label(out)).map(|way| depth + way),
        };
        let leaves = |into: &mut Function, depth: u32| -> Result<()> {
            if !self.returns.is_empty() {
                into.instruction(&Instruction::LocalSet(returned));
            }
            into.instruction(&Instruction::Br(depth + way(Exit::Return)?));
            Ok(())
        };
        for operator in within(shape, &self.point) {
            match operator {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
                Operator::End => depth -= 1,
                _ => {}
            }
            match operator {
                Operator::Return => leaves(&mut into, depth)?,
                Operator::Br { relative_depth } if *relative_depth >= depth + self.point.depth as u32 => {
                    leaves(&mut into, depth)?;
                }
                Operator::Br { relative_depth } => {
                    into.instruction(&Instruction::Br(label(*relative_depth, depth)?));
                }
                Operator::BrIf { relative_depth } => {
                    into.instruction(&Instruction::BrIf(label(*relative_depth, depth)?));
                }
                Operator::BrTable { targets } => {
                    let mut all = Vec::new();
                    for target in targets.targets() {
                        all.push(label(target?, depth)?);
                    }
                    let last = label(targets.default(), depth)?;
                    into.instruction(&Instruction::BrTable(all.into(), last));
                }
                Operator::LocalGet { local_index } => {
                    into.instruction(&Instruction::LocalGet(local(*local_index)?));
                }
                Operator::LocalSet { local_index } => {
                    into.instruction(&Instruction::LocalSet(local(*local_index)?));
                }
                Operator::LocalTee { local_index } => {
                    into.instruction(&Instruction::LocalTee(local(*local_index)?));
                }
                other => {
                    into.instruction(&renumber.instruction(other.clone()).map_err(said)?);
                }
            }
        }
        if self.point.falls {
            match self.point.frame {
                Frame::Function => leaves(&mut into, 0)?,
                Frame::Block => {
                    into.instruction(&Instruction::Br(way(Exit::Label(0))?));
                }
                Frame::Loop => {
                    into.instruction(&Instruction::Br(way(Exit::Fall)?));
                }
            }
        }
        for (number, exit) in self.exits.iter().enumerate() {
            // Only the branches reach what is behind the block.
            into.instruction(&Instruction::Unreachable);
            into.instruction(&Instruction::End);
            if self.exits.len() > 1 {
                into.instruction(&Instruction::I32Const(number as i32));
            }
            for ty in &self.returns {
                into.instruction(&match (exit, ty) {
                    (Exit::Return, _) => Instruction::LocalGet(returned),
                    (_, wasmparser::ValType::I64) => Instruction::I64Const(0),
                    (_, wasmparser::ValType::F32) => Instruction::F32Const(0.0.into()),
                    (_, wasmparser::ValType::F64) => Instruction::F64Const(0.0.into()),
                    _ => Instruction::I32Const(0),
                });
            }
            for old in &self.writes {
                into.instruction(&Instruction::LocalGet(local(*old)?));
            }
            into.instruction(&Instruction::Return);
        }
        into.instruction(&Instruction::Unreachable);
        into.instruction(&Instruction::End);
        Ok(into)
    }
}

/// Locals of one type stand together, which takes less.
fn kind(ty: ValType) -> u8 {
    match ty {
        ValType::I32 => 0,
        ValType::I64 => 1,
        ValType::F32 => 2,
        ValType::F64 => 3,
        ValType::V128 => 4,
        ValType::Ref(_) => 5,
    }
}
