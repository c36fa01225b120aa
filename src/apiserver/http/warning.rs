//! The `Warning` headers of an answer.

/// The `Warning` headers (`k8s.io/apiserver/pkg/endpoints/filters/warning.go`). A text that no header can hold is left
/// out; if all texts together are too long, each is cut.
pub(super) fn headers(texts: &[String]) -> Vec<String> {
    const TOTAL: usize = 4096;
    const EACH: usize = 256;
    let texts: Vec<&String> =
        texts.iter().filter(|t| !t.is_empty() && !t.contains(char::is_control)).collect();
    if texts.iter().map(|t| t.chars().count()).sum::<usize>() <= TOTAL {
        return texts.into_iter().map(|t| warning(t)).collect();
    }
    let mut written = 0;
    let mut headers = Vec::new();
    for text in texts {
        if written >= TOTAL {
            break;
        }
        let cut: String = text.chars().take(EACH).collect();
        written += cut.chars().count();
        headers.push(warning(&cut));
    }
    headers
}

/// A `Warning` header: code 299, no agent, the text quoted.
fn warning(text: &str) -> String {
    format!("299 - \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
