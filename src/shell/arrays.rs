//! Arrays of bash. The elements of an associative array are in the order of their keys, not of their hashes.

use std::rc::Rc;

use super::array::{Array, ELEMENTS_LIMIT};
use super::ast::{Assign, Assigned, Word, literal};
use super::machine::{Ran, Shell, Stop, cut};

/// Whether an index stands for all elements.
pub(super) fn is_all(index: &Word) -> bool {
    matches!(literal(index).as_deref(), Some("@" | "*"))
}

impl Shell<'_> {
    /// The values of all elements of an array, or their keys. A variable that is no array is one element.
    pub(super) fn elements(&self, name: &str, keys: bool) -> Vec<String> {
        match self.frame.arrays.get(name) {
            Some(array) if keys => array.keys(),
            Some(array) => array.values(),
            None => {
                let one = self.variable(name).map(|v| if keys { "0".to_owned() } else { v.to_string() });
                one.into_iter().collect()
            }
        }
    }

    /// The value of an element.
    pub(super) fn element(&mut self, name: &str, index: &Word) -> Result<Option<Rc<str>>, Stop> {
        if let Some(Array::Associative(all)) = self.frame.arrays.get(name) {
            let all = all.clone();
            let key = self.expand_text(index)?;
            return Ok(all.get(&key).cloned());
        }
        let at = self.arithmetic(index)?;
        Ok(match self.frame.arrays.get(name) {
            Some(Array::Indexed(all)) if at < 0 => {
                let end = all.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
                all.get(&end.saturating_add(at)).cloned()
            }
            Some(Array::Indexed(all)) => all.get(&at).cloned(),
            _ => self.variable(name).filter(|_| at == 0),
        })
    }

    /// Makes a variable an array that has no elements yet, unless it is one.
    pub(super) fn make_array(&mut self, name: &str, associative: bool) {
        if self.frame.arrays.contains_key(name) {
            return;
        }
        let old = self.frame.variables.remove(name).map(|(value, _)| value);
        let array = match associative {
            true => Array::Associative(old.map(|v| ("0".to_owned(), v)).into_iter().collect()),
            false => Array::Indexed(old.map(|v| (0, v)).into_iter().collect()),
        };
        self.frame.arrays.insert(name.to_owned(), array);
    }

    /// Gives an array its elements.
    pub(super) fn set_array(&mut self, name: &str, array: Array) {
        self.frame.variables.remove(name);
        self.frame.arrays.insert(name.to_owned(), array);
    }

    /// Sets an element; `None` for the one behind the last.
    pub(super) fn set_element(&mut self, name: &str, index: Option<&Word>, value: &str, append: bool) -> Ran {
        self.make_array(name, false);
        let associative = matches!(self.frame.arrays.get(name), Some(Array::Associative(_)));
        let before = match index {
            Some(index) if append => self.element(name, index)?.unwrap_or_default().to_string(),
            _ => String::new(),
        };
        let value: Rc<str> = cut(&format!("{before}{value}")).into();
        let (mut key, mut at) = (String::new(), None);
        match index {
            Some(index) if associative => key = self.expand_text(index)?,
            Some(index) => at = Some(self.arithmetic(index)?),
            None => {}
        }
        let Some(array) = self.frame.arrays.get_mut(name) else { return Ok(0) };
        let next = array.next();
        if array.length() >= ELEMENTS_LIMIT {
            return Err(Stop::Never);
        }
        match array {
            Array::Associative(all) => {
                all.insert(key, value);
            }
            Array::Indexed(all) => {
                let at = at.unwrap_or(next);
                let at = if at < 0 { next.saturating_add(at) } else { at };
                if at < 0 {
                    self.complain(&format!("{name}: bad array subscript"));
                    return Ok(1);
                }
                all.insert(at, value);
            }
        }
        Ok(0)
    }

    /// Removes a variable, an array or an element (`name[index]`).
    pub(super) fn unset(&mut self, name: &str) -> Ran {
        if let Some((name, index)) = name.strip_suffix(']').and_then(|n| n.split_once('[')) {
            let text = vec![super::ast::Part::Text { text: index.to_owned(), quoted: true }];
            let associative = matches!(self.frame.arrays.get(name), Some(Array::Associative(_)));
            let at = if associative { 0 } else { self.arithmetic(&text)? };
            match self.frame.arrays.get_mut(name) {
                Some(Array::Associative(all)) => {
                    all.remove(index);
                }
                Some(Array::Indexed(all)) => {
                    all.remove(&at);
                }
                None => {}
            }
            return Ok(0);
        }
        self.frame.variables.remove(name);
        self.frame.arrays.remove(name);
        Ok(0)
    }

    /// Executes the assignments that a plain text is not enough for.
    pub(super) fn assign(&mut self, assign: &Assign) -> Ran {
        let name = assign.name.as_str();
        match (&assign.value, &assign.index) {
            (Assigned::Text(word), None) => {
                let mut text = self.expand_text(word)?;
                if assign.append {
                    text.insert_str(0, &self.variable(name).unwrap_or_default());
                }
                self.set(name, &text);
                Ok(0)
            }
            (Assigned::Text(word), index) => {
                let text = self.expand_text(word)?;
                self.set_element(name, index.as_ref(), &text, assign.append)
            }
            (Assigned::List(items), _) => {
                // The words are expanded before the array changes, of which they may be made.
                let mut values = Vec::with_capacity(items.len());
                for (index, word) in items {
                    match index {
                        Some(index) => values.push((Some(index), self.expand_text(word)?)),
                        None => {
                            let words = self.expand_all(std::slice::from_ref(word))?;
                            values.extend(words.into_iter().map(|w| (None, w)));
                        }
                    }
                }
                let associative = matches!(self.frame.arrays.get(name), Some(Array::Associative(_)));
                if !assign.append {
                    self.unset(name)?;
                }
                self.make_array(name, associative);
                for (index, value) in values {
                    let status = self.set_element(name, index, &value, false)?;
                    if status != 0 {
                        return Ok(status);
                    }
                }
                Ok(0)
            }
        }
    }
}
