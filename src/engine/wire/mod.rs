//! How inputs and outputs cross to another thread: what is shown is sent as what changed since it was sent last.
//!
//! A [`Shown`] is large (a graph of ten thousand pods, a timeline of a hundred thousand moments), and a step changes little of
//! it. Its parts are shared pointers, and a part that did not change is the same pointer, so a [`Sender`] reads those parts only
//! that are new; of a list or a graph it compares the entries, and sends those that differ. The [`Receiver`] on the other thread puts the changes into its own [`Shown`], whose unchanged parts
//! stay the same pointers there, too: components are memoised by these.
//!
//! ```
//! use steady::engine::wire::{self, Heard, Order, Receiver, Sender};
//! use steady::engine::{Engine, Input, Output, explorer::{read, write}};
//!
//! let mut engine = Engine::new(|| 0.0);
//! let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
//! for (number, input) in [(1, Input::Begin(Default::default())), (2, Input::Step)] {
//!     // The page's side sends an order.
//!     let order = write(&Order::Input(number, input));
//!     // The engine's side answers it.
//!     let Order::Input(number, input) = read(&order).unwrap() else { unreachable!() };
//!     let text = write(&sender.handled(number, engine.handle(input)));
//!     // And the page's side hears.
//!     let heard = receiver.unpack(wire::read(&text).unwrap());
//!     assert!(heard.iter().any(|h| matches!(h, Heard::Output(Output::Show(_)))));
//!     assert!(matches!(heard.last(), Some(Heard::Handled(n)) if *n == number));
//! }
//! ```

mod graph;
mod list;
mod part;
#[cfg(test)]
mod tests;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Input, Output, Shown};

/// How many messages of type [`Message::Show`] may be on their way: one that is drawn, and one that waits for it.
const AHEAD: usize = 2;

pub use graph::{EdgeChange, FilteredChange, GraphChange};
pub use list::Splice;
pub use part::Part;

/// What the page's side sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// An input for the engine. The number is the page's own, and comes back in [`Message::Handled`].
    Input(u64, Input),
    /// What a [`Message::Show`] said is drawn.
    Drawn,
}

/// What the engine's side sends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// [`Output::Show`]: the parts of what is shown that changed.
    Show(Vec<Part>),
    /// Any other output.
    Other(Output),
    /// [`Engine::handle`](super::Engine::handle) has come back from the input with this number, and what it returned was sent
    /// before this.
    Handled(u64),
    /// The engine can do nothing any more, for this reason. The worker's script says so, also where the engine could not be
    /// loaded (static/worker.js).
    Failed(String),
}

/// Reads messages from JSON, without a detour by a `Value`: they may be large. The page reads everything in this way: another
/// one ([`explorer::read`](super::explorer::read)) would cost it a second copy of the types' decoders, as this one would cost
/// the engine.
///
/// # Errors
/// What is wrong with the text.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// What comes out of messages.
#[derive(Clone, Debug)]
pub enum Heard {
    /// An output.
    Output(Output),
    /// [`Message::Handled`]
    Handled(u64),
    /// [`Message::Failed`]
    Failed(String),
}

/// Where outputs are sent from.
///
/// An engine can show more than a page can draw. So what is shown is held back while two messages about it are on their
/// way, and with it what came after it; of several outputs to show that are held back the last one is sent.
#[derive(Debug, Default)]
pub struct Sender {
    /// What was sent last.
    sent: Shown,
    /// How many of the messages that show something were not drawn yet.
    ahead: usize,
    /// What is held back.
    held: Vec<Heard>,
}

impl Sender {
    /// The messages for some outputs.
    pub fn pack(&mut self, outputs: Vec<Output>) -> Vec<Message> {
        self.hold(outputs);
        self.release()
    }

    /// The messages for the outputs that an input with a number led to.
    pub fn handled(&mut self, number: u64, outputs: Vec<Output>) -> Vec<Message> {
        self.hold(outputs);
        self.held.push(Heard::Handled(number));
        self.release()
    }

    /// The other side has drawn what a [`Message::Show`] said. Returns the messages that were held back.
    pub fn drawn(&mut self) -> Vec<Message> {
        self.ahead = self.ahead.saturating_sub(1);
        self.release()
    }

    fn hold(&mut self, outputs: Vec<Output>) {
        for heard in outputs.into_iter().map(Heard::Output) {
            // What is held back of what was to be shown is old now. What is newer stands in its place, so that whoever hears that
            // an input was handled has seen what that led to.
            match self.held.iter_mut().find(|held| is_show(held)) {
                Some(old) if is_show(&heard) => *old = heard,
                _ => self.held.push(heard),
            }
        }
    }

    fn release(&mut self) -> Vec<Message> {
        if self.ahead >= AHEAD {
            // What came before the output to show need not wait for it.
            let free = self.held.iter().position(is_show).unwrap_or(self.held.len());
            return self.held.drain(..free).filter_map(plain).collect();
        }
        let mut messages = Vec::new();
        for heard in std::mem::take(&mut self.held) {
            match heard {
                Heard::Output(Output::Show(shown)) => {
                    messages.push(Message::Show(part::changed(&self.sent, &shown)));
                    self.sent = *shown;
                    self.ahead += 1;
                }
                other => messages.extend(plain(other)),
            }
        }
        messages
    }
}

fn is_show(heard: &Heard) -> bool {
    matches!(heard, Heard::Output(Output::Show(_)))
}

/// The message of what is sent as it is; `None` for something to show.
fn plain(heard: Heard) -> Option<Message> {
    match heard {
        Heard::Output(Output::Show(_)) => None,
        Heard::Output(other) => Some(Message::Other(other)),
        Heard::Handled(number) => Some(Message::Handled(number)),
        Heard::Failed(why) => Some(Message::Failed(why)),
    }
}

/// Where outputs come in.
#[derive(Debug, Default)]
pub struct Receiver {
    /// What came last.
    shown: Shown,
}

impl Receiver {
    /// What some messages say. They have to come from one [`Sender`], all of them and in its order.
    pub fn unpack(&mut self, messages: Vec<Message>) -> Vec<Heard> {
        let heard = |message| match message {
            Message::Show(parts) => {
                for part in parts {
                    part::put(&mut self.shown, part);
                }
                Heard::Output(Output::Show(Box::new(self.shown.clone())))
            }
            Message::Other(output) => Heard::Output(output),
            Message::Handled(number) => Heard::Handled(number),
            Message::Failed(why) => Heard::Failed(why),
        };
        messages.into_iter().map(heard).collect()
    }
}
