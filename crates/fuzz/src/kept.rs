//! The inputs that have broken a promise once.

use std::path::PathBuf;

use crate::targets::Target;

/// An input in a file.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The file's name.
    pub name: String,
    /// The input.
    pub input: Vec<u8>,
}

/// Where the inputs of a target are kept.
pub fn folder(target: &Target) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("kept").join(target.name)
}

/// The kept inputs of a target, in the order of their names.
pub fn kept(target: &Target) -> Vec<Kept> {
    let Ok(entries) = std::fs::read_dir(folder(target)) else { return Vec::new() };
    let read = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        Some(Kept { name, input: std::fs::read(entry.path()).ok()? })
    };
    let mut all: Vec<Kept> = entries.flatten().filter_map(read).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

impl Kept {
    /// Keeps an input of a target in a file that is named after its bytes. Returns the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(target: &Target, input: &[u8]) -> std::io::Result<PathBuf> {
        let fold = |hash: u64, b: &u8| (hash ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
        let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, fold);
        let folder = folder(target);
        std::fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{hash:016x}"));
        std::fs::write(&file, input)?;
        Ok(file)
    }
}
