//! A script as the parser reads it. See POSIX, "Shell Command Language", 2.9 and 2.10.

use std::rc::Rc;

/// A word before its expansion.
pub type Word = Vec<Part>;

/// A word's text, if nothing in it is quoted or expanded.
pub fn literal(word: &Word) -> Option<String> {
    match word.as_slice() {
        [Part::Text { text, quoted: false }] => Some(text.clone()),
        _ => None,
    }
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text that stands for itself. Quoted text is neither split nor a pattern.
    Text {
        /// The text without its quotes.
        text: String,
        /// Whether it was quoted.
        quoted: bool,
    },
    /// `$name`, `${name}` and the forms with an operator.
    Param {
        /// The name, a number, or one of `@*#?-$!`.
        name: String,
        /// bash: the index of an array's element; `@` or `*` for all of them.
        index: Option<Word>,
        /// What is done with the value.
        op: Op,
        /// Whether it stands between double quotes.
        quoted: bool,
    },
    /// `$(…)` or `` `…` ``.
    Command {
        /// The commands whose output is substituted.
        script: Rc<Node>,
        /// Whether it stands between double quotes.
        quoted: bool,
    },
    /// `$((…))`.
    Arith {
        /// The expression, whose own expansions come first.
        text: Word,
        /// Whether it stands between double quotes.
        quoted: bool,
    },
}

/// What is done with a parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The value itself.
    None,
    /// `${#name}`: the number of characters.
    Length,
    /// bash: `${!name}`: the value of the variable that the value names; of all elements of an array: their indexes.
    Indirect,
    /// `${name:-word}` and its like: the character, whether an empty value counts as none (`:`), the word.
    Default(char, bool, Word),
    /// `${name#pattern}` and its like: whether the suffix (`%`), whether the longest, the pattern.
    Strip(bool, bool, Word),
    /// bash: `${name/pattern/word}`: whether all, the pattern, the word.
    Replace(bool, Word, Word),
    /// bash: `${name:offset:length}`.
    Slice(Word, Option<Word>),
}

/// `NAME=value`
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    /// The variable.
    pub name: String,
    /// bash: the index of an array's element.
    pub index: Option<Word>,
    /// bash: `+=`, which appends.
    pub append: bool,
    /// What is assigned.
    pub value: Assigned,
}

/// What is assigned to a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Assigned {
    /// A text.
    Text(Word),
    /// bash: `(word [index]=word …)`, the elements of an array.
    List(Vec<(Option<Word>, Word)>),
}

/// A redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The file descriptor.
    pub fd: u8,
    /// What it is connected with.
    pub to: Target,
}

/// What a redirection connects a file descriptor with.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `< file`
    Read(Word),
    /// `> file`
    Write(Word),
    /// `>> file`
    Append(Word),
    /// `>&1`, `<&0`; `-` closes.
    Copy(Word),
    /// `<<END` or bash's `<<<`: the text.
    Text(Word),
    /// `&> file` of bash: standard output and error.
    Both(Word),
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A simple command.
    Simple {
        /// `NAME=word` before the command, and the arrays among the arguments of a declaration.
        assigns: Vec<Assign>,
        /// The command and its arguments.
        words: Vec<Word>,
        /// Its redirections.
        redirects: Vec<Redirect>,
    },
    /// `a | b`; whether `!` stands before it.
    Pipeline(bool, Vec<Node>),
    /// `a && b || c`: each command with whether `&&` stands before it. The first one's is of no importance.
    AndOr(Vec<(bool, Node)>),
    /// `a; b & c`: each command with whether it is run in the background.
    List(Vec<(Rc<Node>, bool)>),
    /// A compound command with redirections.
    Redirected(Box<Node>, Vec<Redirect>),
    /// `( … )`
    Subshell(Box<Node>),
    /// `if`: conditions with their commands, then those of `else`.
    If(Vec<(Node, Node)>, Option<Box<Node>>),
    /// `while`, or `until` if `true`: condition and body.
    Loop(bool, Box<Node>, Box<Node>),
    /// `for name in words`; without `in` the positional parameters.
    For(String, Option<Vec<Word>>, Box<Node>),
    /// bash: `for ((a; b; c))` with the body.
    Count([Word; 3], Box<Node>),
    /// `case word in pattern) … ;; esac`
    Case(Word, Vec<(Vec<Word>, Node)>),
    /// A function's definition.
    Function(String, Rc<Node>),
    /// bash: `[[ … ]]`
    Condition(Vec<Word>),
    /// bash: `(( … ))`
    Arith(Word),
}
