//! The engine of the page, as its worker hears orders and tells what came of them. Both are texts.

use steady::engine::explorer::{read, write};
use steady::engine::wire::{Message, Order, Sender};
use steady::engine::{Engine, Output};

/// An engine, and what the page has been sent of it.
pub struct Serving {
    engine: Engine,
    sender: Sender,
}

impl Serving {
    /// A new engine. The clock tells milliseconds and never goes back.
    pub fn new(clock: impl Fn() -> f64 + 'static) -> Serving {
        Serving { engine: Engine::new(clock), sender: Sender::default() }
    }

    /// Carries out an [`Order`]. Returns the messages that came of it, as a JSON list; an error if the text is no order,
    /// which a page of the same build does not send.
    pub fn hear(&mut self, order: &str) -> Result<String, String> {
        let messages = match read::<Order>(order)? {
            Order::Input(number, input) => {
                let outputs = self.engine.handle(input);
                self.sender.handled(number, outputs)
            }
            Order::Drawn => self.sender.drawn(),
        };
        Ok(told(&messages))
    }

    /// Goes on with what is under way, for a slice. Returns the messages, as a JSON list.
    pub fn go_on(&mut self) -> String {
        let outputs: Vec<Output> = self.engine.work();
        told(&self.sender.pack(outputs))
    }

    /// In how many milliseconds [`Serving::go_on`] should be called; `None` if everything waits for an order.
    pub fn due(&self) -> Option<f64> {
        self.engine.due()
    }
}

fn told(messages: &[Message]) -> String {
    write(&messages)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::Cell;

    use steady::engine::wire::{self, Heard, Receiver};
    use steady::engine::{Begin, Input};

    use super::*;

    /// What a page on another thread sees of a run up to the steady state: all of it, by orders and messages that are texts.
    #[test]
    fn a_run_is_told_and_ends() {
        // Each look at the clock takes a millisecond, so a run takes several slices.
        let now = Cell::new(0.0);
        let mut serving = Serving::new(move || {
            now.set(now.get() + 1.0);
            now.get()
        });
        let (mut receiver, mut handled, mut steps, mut idle) = (Receiver::default(), Vec::new(), 0, false);
        let mut hear = |text: &str, serving: &mut Serving| {
            let mut texts = vec![text.to_owned()];
            while let Some(text) = texts.pop() {
                for heard in receiver.unpack(wire::read(&text).unwrap()) {
                    match heard {
                        Heard::Output(Output::Show(_)) => {
                            texts.push(serving.hear(&write(&Order::Drawn)).unwrap());
                        }
                        Heard::Output(Output::Stepped(_)) => steps += 1,
                        Heard::Output(Output::Idle) => idle = true,
                        Heard::Output(_) => {}
                        Heard::Handled(number) => handled.push(number),
                        Heard::Failed(why) => panic!("{why}"),
                    }
                }
            }
        };
        for (number, input) in [(1, Input::Begin(Begin::default())), (2, Input::ToSteady)] {
            let text = serving.hear(&write(&Order::Input(number, input))).unwrap();
            hear(&text, &mut serving);
            while serving.due().is_some() {
                let text = serving.go_on();
                hear(&text, &mut serving);
            }
        }
        assert_eq!(handled, [1, 2]);
        assert!(steps > 10 && idle, "{steps} steps");
        assert!(serving.hear("{}").is_err());
    }
}
