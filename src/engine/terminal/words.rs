//! The commands of the terminal, by their first word.

use super::docker;
use super::goes::Goes;
use crate::cluster::{NODE_TOOLS, OWN_TOOLS};
use crate::kubectl::complete;
use crate::shell;

/// What a command's first word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `kubectl`, or its usual alias.
    Kubectl,
    /// A verb of kubectl's, or what looks like one.
    Verb,
    /// Runs a line again and again.
    Watch,
    /// Looks into a node.
    Docker,
    /// Sends a request from the person's own machine.
    Request,
    /// Lists the lines that were typed.
    History,
    /// `clear` and `help`, which are the page's.
    Page,
    /// What the shell does.
    Shell,
    /// What a terminal mostly has, and this one has not: why.
    Refused(&'static str),
    /// Nothing that is known.
    Unknown,
}

/// The shell's own words, and its tools that need no machine.
const SHELL: &[&str] = &[
    ":",
    ".",
    "[",
    "awk",
    "base64",
    "basename",
    "break",
    "cat",
    "command",
    "continue",
    "cut",
    "date",
    "dirname",
    "echo",
    "egrep",
    "eval",
    "exit",
    "export",
    "expr",
    "false",
    "fgrep",
    "grep",
    "head",
    "let",
    "local",
    "ls",
    "printf",
    "pwd",
    "read",
    "return",
    "sed",
    "seq",
    "sh",
    "sha256sum",
    "shift",
    "sleep",
    "sort",
    "tail",
    "tee",
    "test",
    "tr",
    "true",
    "type",
    "uniq",
    "unset",
    "wc",
    "xargs",
    "yes",
];
/// Those of them that a pipe may go on with: what is offered there.
const FILTERS: &[&str] = &[
    "awk", "base64", "cat", "cut", "grep", "head", "sed", "sort", "tail", "tee", "tr", "uniq", "wc", "xargs",
];

const NO_SUCH_TOOL: &str = "this is not built here: curl, nc, nslookup, ping, traceroute and wget ask from this machine, and kubectl exec POD -- wget -qO- ADDRESS from a pod";
const NO_EDITOR: &str = "the editor beside has the manifest; kubectl edit opens an object there";
const NO_FILES: &str = "there are no files here but manifest.yaml, which is what the editor has";
const NO_JQ: &str = "this shell has no jq: kubectl get -o jsonpath=… and -o go-template=… choose fields";
const ON_A_NODE: &str = "this is a tool of a node: docker exec NODE COMMAND runs it there";
const NO_CLUSTER: &str =
    "this terminal has the cluster of the page, and kubectl; nothing is installed beside";

/// What a command is.
pub(super) fn of(words: &[String]) -> Word {
    match words.first().map_or("", String::as_str) {
        "kubectl" | "k" => Word::Kubectl,
        "help" if words.len() > 1 => Word::Verb,
        "clear" | "help" | "reset" => Word::Page,
        "watch" => Word::Watch,
        "docker" => Word::Docker,
        "history" => Word::History,
        verb if complete::is_command(verb) || verb.starts_with('-') => Word::Verb,
        name if SHELL.contains(&name) => Word::Shell,
        name if OWN_TOOLS.contains(&name) => Word::Request,
        "dig" | "host" | "ssh" | "telnet" | "http" | "hey" | "ab" => Word::Refused(NO_SUCH_TOOL),
        "vi" | "vim" | "nano" | "emacs" | "code" => Word::Refused(NO_EDITOR),
        "cd" | "cp" | "mv" | "rm" | "mkdir" | "rmdir" | "touch" | "chmod" | "chown" | "find" | "ln"
        | "source" => Word::Refused(NO_FILES),
        "jq" | "yq" => Word::Refused(NO_JQ),
        name if NODE_TOOLS.iter().any(|(tool, _)| *tool == name) => Word::Refused(ON_A_NODE),
        "helm" | "minikube" | "kind" | "kustomize" | "etcdctl" | "sudo" | "k9s" | "stern" | "kubectx"
        | "kubens" => Word::Refused(NO_CLUSTER),
        name if crate::kubectl::is_like_a_command(name) => Word::Verb,
        _ => Word::Unknown,
    }
}

/// How a command can go on after these words. `first` is whether the command is the line's first.
pub(super) fn goes_on(words: &[String], first: bool) -> Goes {
    let rest = |n: usize| words.get(n..).unwrap_or_default();
    let Some(name) = words.first() else {
        let own = ["help", "clear", "history", "watch", "kubectl", "docker", "curl"];
        let filters = if first { &[] } else { FILTERS };
        let verbs = complete::commands();
        return Goes::With(own.into_iter().chain(filters.iter().copied()).chain(verbs).collect());
    };
    match of(words) {
        Word::Kubectl => Goes::Kubectl(rest(1).to_vec()),
        Word::Docker => docker::goes_on(words),
        Word::Page if name == "help" => Goes::With(complete::commands().collect()),
        Word::Verb => Goes::Kubectl(words.to_vec()),
        Word::Watch => {
            let options = rest(1).iter().take_while(|w| w.starts_with('-') || w.parse::<f64>().is_ok());
            goes_on(rest(1 + options.count()), true)
        }
        Word::Shell if name == "xargs" => {
            let options = rest(1).iter().take_while(|w| w.starts_with('-') || w.parse::<u32>().is_ok());
            goes_on(rest(1 + options.count()), false)
        }
        Word::Shell if matches!(name.as_str(), "cat" | "grep" | "head" | "tail" | "wc") => {
            Goes::With(vec![super::super::keep::MANIFEST])
        }
        _ => Goes::With(Vec::new()),
    }
}

/// The text without the prompts that were copied with it.
pub(super) fn without_prompts(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let prompted = lines.iter().any(|l| l.trim_start().starts_with("$ "));
    let bare = |l: &&str| l.trim_start().strip_prefix("$ ").unwrap_or(l).to_owned();
    if prompted { lines.iter().map(bare).collect::<Vec<_>>().join("\n") } else { text.trim().to_owned() }
}

/// Whether a text needs more lines: it ends in a quotation, in a here-document or with a `\`.
pub fn is_unfinished(text: &str) -> bool {
    shell::is_unfinished(text)
}
