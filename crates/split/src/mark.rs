//! The page with marks: every function sets a mark when it is called, and one at each of its [points](crate::points). The marks
//! show what ran while the page was opened and used.

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{
    CodeSection, DataSection, ElementSection, ExportKind, ExportSection, Function, GlobalSection,
    Instruction, MemArg, MemoryType, Module as Output, StartSection, TableSection,
};

use crate::Result;
use crate::emit::{self, Renumber, said};
use crate::module::Module;
use crate::profile::unhashed;

/// The export of the memory with the marks: for every function that is not imported, in order, one byte, and one for each of
/// its points.
pub const MARKS: &str = "marks";

/// A function with marks.
pub struct Marked {
    /// Its name, as it is in another build, too.
    pub name: String,
    /// The print of its shape.
    pub print: u32,
    /// How many points it has.
    pub points: usize,
}

/// A copy of a module that sets the bytes of what runs to 1; and what has bytes.
pub fn mark(module: &Module) -> Result<(Vec<u8>, Vec<Marked>)> {
    let mut shapes = Vec::new();
    for (function, _) in module.defined() {
        shapes.push(module.shape(function)?);
    }
    let mut same = Renumber { functions: (0..module.functions.len() as u32).map(Some).collect() };
    let mut output = Output::new();
    output.section(&emit::types(module, &[])?.0);
    output.section(&emit::imports(module)?);
    output.section(&emit::functions(module.functions.iter().skip(module.imports.len()).copied()));
    let mut tables = TableSection::new();
    for table in &module.tables {
        same.parse_table(&mut tables, table.clone()).map_err(said)?;
    }
    output.section(&tables);
    let mut memories = emit::memories(module)?;
    let marks = module.memories.len() as u32;
    let count: usize = shapes.iter().map(|shape| 1 + shape.points.len()).sum();
    let pages = (count as u64).div_ceil(65536).max(1);
    memories.memory(MemoryType {
        minimum: pages,
        maximum: Some(pages),
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    output.section(&memories);
    let mut globals = GlobalSection::new();
    for global in &module.globals {
        same.parse_global(&mut globals, global.clone()).map_err(said)?;
    }
    output.section(&globals);
    let mut exports = ExportSection::new();
    for export in &module.exports {
        same.parse_export(&mut exports, *export).map_err(said)?;
    }
    exports.export(MARKS, ExportKind::Memory, marks);
    output.section(&exports);
    if let Some(function_index) = module.start {
        output.section(&StartSection { function_index });
    }
    let mut elements = ElementSection::new();
    for element in &module.elements {
        same.parse_element(&mut elements, element.clone()).map_err(said)?;
    }
    output.section(&elements);
    let (mut code, mut next, mut marked) = (CodeSection::new(), 0, Vec::new());
    for ((of, body), shape) in module.defined().zip(&shapes) {
        let mut function = same.new_function_with_parsed_locals(body).map_err(said)?;
        let mut mark = |function: &mut Function| {
            function.instruction(&Instruction::I32Const(next));
            function.instruction(&Instruction::I32Const(1));
            function.instruction(&Instruction::I32Store8(MemArg {
                offset: 0,
                align: 0,
                memory_index: marks,
            }));
            next += 1;
        };
        mark(&mut function);
        let mut points = shape.points.iter().peekable();
        for (at, operator) in shape.operators.iter().enumerate() {
            if points.next_if(|point| point.at == at).is_some() {
                mark(&mut function);
            }
            function.instruction(&same.instruction(operator.clone()).map_err(said)?);
        }
        code.function(&function);
        let (name, points) = (unhashed(module.name(of)), shape.points.len());
        marked.push(Marked { name, print: shape.print, points });
    }
    output.section(&code);
    let mut data = DataSection::new();
    for segment in &module.data {
        same.parse_data(&mut data, segment.clone()).map_err(said)?;
    }
    output.section(&data);
    Ok((output.finish(), marked))
}
