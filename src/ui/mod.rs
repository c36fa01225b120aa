//! The page's components. What needs no browser ([`i18n`], [`layout`], [`who`]) is compiled and tested
//! natively too.

#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
mod alike;
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, unused_imports))]
mod export;
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, unused_imports))]
mod i18n;
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
mod layout;
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
mod map;
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
mod sought;

#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod board;
#[cfg(target_arch = "wasm32")]
mod clock;
#[cfg(target_arch = "wasm32")]
mod course;
#[cfg(target_arch = "wasm32")]
mod drop;
#[cfg(target_arch = "wasm32")]
mod editor;
#[cfg(target_arch = "wasm32")]
mod explore;
#[cfg(target_arch = "wasm32")]
mod frame;
#[cfg(target_arch = "wasm32")]
mod gallery;
#[cfg(target_arch = "wasm32")]
mod glyph;
#[cfg(target_arch = "wasm32")]
mod graph;
#[cfg(target_arch = "wasm32")]
mod handle;
#[cfg(target_arch = "wasm32")]
mod hooks;
#[cfg(target_arch = "wasm32")]
mod inspector;
#[cfg(target_arch = "wasm32")]
mod js;
#[cfg(target_arch = "wasm32")]
mod keys;
#[cfg(target_arch = "wasm32")]
mod left;
#[cfg(target_arch = "wasm32")]
mod lesson;
#[cfg(target_arch = "wasm32")]
mod menu;
#[cfg(target_arch = "wasm32")]
mod missing;
#[cfg(target_arch = "wasm32")]
mod next;
#[cfg(target_arch = "wasm32")]
mod notice;
#[cfg(target_arch = "wasm32")]
mod pane;
mod picked;

#[cfg(target_arch = "wasm32")]
mod player;
#[cfg(target_arch = "wasm32")]
mod policy;
#[cfg(target_arch = "wasm32")]
mod rehearse;
#[cfg(target_arch = "wasm32")]
mod report;
#[cfg(target_arch = "wasm32")]
mod requests;
#[cfg(target_arch = "wasm32")]
mod rules;
#[cfg(target_arch = "wasm32")]
mod runs;
#[cfg(target_arch = "wasm32")]
mod share;
#[cfg(target_arch = "wasm32")]
mod store;
#[cfg(target_arch = "wasm32")]
mod summary;
#[cfg(target_arch = "wasm32")]
mod terminal;
#[cfg(target_arch = "wasm32")]
mod terms;
#[cfg(target_arch = "wasm32")]
mod timeline;
mod times;
#[cfg(target_arch = "wasm32")]
mod topbar;
#[cfg(target_arch = "wasm32")]
mod traffic;
mod who;
mod window;
#[cfg(target_arch = "wasm32")]
mod worker;

#[cfg(target_arch = "wasm32")]
pub use app::mount;
