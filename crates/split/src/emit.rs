//! Writing modules: what cutting and marking have in common.

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CustomSection, FuncType, FunctionSection, ImportSection, IndirectNameMap, MemorySection,
    Module as Output, NameMap, NameSection, TypeSection,
};
use wasmparser::FunctionBody;

use crate::Result;
use crate::module::Module;

/// Copies code and tables that refer to functions, whose indexes change.
pub struct Renumber {
    /// The new index of each function; `None` if the function is not in the new module.
    pub functions: Vec<Option<u32>>,
}

impl Reencode for Renumber {
    type Error = String;

    fn function_index(&mut self, function: u32) -> std::result::Result<u32, Error<String>> {
        let new = self.functions.get(function as usize).copied().flatten();
        new.ok_or_else(|| Error::UserError(format!("function {function} is not where it is used")))
    }
}

impl Renumber {
    /// A function's body with the new indexes.
    pub fn body(&mut self, body: &FunctionBody<'_>) -> Result<wasm_encoder::Function> {
        let mut function = self.new_function_with_parsed_locals(body).map_err(said)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            function.instruction(&self.parse_instruction(&mut operators).map_err(said)?);
        }
        Ok(function)
    }
}

/// An error of the encoder, as an error of this program.
pub fn said<E: std::fmt::Display>(error: E) -> crate::Error {
    error.to_string().into()
}

/// All signatures, the one without parameters and results, with its index, and more behind it.
pub fn types(module: &Module, more: &[wasmparser::FuncType]) -> Result<(TypeSection, u32)> {
    let mut types = TypeSection::new();
    let mut same = Renumber { functions: Vec::new() };
    for ty in &module.types {
        types.ty().func_type(&same.func_type(ty.clone()).map_err(said)?);
    }
    types.ty().func_type(&FuncType::new([], []));
    for ty in more {
        types.ty().func_type(&same.func_type(ty.clone()).map_err(said)?);
    }
    Ok((types, module.types.len() as u32))
}

/// What JavaScript provides.
pub fn imports(module: &Module) -> Result<ImportSection> {
    let mut imports = ImportSection::new();
    let mut same = Renumber { functions: Vec::new() };
    for import in &module.imports {
        same.parse_import(&mut imports, *import).map_err(said)?;
    }
    Ok(imports)
}

/// The types of functions.
pub fn functions(types: impl IntoIterator<Item = u32>) -> FunctionSection {
    let mut functions = FunctionSection::new();
    for ty in types {
        functions.function(ty);
    }
    functions
}

/// The memories, unchanged.
pub fn memories(module: &Module) -> Result<MemorySection> {
    let mut memories = MemorySection::new();
    let mut same = Renumber { functions: Vec::new() };
    for memory in &module.memories {
        memories.memory(same.memory_type(*memory).map_err(said)?);
    }
    Ok(memories)
}

/// The names of functions, by which `wasm-opt` sorts them, and the custom sections that it reads.
pub fn custom(output: &mut Output, module: &Module, names: impl IntoIterator<Item = (u32, String)>) {
    let mut map = NameMap::new();
    for (function, name) in names {
        map.append(function, &name);
    }
    let mut section = NameSection::new();
    section.functions(&map);
    section.locals(&IndirectNameMap::new());
    output.section(&section);
    for custom in &module.custom {
        output.section(&CustomSection { name: custom.name().into(), data: custom.data().into() });
    }
}
