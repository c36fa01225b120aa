//! `steady-schema FILE`: writes the editor's schema. `cargo xtask schema` calls it.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from).ok_or("the name of the file is missing")?;
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(&file, serde_json::to_vec(&steady_schema::document()?)?)?;
    Ok(())
}
