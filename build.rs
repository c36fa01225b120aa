//! Has the linker say what refers to which data in the page as it is published: `crates/split/` cuts it in two.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    // Only what is built for size is cut.
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("OPT_LEVEL", "z") {
        println!("cargo:rustc-link-arg-bin=steady=--emit-relocs");
    }
}
