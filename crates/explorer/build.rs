//! What reads and evaluates CEL goes down as deep as the expression is nested, with large frames. The
//! bounds in `src/cel.rs` are those at which this much stack is enough, unoptimised too.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo:rustc-link-arg-bins=-zstack-size=16777216");
    }
}
