//! Queues that are long once and short ever after.

use std::collections::VecDeque;

/// A queue with room for more elements than this gives back what it does not need.
const ROOM: usize = 128;

/// Takes the oldest element of a queue, and gives back most of its room where little of it is used: while the pods of a large
/// Deployment start, thousands of changes wait for each who watches them, and few do later.
pub fn take<T>(queue: &mut VecDeque<T>) -> Option<T> {
    let oldest = queue.pop_front();
    let (waiting, room) = (queue.len(), queue.capacity());
    if room > ROOM && waiting < room / 4 {
        queue.shrink_to(waiting * 2);
    }
    oldest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_was_long_has_no_room_for_what_it_had() {
        let mut queue: VecDeque<u32> = (0..10_000).collect();
        let mut taken = Vec::new();
        while let Some(n) = take(&mut queue) {
            taken.push(n);
            assert!(queue.capacity() <= ROOM || queue.len() >= queue.capacity() / 4);
        }
        assert_eq!(taken, (0..10_000).collect::<Vec<_>>());
        assert!(queue.capacity() <= ROOM);
    }
}
