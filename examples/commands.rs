//! Prints the commands that a manifest leads to, one line each.
use steady::session::{Depth, Session, Start};
fn main() {
    let file = std::env::args().nth(1);
    let text = file.map_or(steady::session::scenario::all().remove(0).manifest, |f| {
        std::fs::read_to_string(f).unwrap_or_default()
    });
    let mut s = Session::new(Start::default());
    let out = s.apply(&text);
    print!("{}{}", out.stdout, out.stderr);
    for i in 1..400 {
        if !s.step(Depth::Command, None) {
            println!("steady");
            break;
        }
        for c in s.current().commands() {
            println!(
                "{i:3} {} {:24} {:14} {} {} {:?}",
                c.at,
                c.by,
                c.request.verb_string(),
                c.request.object(),
                c.response.code(),
                c.why.as_ref().map(|w| (
                    w.rule,
                    w.facts.iter().map(|f| format!("{}={}", f.name, f.value)).collect::<Vec<_>>().join(" ")
                ))
            );
            for e in &c.events {
                if let Some(v) = e.next.as_ref().map(|o| o.to_value()) {
                    println!("      event {} {}", v["reason"], v["message"]);
                }
            }
        }
    }
    println!("{}", s.cluster().digest());
}
