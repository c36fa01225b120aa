//! Images that no registry has, in words.

use steady::engine::MissingImage;

use super::i18n::Texts;

/// What is missing, and what may be meant.
pub fn missing_image(t: &Texts, missing: &MissingImage) -> String {
    let name = ("name", missing.name.clone().into());
    let said = match &missing.tag {
        Some(tag) => t.with("image-no-tag", &[name.clone(), ("tag", tag.clone().into())]),
        None => t.with("image-no-name", std::slice::from_ref(&name)),
    };
    let key = match (&missing.meant, &missing.tag) {
        (Some(_), None) => "image-meant",
        (Some(_), Some(_)) => "image-newest",
        (None, None) => "image-own",
        (None, Some(_)) => return said,
    };
    let meant = missing.meant.clone().unwrap_or_default();
    t.with(key, &[("said", said.into()), ("meant", meant.into()), name])
}
