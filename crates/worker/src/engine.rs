//! The engine of the page, as its worker hears orders and tells what came of them. Both are texts.

use std::collections::VecDeque;

use steady::engine::explorer::{read, write};
use steady::engine::wire::{Message, Order, Sender};
use steady::engine::{Engine, Input, Output};

/// An engine, and what the page has been sent of it.
pub struct Serving {
    engine: Engine,
    sender: Sender,
    /// Inputs with their numbers, in the order in which they came, for which the engine has no time yet.
    waiting: VecDeque<(u64, Input)>,
}

impl Serving {
    /// A new engine. The clock tells milliseconds and never goes back.
    pub fn new(clock: impl Fn() -> f64 + 'static) -> Serving {
        Serving { engine: Engine::new(clock), sender: Sender::default(), waiting: VecDeque::new() }
    }

    /// Carries out an [`Order`]. Returns the messages that came of it, as a JSON list; an error if the text is no order,
    /// which a page of the same build does not send.
    pub fn hear(&mut self, order: &str) -> Result<String, String> {
        let messages = match read::<Order>(order)? {
            Order::Input(number, input) => self.take(number, input),
            Order::Drawn => self.sender.drawn(),
        };
        Ok(told(&messages))
    }

    /// Hands the engine an input, or has it wait for what is under way. Stopping that drops what waits for it.
    fn take(&mut self, number: u64, input: Input) -> Vec<Message> {
        let mut messages = Vec::new();
        if matches!(input, Input::Stop) {
            for (dropped, _) in std::mem::take(&mut self.waiting) {
                messages.extend(self.sender.handled(dropped, Vec::new()));
            }
        } else if self.engine.must_end_first() {
            self.waiting.push_back((number, input));
            return messages;
        }
        let outputs = self.engine.handle(input);
        messages.extend(self.sender.handled(number, outputs));
        messages.extend(self.take_waiting());
        messages
    }

    /// Hands the engine what has waited, as far as it has time for it.
    fn take_waiting(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        while !self.engine.must_end_first()
            && let Some((number, input)) = self.waiting.pop_front()
        {
            let outputs = self.engine.handle(input);
            messages.extend(self.sender.handled(number, outputs));
        }
        messages
    }

    /// Goes on with what is under way, for a slice. Returns the messages, as a JSON list.
    pub fn go_on(&mut self) -> String {
        let outputs: Vec<Output> = self.engine.work();
        let mut messages = self.sender.pack(outputs);
        messages.extend(self.take_waiting());
        told(&messages)
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
    use steady::engine::{Begin, Shown};

    use super::*;

    /// A page on another thread: what it sends and hears are texts.
    struct Page {
        serving: Serving,
        receiver: Receiver,
        sent: u64,
        handled: Vec<u64>,
        steps: usize,
        shown: Shown,
        idle: bool,
    }

    impl Page {
        /// A page with the first scenario. Each look at the clock takes more than half a slice, so what is under way takes several slices.
        fn open() -> Page {
            let now = Cell::new(0.0);
            let serving = Serving::new(move || {
                now.set(now.get() + 5.0);
                now.get()
            });
            let (receiver, handled, shown) = (Receiver::default(), Vec::new(), Shown::default());
            let mut page = Page { serving, receiver, sent: 0, handled, steps: 0, shown, idle: true };
            page.send(Input::Begin(Begin::default()));
            page.wait();
            page.steps = 0;
            page
        }

        fn hear(&mut self, text: String) {
            let mut texts = vec![text];
            while let Some(text) = texts.pop() {
                for heard in self.receiver.unpack(wire::read(&text).unwrap()) {
                    match heard {
                        Heard::Output(Output::Show(shown)) => {
                            self.shown = *shown;
                            texts.push(self.serving.hear(&write(&Order::Drawn)).unwrap());
                        }
                        Heard::Output(Output::Stepped(_)) => self.steps += 1,
                        Heard::Output(Output::Busy) => self.idle = false,
                        Heard::Output(Output::Idle) => self.idle = true,
                        Heard::Output(_) => {}
                        Heard::Handled(number) => self.handled.push(number),
                        Heard::Failed(why) => panic!("{why}"),
                    }
                }
            }
        }

        fn send(&mut self, input: Input) {
            self.sent += 1;
            let text = self.serving.hear(&write(&Order::Input(self.sent, input))).unwrap();
            self.hear(text);
        }

        /// Until everything waits for a person.
        fn wait(&mut self) {
            while self.serving.due().is_some() {
                let text = self.serving.go_on();
                self.hear(text);
            }
            assert_eq!(self.handled, (1..=self.sent).collect::<Vec<_>>());
            assert!(self.idle);
        }
    }

    #[test]
    fn a_run_is_told_and_ends() {
        let mut page = Page::open();
        page.send(Input::ToSteady);
        page.wait();
        assert!(page.steps > 10, "{} steps", page.steps);
        assert!(page.serving.hear("{}").is_err());
    }

    #[test]
    fn what_is_asked_for_while_a_scenario_opens_is_done_when_it_has_opened() {
        let mut page = Page::open();
        page.send(Input::OpenScenario("05-stuck-rollout".into()));
        assert!(!page.idle);
        page.send(Input::ToSteady);
        page.wait();
        assert!(page.steps > 10, "{} steps", page.steps);
        // Another one that is chosen meanwhile is opened, too.
        page.send(Input::OpenScenario("04-rolling-update".into()));
        page.send(Input::OpenScenario("02-self-healing".into()));
        page.wait();
        assert_eq!(&*page.shown.scenario.as_ref().unwrap().id, "02-self-healing");
    }

    #[test]
    fn a_step_that_is_under_way_is_not_lost_by_the_next_one() {
        let mut page = Page::open();
        let before = page.shown.position;
        page.send(Input::Step);
        page.send(Input::Step);
        page.send(Input::Step);
        page.wait();
        assert_eq!((page.steps, page.shown.position), (3, before + 3));
    }

    #[test]
    fn stopping_drops_what_waits() {
        let mut page = Page::open();
        page.send(Input::OpenScenario("05-stuck-rollout".into()));
        page.send(Input::ToSteady);
        page.send(Input::Stop);
        page.wait();
        assert_eq!(page.steps, 0);
        assert_eq!(&*page.shown.scenario.as_ref().unwrap().id, "01-first-deployment");
    }
}
