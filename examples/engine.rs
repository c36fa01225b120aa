//! Runs a scenario to steady as the page does, the engine and the page's side of the boundary, and says where the time went:
//! `cargo run --release --example engine -- 63-ten-thousand-pods "scale deployment web --replicas=1000"`. For a profiler.
use std::time::{Duration, Instant};

use steady::engine::explorer::write;
use steady::engine::wire::{self, Message, Receiver, Sender};
use steady::engine::{Begin, Engine, Input, Output};

/// The times of a run.
#[derive(Default)]
struct Times {
    engine: Duration,
    drawing: Duration,
    packing: Duration,
    writing: Duration,
    reading: Duration,
    unpacking: Duration,
    slices: usize,
    shows: usize,
    others: usize,
    bytes: usize,
}

impl Times {
    /// Passes outputs over the boundary.
    fn cross(&mut self, sender: &mut Sender, receiver: &mut Receiver, outputs: Vec<Output>) {
        let mut messages = timed(&mut self.packing, || sender.pack(outputs));
        while !messages.is_empty() {
            let shows = messages.iter().filter(|m| matches!(m, Message::Show(_))).count();
            self.shows += shows;
            self.others += messages.len() - shows;
            let text = timed(&mut self.writing, || write(&messages));
            self.bytes += text.len();
            let read = timed(&mut self.reading, || wire::read::<Vec<Message>>(&text));
            let read = read.unwrap_or_else(|why| panic!("what was written cannot be read: {why}"));
            timed(&mut self.unpacking, || receiver.unpack(read));
            messages = timed(&mut self.packing, || (0..shows).flat_map(|_| sender.drawn()).collect());
        }
    }
}

fn timed<T>(sum: &mut Duration, what: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let out = what();
    *sum += begun.elapsed();
    out
}

fn main() {
    let mut args = std::env::args().skip(1);
    let begun = Instant::now();
    let mut engine = Engine::new(move || begun.elapsed().as_secs_f64() * 1e3);
    let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
    let scenario = args.next();
    let begin = Input::Begin(Begin { scenario, tab: "tab".into(), keep: true, ..Begin::default() });
    let lines = args.map(Input::Kubectl);
    for input in [begin].into_iter().chain(lines).chain([Input::ToSteady]) {
        let mut times = Times::default();
        let name = format!("{input:?}");
        let outputs = timed(&mut times.engine, || engine.handle(input));
        times.cross(&mut sender, &mut receiver, outputs);
        while let Some(wait) = engine.due() {
            std::thread::sleep(Duration::from_secs_f64(wait.max(0.0) / 1e3));
            let before = times.engine;
            let outputs = timed(&mut times.engine, || engine.work());
            if outputs.iter().any(|o| matches!(o, Output::Show(_))) {
                times.drawing += times.engine - before;
            }
            times.cross(&mut sender, &mut receiver, outputs);
            times.slices += 1;
        }
        println!(
            "{}: engine {:?} (slices that show something {:?}), packing {:?}, writing {:?}, reading {:?}, unpacking {:?}; {} slices, {} shows, {} others, {} KB",
            name.chars().take(60).collect::<String>(),
            times.engine,
            times.drawing,
            times.packing,
            times.writing,
            times.reading,
            times.unpacking,
            times.slices,
            times.shows,
            times.others,
            times.bytes / 1000
        );
    }
}
