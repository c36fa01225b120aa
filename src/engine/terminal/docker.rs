//! `docker exec NODE COMMAND`: how a person looks into a node of a cluster that runs in containers, as kind's does.

use super::goes::Goes;
use super::node_files::{self, Change, failed, no_such_container};
use crate::cluster::{Cluster, NODE_TOOLS, NodeOutput, NotRun};
use crate::engine::keep::MANIFEST;
use crate::kubectl::Output;

const USAGE: &str = "Usage:  docker exec [OPTIONS] CONTAINER COMMAND [ARG...]\n\nRun 'docker exec --help' for more information\n";
const ONLY_EXEC: &str =
    "docker: the containers here are the cluster's nodes: docker exec NODE COMMAND looks into one\n";
const NO_SHELL: &str = "docker: a shell on a node is not built here: docker exec NODE COMMAND runs one command, for example crictl ps\n";

/// The words behind `docker exec`; `None` for another command of docker's.
fn of_exec(words: &[String]) -> Option<&[String]> {
    match words {
        [docker, container, exec, rest @ ..]
            if docker == "docker" && container == "container" && exec == "exec" =>
        {
            Some(rest)
        }
        [docker, exec, rest @ ..] if docker == "docker" && exec == "exec" => Some(rest),
        _ => None,
    }
}

/// The words behind the options, which make no difference here; an error is an option that docker does not have.
fn without_options(words: &[String]) -> Result<&[String], &str> {
    let mut rest = words;
    while let Some((word, behind)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        rest = match word.as_str() {
            "--" => return Ok(behind),
            "--interactive" | "--tty" | "--privileged" => behind,
            "-e" | "--env" | "-u" | "--user" | "-w" | "--workdir" => behind.get(1..).unwrap_or_default(),
            short if short.len() > 1 && short.chars().skip(1).all(|c| "it".contains(c)) => behind,
            other => return Err(other),
        };
    }
    Ok(rest)
}

/// What a command line that begins with `docker` changes on a node, and what it prints then; `None` for one that only looks.
/// `manifest` is the editor's text.
pub(super) fn change(cluster: &Cluster, words: &[String], manifest: &str) -> Option<Change> {
    match words {
        [docker, cp, rest @ ..] if docker == "docker" && cp == "cp" => {
            Some(node_files::copy(cluster, rest, manifest))
        }
        _ => {
            let [node, rm, rest @ ..] = without_options(of_exec(words)?).ok()? else { return None };
            (rm == "rm").then(|| node_files::remove(cluster, node, rest))
        }
    }
}

/// Runs a command line that begins with `docker`, and only looks. `nth` is how many commands were run before.
pub(super) fn run(cluster: &Cluster, words: &[String], nth: u64) -> Output {
    let Some(words) = of_exec(words) else { return failed(1, ONLY_EXEC) };
    let words = match without_options(words) {
        Ok(words) => words,
        Err(flag) => return failed(125, format!("unknown flag: {flag}\n\n{USAGE}")),
    };
    let (Some(node), Some(command)) = (words.first(), words.get(1)) else {
        return failed(1, format!("docker: 'docker exec' requires at least 2 arguments\n\n{USAGE}"));
    };
    let command_line = words.get(1..).unwrap_or_default();
    if let Some(looked) =
        node_files::look(cluster, node, command_line).filter(|_| cluster.machines().any(|m| m == node))
    {
        return looked;
    }
    match cluster.run_on_node(node, command_line, nth) {
        Ok(done) => printed(done),
        Err(NotRun::NoSuchNode) => no_such_container(node),
        Err(NotRun::NoSuchCommand) if matches!(command.as_str(), "sh" | "bash" | "/bin/sh" | "/bin/bash") => {
            failed(1, NO_SHELL)
        }
        // The daemon says it in place of the command, to standard output.
        Err(NotRun::NoSuchCommand) => Output {
            stdout: format!(
                "OCI runtime exec failed: exec failed: unable to start container process: exec: {}: executable file not \
                 found in $PATH\n",
                crate::api::quote::go_quote(command)
            ),
            exit: 127,
            ..Output::default()
        },
    }
}

/// What a program of a machine printed.
pub(super) fn printed(done: NodeOutput) -> Output {
    Output { stdout: done.stdout, stderr: done.stderr, exit: done.exit, ..Output::default() }
}

/// How a command that begins with `docker` goes on.
pub(super) fn goes_on(words: &[String]) -> Goes {
    let Some(words) = of_exec(words) else {
        return Goes::With(match words {
            [_] => vec!["cp", "exec"],
            [_, cp] if cp == "cp" => vec![MANIFEST],
            _ => Vec::new(),
        });
    };
    match without_options(words).unwrap_or_default() {
        [] => Goes::Nodes,
        [_] => {
            let files = ["cat", "ls", "rm"].into_iter();
            Goes::With(files.chain(NODE_TOOLS.into_iter().map(|(name, _)| name)).collect())
        }
        [_, tool] => {
            let known = NODE_TOOLS.into_iter().find(|(name, _)| name == tool);
            Goes::With(known.map(|(_, next)| next.to_vec()).unwrap_or_default())
        }
        [_, tool, list] if tool == "nft" && list == "list" => Goes::With(vec!["ruleset", "table", "tables"]),
        _ => Goes::With(Vec::new()),
    }
}
