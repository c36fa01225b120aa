//! [`Actions`]: what a command was made of, in few bytes.

use super::action::{Action, Actor};

/// A list of actions. A session keeps some twenty of them for each command, so each is written as a few bytes: which it is,
/// and its numbers, of which most are small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    bytes: Box<[u8]>,
    count: usize,
}

impl Actions {
    /// How many actions there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The actions in order.
    pub fn iter(&self) -> impl Iterator<Item = Action> + '_ {
        let mut rest = &*self.bytes;
        std::iter::from_fn(move || read(&mut rest))
    }
}

impl FromIterator<Action> for Actions {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> Actions {
        let (mut bytes, mut count) = (Vec::new(), 0);
        for action in actions {
            let (which, numbers) = numbers_of(action);
            bytes.push(which);
            numbers.into_iter().flatten().for_each(|n| write(&mut bytes, n));
            count += 1;
        }
        Actions { bytes: bytes.into(), count }
    }
}

/// Which action it is, and its numbers.
fn numbers_of(action: Action) -> (u8, [Option<u32>; 3]) {
    let of_informer = |process, informer: u16| [Some(process), Some(informer.into()), None];
    let of_actor = |actor: Actor| [Some(actor.process), Some(actor.component.into()), None];
    match action {
        Action::List { process, informer } => (0, of_informer(process, informer)),
        Action::Watch { process, informer } => (1, of_informer(process, informer)),
        Action::Pop { process, informer } => (2, of_informer(process, informer)),
        Action::Notify { actor, informer } => {
            (3, [Some(actor.process), Some(actor.component.into()), Some(informer.into())])
        }
        Action::Start { actor } => (4, of_actor(actor)),
        Action::Send { actor } => (5, of_actor(actor)),
        Action::Record { actor } => (6, of_actor(actor)),
        Action::Advance => (7, [None; 3]),
        Action::Informers { actor } => (8, of_actor(actor)),
    }
}

fn read(bytes: &mut &[u8]) -> Option<Action> {
    let (which, rest) = bytes.split_first()?;
    *bytes = rest;
    if *which == 7 {
        return Some(Action::Advance);
    }
    let process = number(bytes)?;
    let second = u16::try_from(number(bytes)?).ok()?;
    let actor = Actor { process, component: second };
    Some(match *which {
        0 => Action::List { process, informer: second },
        1 => Action::Watch { process, informer: second },
        2 => Action::Pop { process, informer: second },
        3 => Action::Notify { actor, informer: u16::try_from(number(bytes)?).ok()? },
        4 => Action::Start { actor },
        5 => Action::Send { actor },
        6 => Action::Record { actor },
        8 => Action::Informers { actor },
        _ => return None,
    })
}

/// Writes a number: seven bits in each byte, the lowest first; all bytes but the last have the highest bit.
fn write(bytes: &mut Vec<u8>, mut n: u32) {
    while n > 0x7f {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut n = 0;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        n |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(n);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_actions_come_back_in_order() {
        let mut all = vec![Action::Advance];
        for (process, n) in [(0, 0), (1, 127), (127, 128), (128, 300), (20_000, 7), (u32::MAX, u16::MAX)] {
            let actor = Actor { process, component: n };
            all.extend([
                Action::List { process, informer: n },
                Action::Watch { process, informer: n },
                Action::Pop { process, informer: n },
                Action::Notify { actor, informer: n / 2 },
                Action::Start { actor },
                Action::Send { actor },
                Action::Record { actor },
                Action::Advance,
                Action::Informers { actor },
            ]);
        }
        let actions: Actions = all.iter().copied().collect();
        assert_eq!(actions.iter().collect::<Vec<_>>(), all);
        assert_eq!(actions.len(), all.len());
        assert!(Actions::default().is_empty() && Actions::default().iter().next().is_none());
    }

    #[test]
    fn most_actions_take_three_or_four_bytes() {
        let actor = Actor { process: 100, component: 9 };
        let few = [Action::Watch { process: 100, informer: 3 }, Action::Notify { actor, informer: 3 }];
        let actions: Actions = few.into_iter().collect();
        assert_eq!(actions.bytes.len(), 7);
    }
}
