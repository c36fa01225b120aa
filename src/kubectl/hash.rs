//! The hash that stands behind the name of a ConfigMap or a Secret: `create --append-hash` and kustomize.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::go;

/// Ten characters that make no words, of the content as JSON.
pub(super) fn of(content: &Value) -> String {
    let sum = Sha256::digest(go::json(content).as_bytes());
    let hex: String = sum.iter().take(5).map(|b| format!("{b:02x}")).collect();
    let replaced = hex.chars().map(|c| match c {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        c => c,
    });
    replaced.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_hashes_of_kubernetes_own_test() {
        // pkg/util/hash/hash_test.go
        let config_map = |data: Value| of(&json!({"kind": "ConfigMap", "name": "", "data": data}));
        assert_eq!(config_map(json!({})), "42745tchd9");
        assert_eq!(config_map(json!({"one": ""})), "9g67k2htb6");
        assert_eq!(config_map(json!({"two": "2", "one": "", "three": "3"})), "f5h7t85m9b");
        let secret =
            |data: Value| of(&json!({"kind": "Secret", "type": "my-type", "name": "", "data": data}));
        assert_eq!(secret(json!({})), "t75bgf6ctb");
        assert_eq!(secret(json!({"one": ""})), "74bd68bm66");
    }
}
