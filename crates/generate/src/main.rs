//! `cargo xtask generate`: see the library.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use steady_generate::{Result, lock, pin, write};

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut from, mut repin, mut check) = (None, false, false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--from" => from = Some(PathBuf::from(args.next().ok_or("--from wants a directory")?)),
            "--pin" => repin = true,
            "--check" => check = true,
            other => return Err(format!("`{other}` is not known here")),
        }
    }
    if check {
        return lock::check(&root);
    }
    let Some(from) = from else {
        let pins = pin::Pins::read(&root)?;
        return Err(format!(
            "--from DIR is missing: where Kubernetes' repositories are.\n{}",
            pins.how_to_get()
        ));
    };
    for file in write(&root, &from, repin)? {
        println!("{file}");
    }
    Ok(())
}
