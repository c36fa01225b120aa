//! A run in other forms than the page's own: objects as YAML, the graph as Mermaid, the graph of states as DOT. What has
//! sentences in it, or stands somewhere on a picture, is made by the page (`ui/export`), which knows languages and places.

mod dot;
mod frames;
mod mermaid;
mod steps;
mod yaml;

pub use dot::dot;
pub use frames::{FRAMES_LIMIT, Frame, frames};
pub use mermaid::mermaid;
pub use steps::{STEPS_LIMIT, StepTold, Written, steps};
pub use yaml::{Which, documents, yaml};
