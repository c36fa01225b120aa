//! What the page shows of a cluster, worked out natively: facts and their relations, no pixels and
//! no words of a language. Words that Kubernetes itself has (`CrashLoopBackOff`) are facts.
//!
//! All of it is plain data that can be written and read back, so it may be shown where the cluster is not.

mod ails;
mod card;
pub mod causes;
mod changes;
mod declared;
mod defined;
mod events;
mod faults;
pub mod graph;
mod happened;
mod history;
mod images;
mod inspect;
pub mod journey;
pub mod kinds;
mod lines;
mod links;
pub mod machinery;
mod next;
mod offers;
mod pods;
mod preview;
mod problems;
mod readings;
mod reason;
mod refusal;
mod report;
mod requests;
mod rules;
pub mod scheduling;
mod sent;
mod timeline;
mod traffic;
mod urls;
mod via;
mod whose;
mod why;

pub use crate::network::traffic::can_declare;
pub use ails::Ails;
pub use card::{Card, Halt, Health, Place, Standing};
pub use changes::{FieldChange, field_changes};
pub use declared::{Ailing, Declared, Short, declared};
pub use defined::{DefinedKind, DefinedKinds};
pub use events::{Condition, EventLine, EventsView, events};
pub use faults::{PlaneFault, PodFault, crash, plane_faults, pod_faults, running_containers};
pub use happened::{Finest, FinestLine, Happened, Issued, RequestWords, regarding, subject};
pub use history::{Version, versions};
pub use images::{ImageWarning, MissingImage, image_warnings};
pub use inspect::{CpuView, ObjectView, YamlView, object_view, yaml_view};
pub use lines::{FieldId, Line, LineMark, object_lines, yaml_of};
pub use links::{LinkGroup, links};
pub use next::{Listing, NextLine, NextWhat, Pick};
pub use offers::{Deed, Offer, eviction};
pub use pods::{PodLook, PodView, pod_view};
pub use preview::{Preview, follow};
pub use problems::{Problem, problems};
pub use readings::{Readings, readings};
pub use reason::{Reason, ReasonFact};
pub use refusal::Refusal;
pub use report::Counts;
pub use requests::{RequestHead, RequestView, requests};
pub use rules::{RuleBook, RuleChapter, RuleView, rule_book};
pub use sent::{SentStep, SentView, SentWhat, Stands, sent};
pub use timeline::{Branch, Mark, branches, follow_marks};
pub use traffic::{ClientView, TrafficView, Whole, traffic};
pub use whose::NobodysAddress;
pub use why::{ConsequenceView, SummaryView, WhyLink, WhyView, summary, why};

/// A word that stands in the code, as a rule's name or a key of the page's catalogue.
pub type Word = smol_str::SmolStr;
