//! The places in a function at which another way may begin: behind a branch, behind a block, in an arm of an `if`.
//!
//! A body (of the function, of a block, of an arm) is entered at its beginning and left before its end by a branch, so what of it
//! never ran is the rest from one of these places on.

use wasmparser::{BlockType, FuncToValidate, FunctionBody, Operator, ValidatorResources};

use crate::Result;
use crate::hook::fnv;

/// The body that a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// That of the function.
    Function,
    /// That of a block or of an arm: its label is behind it.
    Block,
    /// That of a loop: its label is before it.
    Loop,
}

/// A place at which another way may begin. Nothing of the body is on the operand stack there.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The instruction that follows.
    pub at: usize,
    /// The `end` or `else` of the body.
    pub end: usize,
    /// The body.
    pub frame: Frame,
    /// How many bodies it is in.
    pub depth: usize,
    /// Whether the body's end can be reached by going on.
    pub falls: bool,
    /// Whether the body leaves values behind.
    pub results: bool,
}

/// A function's instructions, with these places.
pub struct Shape<'a> {
    /// The instructions.
    pub operators: Vec<Operator<'a>>,
    /// Where each instruction begins, in bytes; and where the last one ends.
    pub offsets: Vec<usize>,
    /// The places, in order.
    pub points: Vec<Point>,
    /// For each instruction whether it begins a body whose label takes values.
    pub typed: Vec<bool>,
    /// A hash of the blocks and branches. A function that has another one than when it was marked has changed.
    pub print: u32,
}

struct Open {
    frame: Frame,
    results: bool,
    points: Vec<usize>,
}

impl<'a> Shape<'a> {
    /// Reads a function.
    pub fn of(body: &FunctionBody<'a>, validate: &FuncToValidate<ValidatorResources>) -> Result<Self> {
        let again = FuncToValidate { resources: validate.resources.clone(), ..*validate };
        let mut validator = again.into_validator(Default::default());
        validator.read_locals(&mut body.get_binary_reader())?;
        let mut shape = Shape {
            operators: Vec::new(),
            offsets: Vec::new(),
            points: Vec::new(),
            typed: Vec::new(),
            print: 0,
        };
        let mut open = vec![Open { frame: Frame::Function, results: false, points: Vec::new() }];
        let mut reader = body.get_operators_reader()?;
        let (mut due, mut print) = (false, Vec::new());
        while !reader.eof() {
            let offset = reader.original_position();
            let operator = reader.read()?;
            let at = shape.operators.len();
            let ends = matches!(operator, Operator::End | Operator::Else);
            let top = validator.get_control_frame(0).ok_or("an instruction outside of all bodies")?;
            let (is_live, base) = (!top.unreachable, top.height);
            if due && !ends && is_live && validator.operand_stack_height() as usize == base {
                let inner = open.last_mut().ok_or("a body that is not open")?;
                inner.points.push(shape.points.len());
                let (frame, results, depth) = (inner.frame, inner.results, open.len() - 1);
                shape.points.push(Point { at, end: 0, frame, depth, falls: false, results });
            }
            let mut closed_results = false;
            if ends {
                let closed = open.pop().ok_or("an end without a body")?;
                closed_results = closed.results;
                for number in closed.points {
                    if let Some(point) = shape.points.get_mut(number) {
                        (point.end, point.falls) = (at, is_live);
                    }
                }
            }
            validator.op(offset, &operator)?;
            let mut typed = false;
            match operator {
                Operator::Block { blockty } | Operator::If { blockty } | Operator::Loop { blockty } => {
                    let is_loop = matches!(operator, Operator::Loop { .. });
                    typed = match blockty {
                        BlockType::Empty => false,
                        // What a loop results in is not what its label takes.
                        BlockType::Type(_) => !is_loop,
                        BlockType::FuncType(_) => true,
                    };
                    let frame = if is_loop { Frame::Loop } else { Frame::Block };
                    open.push(Open { frame, results: blockty != BlockType::Empty, points: Vec::new() });
                }
                Operator::Else => {
                    open.push(Open { frame: Frame::Block, results: closed_results, points: Vec::new() });
                }
                _ => {}
            }
            print.push(match operator {
                Operator::Block { .. } => 1,
                Operator::Loop { .. } => 2,
                Operator::If { .. } => 3,
                Operator::Else => 4,
                Operator::End => 5,
                Operator::BrIf { relative_depth } | Operator::Br { relative_depth } => {
                    16 + relative_depth as u8
                }
                Operator::BrTable { .. } => 6,
                _ => 0,
            });
            due = matches!(
                operator,
                Operator::BrIf { .. } | Operator::If { .. } | Operator::Else | Operator::End
            );
            shape.operators.push(operator);
            shape.offsets.push(offset);
            shape.typed.push(typed);
        }
        shape.offsets.push(reader.original_position());
        let hash = fnv(print.iter().filter(|kind| **kind > 0));
        shape.print = (hash ^ hash >> 32) as u32;
        Ok(shape)
    }

    /// How many bytes some instructions take.
    pub fn bytes(&self, from: usize, to: usize) -> usize {
        let at = |n: usize| self.offsets.get(n).copied().unwrap_or_default();
        at(to).saturating_sub(at(from))
    }
}
