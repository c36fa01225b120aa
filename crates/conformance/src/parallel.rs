//! Runs cases in parallel. Each has a system of its own, so they share nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of a thread in bytes, as large as that of a main thread: the system's parsers are recursive.
const STACK: usize = 8 << 20;

/// Calls `run` for each item, on as many threads as the machine has cores. Returns the results in the order
/// of the items.
///
/// # Errors
/// The first error in the order of the items, or that no thread could be started.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    run: impl Fn(&T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<R, String>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { return };
            let result = run(item);
            if let Ok(mut done) = done.lock() {
                done.push((i, result));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).map_err(|e| e.to_string())?;
        }
        Ok::<(), String>(())
    })?;
    let mut done = done.into_inner().map_err(|_| "a case ended without a result".to_owned())?;
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let doubled = each(&items, |n| Ok(n * 2));
        assert_eq!(doubled, Ok(items.iter().map(|n| n * 2).collect()));
    }

    #[test]
    fn the_first_error_is_told() {
        let odd = |n: &u64| if n.is_multiple_of(2) { Ok(*n) } else { Err(format!("{n} is odd")) };
        assert_eq!(each(&[0, 2, 5, 4, 7], odd), Err("5 is odd".into()));
    }
}
