//! The page. In a browser it mounts [`ui`]; natively there is nothing to run.

#[cfg(any(target_arch = "wasm32", test))]
mod ui;

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    ui::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("steady is a page: run `cargo xtask serve` and open the address it prints.");
}
