//! Columns as Go's `text/tabwriter` aligns them.
//!
//! A cell ends with a tab; what follows the last tab of a line is not part of a column. A column is
//! a run of adjacent lines that have a cell there, and is as wide as its widest cell.

/// The least width of a column and the blanks after its widest cell.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) min_width: usize,
    pub(super) padding: usize,
}

/// What kubectl's tables use (`printers.GetNewTabWriter`).
pub(super) const TABLE: Layout = Layout { min_width: 6, padding: 3 };
/// What `describe` uses.
pub(super) const DESCRIBE: Layout = Layout { min_width: 0, padding: 2 };

/// Aligns the columns of a text.
pub(super) fn align(text: &str, layout: Layout) -> String {
    let ends_with_newline = text.ends_with('\n');
    let body = text.strip_suffix('\n').unwrap_or(text);
    let lines: Vec<Vec<&str>> = body.split('\n').map(|l| l.split('\t').collect()).collect();
    let mut widths: Vec<Vec<usize>> = lines.iter().map(|l| vec![0; l.len().saturating_sub(1)]).collect();
    block(&lines, 0, lines.len(), 0, layout, &mut widths);
    let mut out = String::with_capacity(text.len() * 2);
    for (i, (line, widths)) in lines.iter().zip(&widths).enumerate() {
        if i > 0 {
            out.push('\n');
        }
        for (j, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if let Some(width) = widths.get(j) {
                let have = cell.chars().count();
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(have)));
            }
        }
    }
    if ends_with_newline {
        out.push('\n');
    }
    out
}

/// Aligns the cells of lines whose columns are at least as wide as these, and remembers the widths.
pub(super) fn align_from(lines: &[Vec<String>], layout: Layout, widths: &mut Vec<usize>) -> String {
    for line in lines {
        let cells = line.len().saturating_sub(1);
        widths.resize(widths.len().max(cells), 0);
        for (width, cell) in widths.iter_mut().zip(line.iter().take(cells)) {
            *width = (*width).max(cell.chars().count() + layout.padding).max(layout.min_width);
        }
    }
    let mut out = String::new();
    for line in lines {
        for (i, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if i + 1 < line.len() {
                let width = widths.get(i).copied().unwrap_or(0);
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
            }
        }
        out.push('\n');
    }
    out
}

fn block(
    lines: &[Vec<&str>],
    from: usize,
    to: usize,
    column: usize,
    layout: Layout,
    widths: &mut [Vec<usize>],
) {
    // No table of kubectl's is that wide: it is text of a person's with tabs in it.
    if column > 100 {
        return;
    }
    let has = |i: usize| lines.get(i).is_some_and(|l| column + 1 < l.len());
    let mut i = from;
    while i < to {
        if !has(i) {
            i += 1;
            continue;
        }
        let mut end = i;
        let mut width = layout.min_width;
        while end < to && has(end) {
            let cell = lines.get(end).and_then(|l| l.get(column)).map_or(0, |c| c.chars().count());
            width = width.max(cell + layout.padding);
            end += 1;
        }
        for w in widths.iter_mut().take(end).skip(i) {
            if let Some(w) = w.get_mut(column) {
                *w = width;
            }
        }
        block(lines, i, end, column + 1, layout, widths);
        i = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_run_of_adjacent_cells() {
        assert_eq!(align("NAME\tAGE\nweb-1234\t5s\n", TABLE), "NAME       AGE\nweb-1234   5s\n");
        assert_eq!(align("0\tx\n", TABLE), "0     x\n");
        assert_eq!(align("Name:\tweb\nOther\n  a:\tb\n", DESCRIBE), "Name:  web\nOther\n  a:  b\n");
        assert_eq!(align("", TABLE), "");
    }
}
