//! `awk`, as POSIX has it: patterns and actions, fields, arrays, the functions on text, `print` and `printf` with
//! redirections. Functions of a program's own, `getline`, pipes and `system` are not known: what such a program does, nobody
//! knows.

mod evaluate;
mod expressions;
mod parser;
mod run;
mod syntax;
mod value;

use super::super::machine::{Ran, Shell};
use run::Machine;

const NOT_BUILT: &str = "awk: this program is not built here";

/// `awk [-F SEPARATOR] [-v NAME=VALUE] [-f FILE | PROGRAM] [FILE | NAME=VALUE…]`
pub(super) fn awk(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let mut rest = args.iter().skip(1).peekable();
    let (mut separator, mut variables, mut program) = (None, Vec::new(), None);
    while let Some(arg) = rest.next_if(|a| a.starts_with('-') && a.len() > 1) {
        if arg == "--" {
            break;
        }
        let (letter, value) = (arg.get(1..2).unwrap_or_default(), arg.get(2..).unwrap_or_default());
        let value = match value {
            "" => rest.next().cloned().unwrap_or_default(),
            value => value.to_owned(),
        };
        match letter {
            "F" => separator = Some(if value == "t" { "\t".to_owned() } else { syntax::unescaped(&value) }),
            "v" => variables.push(value),
            "f" => match shell.read(&value) {
                Ok(text) => program = Some(text),
                Err(why) => {
                    shell.uncertain(&value);
                    shell.error(&format!("awk: {value}: {why}"));
                    return Ok(2);
                }
            },
            _ => return shell.unknown(NOT_BUILT),
        }
    }
    let Some(program) = program.or_else(|| rest.next().cloned()) else {
        shell.error("Usage: awk [OPTIONS] [AWK_PROGRAM] [FILE]...");
        return Ok(1);
    };
    let Some(rules) = parser::parse(&program) else { return shell.unknown(NOT_BUILT) };
    let mut machine = Machine::new(shell, &rules);
    if let Some(separator) = separator {
        machine.assign("FS", separator);
    }
    for variable in variables {
        let (name, value) = variable.split_once('=').unwrap_or((&variable, ""));
        machine.assign(name, syntax::unescaped(value));
    }
    let operands: Vec<&str> = rest.map(String::as_str).collect();
    machine.run(&operands)
}
