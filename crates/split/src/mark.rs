//! The page with marks: every function sets a mark when it is first called. The marks show which functions
//! ran while the page was opened and used.

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{
    CodeSection, DataSection, ElementSection, ExportKind, ExportSection, GlobalSection, Instruction, MemArg,
    MemoryType, Module as Output, StartSection, TableSection,
};

use crate::Result;
use crate::emit::{self, Renumber, said};
use crate::module::Module;

/// The export of the memory with the marks: one byte for every function that is not imported, in order.
pub const MARKS: &str = "marks";

/// A copy of a module in which every function sets its byte to 1 when it is called.
pub fn mark(module: &Module) -> Result<Vec<u8>> {
    let mut same = Renumber { functions: (0..module.functions.len() as u32).map(Some).collect() };
    let mut output = Output::new();
    output.section(&emit::types(module)?.0);
    output.section(&emit::imports(module)?);
    output.section(&emit::functions(module.functions.iter().skip(module.imports.len()).copied()));
    let mut tables = TableSection::new();
    for table in &module.tables {
        same.parse_table(&mut tables, table.clone()).map_err(said)?;
    }
    output.section(&tables);
    let mut memories = emit::memories(module)?;
    let marks = module.memories.len() as u32;
    let pages = (module.bodies.len() as u64).div_ceil(65536).max(1);
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
    let mut code = CodeSection::new();
    for (number, body) in (0..).zip(&module.bodies) {
        let mut function = same.new_function_with_parsed_locals(body).map_err(said)?;
        function.instruction(&Instruction::I32Const(number));
        function.instruction(&Instruction::I32Const(1));
        function.instruction(&Instruction::I32Store8(MemArg { offset: 0, align: 0, memory_index: marks }));
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            function.instruction(&same.parse_instruction(&mut operators).map_err(said)?);
        }
        code.function(&function);
    }
    output.section(&code);
    let mut data = DataSection::new();
    for segment in &module.data {
        same.parse_data(&mut data, segment.clone()).map_err(said)?;
    }
    output.section(&data);
    Ok(output.finish())
}
