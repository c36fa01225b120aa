//! A parsed wasm module.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{
    CompositeInnerType, ConstExpr, CustomSectionReader, Data, DataKind, Element, ElementItems, ElementKind,
    Export, FuncToValidate, FuncType, FunctionBody, Global, Import, KnownCustom, MemoryType, Name, Operator,
    Parser, Payload, Table, TypeRef, ValidPayload, Validator, ValidatorResources,
};

use crate::Result;
use crate::points::Shape;

/// The sections of a module. The indexes of functions count imported ones first, as in wasm.
#[derive(Default)]
pub struct Module<'a> {
    /// The signatures.
    pub types: Vec<FuncType>,
    /// The imports. They are functions only, since wasm-bindgen imports nothing else; [`Module::parse`]
    /// refuses others.
    pub imports: Vec<Import<'a>>,
    /// The type of every function.
    pub functions: Vec<u32>,
    /// The tables. The first one is that of functions for indirect calls.
    pub tables: Vec<Table<'a>>,
    /// The memories: one, that of Rust.
    pub memories: Vec<MemoryType>,
    /// The globals: the stack pointer and a few others.
    pub globals: Vec<Global<'a>>,
    /// The exports, which JavaScript uses.
    pub exports: Vec<Export<'a>>,
    /// The function that runs on instantiation, if there is one.
    pub start: Option<u32>,
    /// The initial content of the tables.
    pub elements: Vec<Element<'a>>,
    /// The bodies of the functions that are not imported.
    pub bodies: Vec<FunctionBody<'a>>,
    /// What validates each of them, which knows what is on the operand stack.
    validators: Vec<FuncToValidate<ValidatorResources>>,
    /// The initial content of the memory.
    pub data: Vec<Data<'a>>,
    /// The names of functions, by index.
    pub names: BTreeMap<u32, &'a str>,
    /// Custom sections that are copied: the features that the module needs (for `wasm-opt`) and others
    /// without an effect.
    pub custom: Vec<CustomSectionReader<'a>>,
}

/// What a function refers to, beside types and memory.
#[derive(Default)]
pub struct References {
    /// The functions that it calls or takes a reference of.
    pub functions: BTreeSet<u32>,
    /// Whether it uses data or element segments by index; modules do not share these.
    pub segments: bool,
}

impl<'a> Module<'a> {
    /// Parses a module.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut module = Module::default();
        let mut validator = Validator::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            if let ValidPayload::Func(function, _) = validator.payload(&payload)? {
                module.validators.push(function);
            }
            module.add(payload)?;
        }
        Ok(module)
    }

    fn add(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for ty in group?.into_types() {
                        match ty.composite_type.inner {
                            CompositeInnerType::Func(ty) => self.types.push(ty),
                            _ => return Err("a type that is no function's".into()),
                        }
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import?;
                    let TypeRef::Func(ty) = import.ty else {
                        return Err(format!("the import `{}` is no function", import.name).into());
                    };
                    self.imports.push(import);
                    self.functions.push(ty);
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.functions.push(ty?);
                }
            }
            Payload::TableSection(section) => collect(&mut self.tables, section)?,
            Payload::MemorySection(section) => collect(&mut self.memories, section)?,
            Payload::GlobalSection(section) => collect(&mut self.globals, section)?,
            Payload::ExportSection(section) => collect(&mut self.exports, section)?,
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => collect(&mut self.elements, section)?,
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::DataSection(section) => collect(&mut self.data, section)?,
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Name(names) => {
                    for name in names {
                        if let Name::Function(map) = name? {
                            for naming in map {
                                let naming = naming?;
                                self.names.insert(naming.index, naming.name);
                            }
                        }
                    }
                }
                // The linker's sections for this program describe the module before the cut.
                KnownCustom::Linking(_) | KnownCustom::Reloc(_) => {}
                _ => self.custom.push(section),
            },
            Payload::TagSection(_) => return Err("the module has tags (exceptions)".into()),
            _ => {}
        }
        Ok(())
    }

    /// The number of imported functions, which is the index of the first one that is not imported.
    pub fn imported(&self) -> u32 {
        self.imports.len() as u32
    }

    /// The indexes and bodies of the functions that are not imported.
    pub fn defined(&self) -> impl Iterator<Item = (u32, &FunctionBody<'a>)> {
        (self.imported()..).zip(&self.bodies)
    }

    /// The instructions of a function that is not imported, with the places at which another way may begin.
    pub fn shape(&self, function: u32) -> Result<Shape<'a>> {
        let place = function.checked_sub(self.imported()).ok_or("an imported function has no body")? as usize;
        match (self.bodies.get(place), self.validators.get(place)) {
            (Some(body), Some(validator)) => Shape::of(body, validator),
            _ => Err("a function without a body".into()),
        }
    }

    /// The signature of a function, with its index.
    pub fn signature(&self, function: u32) -> Result<(u32, &FuncType)> {
        let index = *self.functions.get(function as usize).ok_or("a function without a type")?;
        Ok((index, self.types.get(index as usize).ok_or("a type that is not there")?))
    }

    /// A function's name; empty if it has none.
    pub fn name(&self, function: u32) -> &'a str {
        self.names.get(&function).copied().unwrap_or_default()
    }

    /// The initial content of the memory: address and bytes of each segment.
    pub fn memory(&self) -> Result<Vec<(u32, &'a [u8])>> {
        let place = |segment: &Data<'a>| match &segment.kind {
            DataKind::Active { offset_expr, .. } => Ok((constant(offset_expr)?, segment.data)),
            DataKind::Passive => Err("a data segment that is not active".into()),
        };
        self.data.iter().map(place).collect()
    }

    /// The functions in the first table, by slot.
    pub fn slots(&self) -> Result<BTreeMap<u32, u32>> {
        let mut slots = BTreeMap::new();
        for element in &self.elements {
            let ElementKind::Active { table_index, offset_expr } = &element.kind else {
                return Err("an element segment that is not active".into());
            };
            if table_index.unwrap_or(0) != 0 {
                return Err("elements of another table than the first".into());
            }
            let mut slot = constant(offset_expr)?;
            let mut put = |function| {
                if let Some(function) = function {
                    slots.insert(slot, function);
                }
                slot += 1;
            };
            match &element.items {
                ElementItems::Functions(functions) => {
                    for function in functions.clone() {
                        put(Some(function?));
                    }
                }
                ElementItems::Expressions(_, expressions) => {
                    for expression in expressions.clone() {
                        put(referred(&expression?)?);
                    }
                }
            }
        }
        Ok(slots)
    }
}

/// The instructions of a body.
pub fn operators<'a>(body: &FunctionBody<'a>) -> Result<Vec<Operator<'a>>> {
    Ok(body.get_operators_reader()?.into_iter().collect::<std::result::Result<_, _>>()?)
}

/// What some instructions refer to.
pub fn references(operators: &[Operator]) -> References {
    let mut found = References::default();
    for operator in operators {
        match *operator {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => {
                found.functions.insert(function_index);
            }
            Operator::MemoryInit { .. }
            | Operator::DataDrop { .. }
            | Operator::TableInit { .. }
            | Operator::ElemDrop { .. } => found.segments = true,
            _ => {}
        }
    }
    found
}

/// The value of an `i32.const` expression; the linker writes no other offsets.
pub fn constant(expression: &ConstExpr) -> Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value as u32),
        _ => Err("an offset that is no constant".into()),
    }
}

fn referred(expression: &ConstExpr) -> Result<Option<u32>> {
    match expression.get_operators_reader().read()? {
        Operator::RefFunc { function_index } => Ok(Some(function_index)),
        Operator::RefNull { .. } => Ok(None),
        _ => Err("an element that is no function".into()),
    }
}

fn collect<'a, T: wasmparser::FromReader<'a>>(
    into: &mut Vec<T>,
    section: wasmparser::SectionLimited<'a, T>,
) -> Result<()> {
    for item in section {
        into.push(item?);
    }
    Ok(())
}
