//! Makes a built page ready for a host: `steady-pack DIST`. With `--offline` it does only the first of the two:
//!
//! 1. `sw.js` gets its version and the list of the files that work offline: [`offline`].
//! 2. Every file that gets smaller is written once more as `….br` and once more as `….gz`: [`compress`]. A host that knows
//!    such files sends them without compressing anything itself.

mod compress;
mod offline;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// An error is a text for the person.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let Some(dist) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("error: name the directory of the built page");
        return ExitCode::FAILURE;
    };
    let compress = std::env::args_os().nth(2).is_none_or(|flag| flag != "--offline");
    match pack(&dist, compress) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn pack(dist: &Path, compress: bool) -> Result<String> {
    compress::clear(dist)?;
    let files = files(dist)?;
    let offline = offline::write(dist, &files)?;
    if !compress {
        return Ok(format!("{offline} files work offline"));
    }
    let [plain, gzip, brotli] = compress::all(dist, &files)?.map(|bytes| bytes / 1000);
    Ok(format!(
        "{offline} files work offline; {plain} KB are {gzip} KB with gzip and {brotli} KB with brotli"
    ))
}

/// The files below a directory, as paths from there with `/`, in the order of their names. Files that begin with a dot are
/// left out.
fn files(dist: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut dirs = vec![dist.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).map_err(why(&dir))? {
            let path = entry.map_err(why(&dir))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                dirs.push(path);
            } else if let Ok(inside) = path.strip_prefix(dist) {
                let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                found.push(parts.join("/"));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Makes an error a text that names the file.
fn why(file: &Path) -> impl Fn(std::io::Error) -> String {
    move |e| format!("{}: {e}", file.display())
}
