//! A sample for crates/split/cut.test.mjs: code and data that refer to each other in every way that Rust
//! has.
#![crate_type = "cdylib"]

use std::sync::atomic::{AtomicU32, Ordering};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn load();
    fn told(text: *const u8, length: usize);
}

/// Mutable data of both parts, and of the second part alone.
static COUNT: AtomicU32 = AtomicU32::new(5);
static COLD_COUNT: AtomicU32 = AtomicU32::new(0x0102_0304);

static COLD_WORDS: [&str; 3] = ["only the second part says this", "and this, which is as long", "and nobody else"];

trait Speaks {
    fn speak(&self, n: u32) -> u32;
}

struct Hot;
struct Cold;

impl Speaks for Hot {
    #[inline(never)]
    fn speak(&self, n: u32) -> u32 {
        n + COUNT.fetch_add(1, Ordering::Relaxed)
    }
}

impl Speaks for Cold {
    #[inline(never)]
    fn speak(&self, n: u32) -> u32 {
        tell(COLD_WORDS[n as usize % 3]);
        hot_helper(n) + COLD_COUNT.fetch_add(COUNT.load(Ordering::Relaxed), Ordering::Relaxed)
    }
}

/// The vtables of both parts are in data to which the first part refers.
static SPEAKERS: [&(dyn Speaks + Sync); 2] = [&Hot, &Cold];

fn tell(text: &str) {
    unsafe { told(text.as_ptr(), text.len()) }
}

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn hot_helper(n: u32) -> u32 {
    n.rotate_left(3) ^ COUNT.load(Ordering::Relaxed)
}

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn cold_sum(a: u32, b: f64, c: u64, d: f32) -> f64 {
    tell(COLD_WORDS[1]);
    f64::from(hot_helper(a)) + b * c as f64 - f64::from(d)
}

#[unsafe(no_mangle)]
extern "C" fn hot(n: u32) -> u32 {
    tell("the first part speaks");
    SPEAKERS[0].speak(n) + hot_helper(n)
}

#[unsafe(no_mangle)]
extern "C" fn speak(which: u32, n: u32) -> u32 {
    SPEAKERS[which as usize % 2].speak(n)
}

/// The first part calls the second, with every type of parameter.
#[unsafe(no_mangle)]
extern "C" fn sum(n: u32) -> f64 {
    cold_sum(n, 1.5, u64::from(n) << 33, 0.25)
}

#[inline(never)]
fn pick(n: u32) -> extern "C" fn(u32) -> u32 {
    if n == 0 { hot_helper } else { cold_exported }
}

/// A function's address is the same in both parts.
#[unsafe(no_mangle)]
extern "C" fn same(n: u32) -> u32 {
    u32::from(pick(n) as usize == cold_address(n) as usize) + pick(n)(n)
}

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn cold_address(n: u32) -> u32 {
    tell(COLD_WORDS[2]);
    pick(n) as usize as u32
}

/// Exported, but not in the first part.
#[unsafe(no_mangle)]
extern "C" fn cold_exported(n: u32) -> u32 {
    tell(COLD_WORDS[0]);
    let all: Vec<u32> = (0..n).map(|n| hot_helper(n)).collect();
    all.iter().fold(n, |sum, n| sum.wrapping_mul(31).wrapping_add(*n))
}

/// Loops, ways out of them and back, values that go on, and returns: of this function, parts move alone.
#[unsafe(no_mangle)]
extern "C" fn winding(n: u32, x: f64) -> f64 {
    let (mut sum, mut at, mut wide) = (x, n, u64::from(n));
    'all: for round in 0..n % 17 {
        match (at ^ round) % 6 {
            0 => {
                at = at.wrapping_mul(31).wrapping_add(round);
                continue;
            }
            1 => {
                sum += f64::from(at % 7);
                wide = wide.rotate_left(5) ^ u64::from(at);
                if wide % 11 == 3 {
                    tell("winding breaks off");
                    break 'all;
                }
            }
            2 => loop {
                at = at / 2 + 1;
                wide += 1;
                if at % 5 == 0 {
                    sum *= 0.75;
                    continue 'all;
                }
                if at < 9 {
                    break;
                }
                if wide % 23 == 4 {
                    tell("winding returns from a loop");
                    return sum - (wide % 4096) as f64;
                }
            },
            3 if at % 4 == 1 => return f64::from(hot_helper(at)) * sum,
            4 => {
                at += speak(round, at % 100) % 50;
                tell("winding speaks");
            }
            _ => {
                sum = sum * 0.5 + f64::from(hot_helper(at));
                at = at.wrapping_add(wide as u32);
            }
        }
        sum += 1.0;
    }
    sum + f64::from(at) + (wide % 1000) as f64
}

#[unsafe(export_name = "steadyLoadSecond")]
extern "C" fn load_second() {
    unsafe { load() }
}
