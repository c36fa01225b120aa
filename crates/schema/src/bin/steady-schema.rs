//! `steady-schema [FILE]`: writes the editor's schema. Without a file it writes `schema.json` in Trunk's
//! staging directory if it runs as a hook of Trunk, else `target/schema.json`.

use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).unwrap_or_else(default_file);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(&file, serde_json::to_vec(&steady_schema::document()?)?)?;
    Ok(())
}

fn default_file() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os("TRUNK_STAGING_DIR") {
        Some(dir) => PathBuf::from(dir).join("schema.json"),
        None => root.join("target/schema.json"),
    }
}
