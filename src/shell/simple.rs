//! Executes simple commands: assignments, redirections, and which command a name stands for.

use super::ast::{Assign, Assigned, Redirect, Target, Word};
use super::files::Sort;
use super::machine::{Input, Out, Ran, Shell, Stop};
use super::{Tools, builtins, tools};

impl Shell<'_> {
    pub(super) fn simple(&mut self, assigns: &[Assign], words: &[Word], redirects: &[Redirect]) -> Ran {
        self.step()?;
        self.substituted = None;
        let args = self.expand_all(words)?;
        let mut values = Vec::with_capacity(assigns.len());
        for assign in assigns {
            // What stands before a command is a text; a list among the arguments of a declaration is assigned after it.
            match &assign.value {
                Assigned::Text(word) if !args.is_empty() && assign.index.is_none() => {
                    values.push((&assign.name, self.expand_text(word)?));
                }
                _ => {}
            }
        }
        if self.frame.options.contains('x') {
            let assigned = values.iter().map(|(n, v)| format!("{n}={v}"));
            let line: Vec<String> = assigned.chain(args.iter().cloned()).collect();
            self.error(&format!("+ {}", line.join(" ")));
        }
        let Some(name) = args.first() else {
            for assign in assigns {
                let status = self.assign(assign)?;
                if status != 0 {
                    return Ok(status);
                }
            }
            let status = self.substituted.unwrap_or(0);
            return if redirects.is_empty() {
                Ok(status)
            } else {
                self.redirected(redirects, |_| Ok(status))
            };
        };
        if !self.frame.functions.contains_key(name) && self.is_commanded(&args) {
            return self.redirected(redirects, |s| s.command_outside(&args));
        }
        if name == "exec" {
            self.redirect(redirects)?;
            return match args.get(1..) {
                Some(rest) if !rest.is_empty() => {
                    self.alone = self.main;
                    let status = self.external(rest.first().map_or("", |r| r), rest)?;
                    self.exits = true;
                    Err(Stop::Exit(status))
                }
                _ => Ok(0),
            };
        }
        let mut kept = Vec::new();
        for (name, value) in &values {
            kept.push(((*name).clone(), self.frame.variables.get(*name).cloned()));
            self.frame.variables.insert((*name).clone(), (value.as_str().into(), true));
        }
        let mut result = self.redirected(redirects, |s| s.dispatch(name, &args));
        for assign in assigns.iter().filter(|a| matches!(a.value, Assigned::List(_))) {
            if matches!(result, Ok(0)) {
                result = self.assign(assign);
            }
        }
        for (name, value) in kept {
            match value {
                Some(v) => self.frame.variables.insert(name, v),
                None => self.frame.variables.remove(&name),
            };
        }
        result
    }

    fn dispatch(&mut self, name: &str, args: &[String]) -> Ran {
        if let Some(body) = self.frame.functions.get(name).cloned() {
            let rest = args.iter().skip(1).cloned().collect();
            let outer = std::mem::replace(&mut self.frame.args, rest);
            self.locals.push(Vec::new());
            let result = self.node(&body);
            for (name, value, array) in self.locals.pop().unwrap_or_default() {
                match array {
                    Some(a) => self.frame.arrays.insert(name.clone(), a),
                    None => self.frame.arrays.remove(&name),
                };
                match value {
                    Some(v) => self.frame.variables.insert(name, v),
                    None => self.frame.variables.remove(&name),
                };
            }
            self.frame.args = outer;
            return match result {
                Err(Stop::Return(code)) => Ok(code),
                other => other,
            };
        }
        if let Some(result) = builtins::run(self, name, args) {
            return result;
        }
        self.external(name, args)
    }

    /// Runs a command that is not a part of the shell.
    pub(super) fn external(&mut self, name: &str, args: &[String]) -> Ran {
        if self.is_commanded(args) {
            return self.command_outside(args);
        }
        let base = tools::base_name(name);
        let standard = !name.contains('/') || tools::is_standard(name);
        if tools::is_shell(base) && (standard || !self.program.complete) {
            let words = args.to_vec();
            return self.subshell(|s| {
                for (name, (value, _)) in std::mem::take(&mut s.frame.variables).into_iter().filter(|v| v.1.1)
                {
                    s.frame.variables.insert(name, (value, true));
                }
                s.frame.functions.clear();
                s.shell(&words, false)
            });
        }
        // What a container's command makes of an input that goes on is not seen before the input ends.
        let before = self.line_by_line;
        self.line_by_line = self.commands.is_some() && tools::is_line_by_line(base);
        let done = if standard { tools::run(self, base, args) } else { None };
        self.line_by_line = before;
        if std::mem::take(&mut self.wants_more) && matches!(done, Some(Ok(_))) {
            return Err(self.block());
        }
        if let Some(result) = done {
            return result;
        }
        if name.contains('/') {
            match self.look(name) {
                Some(Sort::File) if !self.may(name, 1) => {
                    self.complain(&format!("{name}: Permission denied"));
                    return Ok(126);
                }
                Some(Sort::File) if self.content(name).is_some_and(|text| is_script(&text)) => {
                    let mut words = vec!["sh".to_owned(), name.to_owned()];
                    words.extend(args.iter().skip(1).cloned());
                    return self.subshell(|s| s.shell(&words, false));
                }
                Some(Sort::Directory) => {
                    self.complain(&format!("{name}: Permission denied"));
                    return Ok(126);
                }
                _ => {}
            }
        }
        // A builtin of ash and of bash, which dash does not have.
        if name == "history" && self.is_asked() && (self.frame.bash || self.program.tools == Tools::Busybox) {
            self.error("history: the shell has this command, and it is not played here");
            return Ok(126);
        }
        let why = not_found(name, self.frame.bash);
        let may_exist = standard && tools::may_exist(self.program, base);
        if self.program.complete && (!may_exist || self.is_asked()) {
            if may_exist {
                return Ok(self.is_not_played(base));
            }
            self.complain(&why);
            return Ok(127);
        }
        self.unknown(&why)
    }

    pub(super) fn redirected(&mut self, redirects: &[Redirect], f: impl FnOnce(&mut Self) -> Ran) -> Ran {
        if redirects.is_empty() {
            return f(self);
        }
        let (outs, input) = (self.outs.clone(), self.input);
        let result = match self.redirect(redirects) {
            Ok(()) => f(self),
            Err(Stop::Return(status)) => Ok(status),
            Err(stop) => Err(stop),
        };
        (self.outs, self.input) = (outs, input);
        result
    }

    /// Connects file descriptors. If that fails, the command is not run: `Stop::Return` with its status.
    fn redirect(&mut self, redirects: &[Redirect]) -> Result<(), Stop> {
        for r in redirects {
            let out = match &r.to {
                Target::Text(text) => {
                    let text = self.expand_text(text)?;
                    self.read_from(text);
                    continue;
                }
                Target::Read(word) => {
                    let path = self.expand_text(word)?;
                    match self.read(&path) {
                        Ok(text) => {
                            let rest = self.size_of(&path).saturating_sub(text.len() as u64);
                            self.read_from(text);
                            let endless = self.is_endless(&path);
                            if let Some(input) = self.inputs.last_mut() {
                                (input.rest, input.endless) = (rest, endless);
                            }
                        }
                        Err("No such file or directory") if self.has_unknown_files() => {
                            self.certain = false;
                            self.read_from(String::new());
                        }
                        Err(why) => return self.cannot_open("open", &path, why),
                    }
                    continue;
                }
                Target::Copy(word) => {
                    let from = self.expand_text(word)?;
                    match from.parse::<u8>() {
                        Ok(from) if r.fd > 0 => self.outs.get(&from).cloned().unwrap_or(Out::Nowhere),
                        _ => Out::Nowhere,
                    }
                }
                Target::Write(word) | Target::Append(word) | Target::Both(word) => {
                    let path = self.expand_text(word)?;
                    match self.open(&path, matches!(r.to, Target::Append(_))) {
                        Ok(out) => out,
                        Err(why) => return self.cannot_open("create", &path, why),
                    }
                }
            };
            if matches!(r.to, Target::Both(_)) {
                self.outs.insert(2, out.clone());
            }
            if r.fd > 0 {
                self.outs.insert(r.fd, out);
            }
        }
        Ok(())
    }

    fn read_from(&mut self, text: String) {
        self.inputs.push(Input { text: text.chars().collect(), ..Input::default() });
        self.input = self.inputs.len() - 1;
    }

    fn cannot_open(&mut self, what: &str, path: &str, why: &str) -> Result<(), Stop> {
        if self.commands.is_some() {
            self.error(&format!("{path}: {why}"));
            return Err(Stop::Return(1));
        }
        let (verb, why) = match (self.frame.bash, self.program.tools, why) {
            (true, _, "nonexistent directory") => {
                self.complain(&format!("{path}: No such file or directory"));
                return Err(Stop::Return(1));
            }
            (true, ..) => {
                self.complain(&format!("{path}: {why}"));
                return Err(Stop::Return(1));
            }
            (false, Tools::Busybox, "No such file or directory") => ("can't open", "no such file"),
            (false, Tools::Gnu, "No such file or directory") => ("cannot open", "No such file"),
            (false, Tools::Gnu, "nonexistent directory") => ("cannot create", "Directory nonexistent"),
            (false, Tools::Busybox, _) if what == "open" => ("can't open", why),
            (false, Tools::Busybox, _) => ("can't create", why),
            (false, Tools::Gnu, _) if what == "open" => ("cannot open", why),
            (false, Tools::Gnu, _) => ("cannot create", why),
        };
        self.complain(&format!("{verb} {path}: {why}"));
        Err(Stop::Return(if self.program.tools == Tools::Gnu { 2 } else { 1 }))
    }
}

fn is_script(text: &str) -> bool {
    match text.lines().next().and_then(|l| l.strip_prefix("#!")) {
        Some(line) => line.split_whitespace().any(|w| tools::is_shell(tools::base_name(w))),
        None => true,
    }
}

fn not_found(name: &str, bash: bool) -> String {
    match bash {
        true if name.contains('/') => format!("{name}: No such file or directory"),
        true => format!("{name}: command not found"),
        false => format!("{name}: not found"),
    }
}
