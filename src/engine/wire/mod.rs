//! How outputs cross to another thread: what is shown is sent as what changed since it was sent last.
//!
//! A [`Shown`] is large (a graph of ten thousand pods, a timeline of a hundred thousand moments), and a step changes little of
//! it. Its parts are shared pointers, and a part that did not change is the same pointer, so a [`Sender`] reads those parts only
//! that are new; of a list or a graph it compares the entries, and sends those that differ. The [`Receiver`] on the other thread puts the changes into its own [`Shown`], whose unchanged parts
//! stay the same pointers there, too: components are memoised by these.
//!
//! ```
//! use steady::engine::wire::{Message, Receiver, Sender};
//! use steady::engine::{Engine, Input, Output, explorer::{read, write}};
//!
//! let mut engine = Engine::new(|| 0.0);
//! let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
//! for input in [Input::Begin(Default::default()), Input::Step] {
//!     let text = write(&sender.pack(engine.handle(input)));
//!     let messages: Vec<Message> = read(&text).unwrap();
//!     let outputs = receiver.unpack(messages);
//!     assert!(outputs.iter().any(|o| matches!(o, Output::Show(_))));
//! }
//! ```

mod graph;
mod list;
mod part;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::{Output, Shown};

/// How many messages of type [`Message::Show`] may be on their way: one that is drawn, and one that waits for it.
const AHEAD: usize = 2;

pub use graph::{EdgeChange, FilteredChange, GraphChange};
pub use list::Splice;
pub use part::Part;

/// An output as it is sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// [`Output::Show`]: the parts of what is shown that changed.
    Show(Vec<Part>),
    /// Any other output.
    Other(Output),
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
    held: Vec<Output>,
}

impl Sender {
    /// The messages for some outputs.
    pub fn pack(&mut self, outputs: Vec<Output>) -> Vec<Message> {
        let is_show = |o: &Output| matches!(o, Output::Show(_));
        if outputs.iter().any(is_show) {
            // What is held back of what was to be shown is old now.
            self.held.retain(|o| !is_show(o));
        }
        self.held.extend(outputs);
        self.release()
    }

    /// The other side has drawn what a [`Message::Show`] said. Returns the messages that were held back.
    pub fn drawn(&mut self) -> Vec<Message> {
        self.ahead = self.ahead.saturating_sub(1);
        self.release()
    }

    fn release(&mut self) -> Vec<Message> {
        let show = |o: &Output| matches!(o, Output::Show(_));
        let last = self.held.iter().rposition(show);
        if self.ahead >= AHEAD {
            // What came before the first output to show need not wait for it.
            let free = self.held.iter().position(show).unwrap_or(self.held.len());
            return self.held.drain(..free).map(Message::Other).collect();
        }
        let mut messages = Vec::new();
        for (place, output) in std::mem::take(&mut self.held).into_iter().enumerate() {
            match output {
                Output::Show(shown) if Some(place) == last => {
                    messages.push(Message::Show(part::changed(&self.sent, &shown)));
                    self.sent = *shown;
                    self.ahead += 1;
                }
                Output::Show(_) => {}
                other => messages.push(Message::Other(other)),
            }
        }
        messages
    }
}

/// Where outputs come in.
#[derive(Debug, Default)]
pub struct Receiver {
    /// What came last.
    shown: Shown,
}

impl Receiver {
    /// The outputs that some messages are. They have to come from one [`Sender`], all of them and in its order.
    pub fn unpack(&mut self, messages: Vec<Message>) -> Vec<Output> {
        let output = |message| match message {
            Message::Show(parts) => {
                for part in parts {
                    part::put(&mut self.shown, part);
                }
                Output::Show(Box::new(self.shown.clone()))
            }
            Message::Other(output) => output,
        };
        messages.into_iter().map(output).collect()
    }
}
