//! Files once more, compressed with brotli and with gzip.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use brotli::enc::BrotliEncoderParams;
use sha2::{Digest, Sha256};

use crate::{Result, why};

/// What is compressed: other files are compressed already, or nobody fetches them often.
const KINDS: [&str; 8] = ["css", "html", "js", "json", "svg", "txt", "wasm", "webmanifest"];
/// A smaller file fits into one packet as it is.
const SMALLEST: u64 = 1024;

/// Removes the compressed files of an earlier build.
pub fn clear(dist: &Path) -> Result<()> {
    for file in crate::files(dist)?.iter().filter(|file| file.ends_with(".br") || file.ends_with(".gz")) {
        let file = dist.join(file);
        std::fs::remove_file(&file).map_err(why(&file))?;
    }
    Ok(())
}

/// Compresses the files, as many at once as the machine has cores, the largest first. Returns how many bytes they have
/// together: as they are, with gzip and with brotli.
pub fn all(dist: &Path, files: &[String]) -> Result<[u64; 3]> {
    let mut work = Vec::new();
    for file in files.iter().filter(|file| KINDS.contains(&file.rsplit('.').next().unwrap_or(""))) {
        let path = dist.join(file);
        let size = std::fs::metadata(&path).map_err(why(&path))?.len();
        if size >= SMALLEST {
            work.push((size, path));
        }
    }
    work.sort_by(|a, b| b.cmp(a));
    let (next, sizes) = (AtomicUsize::new(0), Mutex::new(HashMap::new()));
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some((_, path)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match one(path) {
                        Ok(three) => {
                            sizes.lock().unwrap_or_else(|e| e.into_inner()).insert(path, three);
                        }
                        Err(e) => *failed.lock().unwrap_or_else(|e| e.into_inner()) = Some(e),
                    }
                }
            });
        }
    });
    if let Some(e) = failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
        return Err(e);
    }
    let sizes = sizes.into_inner().unwrap_or_else(|e| e.into_inner());
    Ok(sizes.values().fold([0; 3], |sum, three| std::array::from_fn(|i| sum[i] + three[i])))
}

/// Compresses a body.
type Form = fn(&[u8]) -> std::io::Result<Vec<u8>>;

/// Writes a file's two compressed forms, where they are smaller.
fn one(path: &Path) -> Result<[u64; 3]> {
    let body = std::fs::read(path).map_err(why(path))?;
    let plain = body.len() as u64;
    let forms: [(&str, Form); 2] = [("gz", gzip), ("br", brotli)];
    let mut sizes = [plain; 3];
    for (size, (ending, form)) in sizes[1..].iter_mut().zip(forms) {
        let packed = kept(&body, ending, form).map_err(why(path))?;
        if (packed.len() as u64) < plain {
            *size = packed.len() as u64;
            let file = PathBuf::from(format!("{}.{ending}", path.display()));
            std::fs::write(&file, packed).map_err(why(&file))?;
        }
    }
    Ok(sizes)
}

/// The compressed form of a body. A form that took a second or more to make is kept in the build's directory, for a file
/// that stays the same from build to build.
fn kept(body: &[u8], ending: &str, form: Form) -> std::io::Result<Vec<u8>> {
    let hash: String = Sha256::digest(body).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let Some(file) = cache().map(|dir| dir.join(format!("{hash}.{ending}"))) else { return form(body) };
    if let Ok(packed) = std::fs::read(&file) {
        return Ok(packed);
    }
    let begun = std::time::Instant::now();
    let packed = form(body)?;
    if begun.elapsed().as_secs() >= 1 {
        // Whoever cannot keep it makes it again.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(&file, &packed);
    }
    Ok(packed)
}

/// Beside this program: `target/debug/packed`.
fn cache() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.join("packed"))
}

fn gzip(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(body)?;
    out.finish()
}

fn brotli(body: &[u8]) -> std::io::Result<Vec<u8>> {
    // The largest window that browsers know.
    let params = BrotliEncoderParams { quality: 11, lgwin: 24, size_hint: body.len(), ..Default::default() };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &*body, &mut out, &params)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Read;

    use super::*;

    #[test]
    fn both_forms_are_smaller_and_unpack_to_the_same() {
        let body = "kind: Deployment\n".repeat(500).into_bytes();
        let (gz, br) = (gzip(&body).unwrap(), brotli(&body).unwrap());
        assert!(gz.len() < body.len() / 10 && br.len() < gz.len());
        let mut out = Vec::new();
        flate2::read::GzDecoder::new(&*gz).read_to_end(&mut out).unwrap();
        assert_eq!(out, body);
        out.clear();
        brotli::BrotliDecompress(&mut &*br, &mut out).unwrap();
        assert_eq!(out, body);
    }
}
