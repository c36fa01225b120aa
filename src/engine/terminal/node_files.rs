//! The files of a node that the terminal knows: the manifests of its static pods, and the state of its CPU manager. `docker exec NODE
//! ls`, `cat` and `rm` look at manifests and take them away, `cat` looks at the state, and `docker cp manifest.yaml NODE:/etc/kubernetes/manifests/` puts what the editor has there.

use crate::cluster::{Cluster, Fault};
use crate::engine::keep::MANIFEST;
use crate::kubectl::Output;
use crate::kubelet::STATIC_POD_PATH;

const ONLY_MANIFESTS: &str = "docker: of a node's files there are only the manifests of static pods here: docker cp manifest.yaml NODE:/etc/kubernetes/manifests/\n";

/// Where a kubelet keeps which processors containers have for themselves.
const CPU_MANAGER_STATE: &str = "/var/lib/kubelet/cpu_manager_state";

/// What a command has printed that has failed.
pub(super) fn failed(exit: i32, stderr: impl Into<String>) -> Output {
    Output { stderr: stderr.into(), exit, ..Output::default() }
}

/// What docker says of a node that is none.
pub(super) fn no_such_container(node: &str) -> Output {
    failed(1, format!("Error response from daemon: No such container: {node}\n"))
}

/// The name of a file below the directory of manifests.
fn name_in(path: &str) -> Option<&str> {
    let name = path.strip_prefix(STATIC_POD_PATH)?.strip_prefix('/')?;
    (!name.contains('/')).then_some(name)
}

/// The manifests of a node, each with its text.
fn files<'a>(cluster: &'a Cluster, node: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    cluster.manifests().filter(move |(on, ..)| *on == node).map(|(_, file, m)| (file, &*m.text))
}

fn text<'a>(cluster: &'a Cluster, node: &'a str, path: &str) -> Option<&'a str> {
    let name = name_in(path)?;
    files(cluster, node).find(|(file, _)| *file == name).map(|(_, text)| text)
}

/// The words that are no options.
fn operands(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).filter(|w| !w.starts_with('-')).collect()
}

/// What `ls` or `cat` prints on a node; `None` for another command.
pub(super) fn look(cluster: &Cluster, node: &str, words: &[String]) -> Option<Output> {
    let (tool, rest) = words.split_first()?;
    let paths = operands(rest);
    let mut out = Output::default();
    match tool.as_str() {
        "ls" => {
            for path in paths {
                if path.trim_end_matches('/') == STATIC_POD_PATH {
                    let shown = files(cluster, node).filter(|(file, _)| !file.starts_with('.'));
                    out.stdout.extend(shown.map(|(file, _)| format!("{file}\n")));
                } else if text(cluster, node, path).is_some() {
                    out.stdout.push_str(&format!("{path}\n"));
                } else {
                    out.exit = 2;
                    out.stderr.push_str(&format!("ls: cannot access '{path}': No such file or directory\n"));
                }
            }
        }
        "cat" => {
            for path in paths {
                match text(cluster, node, path) {
                    Some(text) => out.stdout.push_str(text),
                    None if path == CPU_MANAGER_STATE => {
                        out.stdout.extend(cluster.cpu_manager_state(node));
                    }
                    None => {
                        out.exit = 1;
                        out.stderr.push_str(&format!("cat: {path}: No such file or directory\n"));
                    }
                }
            }
        }
        _ => return None,
    }
    Some(out)
}

/// What is done on a node, and what is printed then.
pub(super) type Change = (Vec<Fault>, Output);

fn refused(output: Output) -> Change {
    (Vec::new(), output)
}

/// `docker cp` with the words behind it. `manifest` is the editor's text.
pub(super) fn copy(cluster: &Cluster, words: &[String], manifest: &str) -> Change {
    let [from, to] = operands(words)[..] else {
        return refused(failed(
            1,
            "docker: 'docker cp' requires 2 arguments\n\nUsage:  docker cp [OPTIONS] SRC_PATH CONTAINER:DEST_PATH\n",
        ));
    };
    let Some((node, path)) = to.split_once(':') else { return refused(failed(1, ONLY_MANIFESTS)) };
    if !cluster.machines().any(|machine| machine == node) {
        return refused(no_such_container(node));
    }
    if from.trim_start_matches("./") != MANIFEST {
        return refused(failed(1, format!("lstat {from}: no such file or directory\n")));
    }
    let file = match name_in(path) {
        _ if path.trim_end_matches('/') == STATIC_POD_PATH => MANIFEST,
        Some(name) => name,
        None => return refused(failed(1, ONLY_MANIFESTS)),
    };
    let put = Fault::Manifest { node: node.into(), file: file.into(), text: Some(manifest.into()) };
    let told = format!("Successfully copied {} to {to}\n", size(manifest.len()));
    (vec![put], Output { stderr: told, ..Output::default() })
}

/// The size of the archive that docker sends, as docker writes it: of a header, the file in blocks, and two empty blocks.
fn size(file: usize) -> String {
    const BLOCK: usize = 512;
    let all = BLOCK.saturating_mul(3).saturating_add(file.div_ceil(BLOCK).saturating_mul(BLOCK));
    let hundredths = all.saturating_add(5) / 10;
    match hundredths {
        0..1000 => format!("{}.{:02}kB", hundredths / 100, hundredths % 100),
        1000..10_000 => format!("{}.{}kB", hundredths / 100, hundredths % 100 / 10),
        _ => format!("{}kB", hundredths / 100),
    }
}

/// `rm` on a node.
pub(super) fn remove(cluster: &Cluster, node: &str, words: &[String]) -> Change {
    if !cluster.machines().any(|machine| machine == node) {
        return refused(no_such_container(node));
    }
    let forced = words.iter().any(|w| w.starts_with('-') && w.contains('f'));
    let (mut faults, mut out) = (Vec::new(), Output::default());
    for path in operands(words) {
        match name_in(path).filter(|_| text(cluster, node, path).is_some()) {
            Some(name) => {
                faults.push(Fault::Manifest { node: node.into(), file: name.into(), text: None });
            }
            None if forced => {}
            None => {
                out.exit = 1;
                out.stderr.push_str(&format!("rm: cannot remove '{path}': No such file or directory\n"));
            }
        }
    }
    (faults, out)
}
