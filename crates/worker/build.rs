//! What the linker is told of the workers' wasm.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    if !is("CARGO_CFG_TARGET_ARCH", "wasm32") {
        return;
    }
    // Parsing and evaluating CEL needs as much stack as the expression is nested, which `steady::cel` limits. This much is
    // enough for the deepest expression, unoptimised too.
    println!("cargo:rustc-link-arg-bins=-zstack-size=16777216");
    // What is built for size is published, and `crates/split/` cuts it in two: the linker reports which data refers to which.
    if is("OPT_LEVEL", "z") {
        println!("cargo:rustc-link-arg-bins=--emit-relocs");
    }
}
