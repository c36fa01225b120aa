//! Commands that turn what they read into another form: `base64`, `md5sum`, `sha256sum`.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use md5::{Digest, Md5};
use sha2::Sha256;

use super::super::machine::{Ran, Shell};
use super::{Options, Tools};

/// After how many characters `base64` begins a new line.
const COLUMNS: usize = 76;

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// `base64 [-d] [-w COLUMNS] [FILE]`
pub(super) fn base64(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "w");
    let (all, failed) = shell.inputs_of("base64", &o.operands)?;
    let text: String = all.into_iter().map(|(_, text)| text).collect();
    if failed {
        return Ok(1);
    }
    if o.has('d') || o.has('D') {
        let plain: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let Ok(bytes) = ENGINE.decode(plain) else {
            shell.error(match shell.program.tools {
                Tools::Busybox => "base64: truncated base64 input",
                Tools::Gnu => "base64: invalid input",
            });
            return Ok(1);
        };
        // Files and streams are texts here: bytes that are no UTF-8 are lost.
        let decoded = String::from_utf8_lossy(&bytes).into_owned();
        shell.certain &= decoded.len() == bytes.len();
        shell.print(&decoded);
        return Ok(0);
    }
    let encoded = ENGINE.encode(text);
    let columns = o.value('w').map_or(Some(COLUMNS), |w| w.parse().ok());
    let Some(columns) = columns else {
        shell.error("base64: invalid wrap size");
        return Ok(1);
    };
    if columns == 0 {
        shell.print(&encoded);
        return Ok(0);
    }
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at_checked(columns).unwrap_or((rest, ""));
        shell.print(&format!("{line}\n"));
        rest = after;
    }
    Ok(0)
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

/// `md5sum [FILE…]`, `md5sum -c [FILE…]`
pub(super) fn md5sum(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    sum(shell, args, "md5sum", |text| hex(&Md5::digest(text.as_bytes())))
}

/// `sha256sum [FILE…]`, `sha256sum -c [FILE…]`
pub(super) fn sha256sum(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    sum(shell, args, "sha256sum", |text| hex(&Sha256::digest(text.as_bytes())))
}

/// Prints the sums of files, or with `-c` compares files with the sums that a file lists.
fn sum(shell: &mut Shell<'_>, args: &[String], command: &str, of: fn(&str) -> String) -> Ran {
    let o = Options::parse(args, "");
    let (all, failed) = shell.inputs_of(command, &o.operands)?;
    if !o.has('c') {
        for (name, text) in all {
            shell.print(&format!("{}  {name}\n", of(&text)));
        }
        return Ok(i32::from(failed));
    }
    let (mut wrong, mut total) = (0, 0);
    for (sum, name) in all.iter().flat_map(|(_, text)| text.lines()).filter_map(|l| l.split_once(' ')) {
        let name = name.trim_start_matches([' ', '*']);
        let (found, missing) = shell.inputs_of(command, &[name])?;
        let same = !missing && found.iter().all(|(_, text)| of(text) == sum);
        total += 1;
        wrong += i32::from(!same);
        if !same || !o.has('s') {
            shell.print(&format!("{name}: {}\n", if same { "OK" } else { "FAILED" }));
        }
    }
    if wrong > 0 {
        shell.error(&match shell.program.tools {
            Tools::Busybox => {
                format!("{command}: WARNING: {wrong} of {total} computed checksums did NOT match")
            }
            Tools::Gnu => format!("{command}: WARNING: {wrong} computed checksum did NOT match"),
        });
    }
    Ok(i32::from(failed || wrong > 0))
}
