//! The program that writes the schema. As it is tested, a build of the tests leaves it in the target directory, from where
//! `cargo xtask test` runs it.

use std::process::Command;

#[test]
fn it_writes_the_schema_into_a_new_directory() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("a directory");
    // Left by a run before.
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let file = dir.join("schema.json");
    let status = Command::new(env!("CARGO_BIN_EXE_steady-schema")).arg(&file).status()?;
    assert!(status.success());
    let written: serde_json::Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    assert_eq!(written, steady_schema::document()?);
    Ok(())
}

#[test]
fn without_a_file_it_says_what_is_missing() -> Result<(), Box<dyn std::error::Error>> {
    let output = Command::new(env!("CARGO_BIN_EXE_steady-schema")).output()?;
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("the name of the file is missing"));
    Ok(())
}
