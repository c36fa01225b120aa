//! Parsing and evaluating CEL needs as much stack as the expression is nested, which `steady::cel` limits.
//! This much stack is enough for the deepest expression, unoptimised too.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo:rustc-link-arg-bins=-zstack-size=16777216");
    }
}
