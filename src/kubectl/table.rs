//! Tables: the server fills them in (`meta.k8s.io/v1` Table), kubectl chooses among the columns, adds some of its own and
//! aligns them (`k8s.io/cli-runtime/pkg/printers`).

use std::rc::Rc;

use serde_json::Value;

use super::call::{Accept, Call};
use super::flags::Args;
use super::invocation::{Invocation, Result};
use super::resource::{self, Found};
use super::tabwriter;
use crate::api::Timestamp;
use crate::api::types::Time;

/// A column of a table.
#[derive(Debug)]
struct Column {
    name: String,
    /// Whether only `-o wide` shows it.
    wide: bool,
}

/// A row, with the columns of its table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    columns: Rc<[Column]>,
    cells: Vec<String>,
    /// The object of the row, or only its metadata.
    pub(super) object: Value,
}

impl Row {
    fn new(columns: Rc<[Column]>, mut row: Value) -> Row {
        Row {
            columns,
            cells: row.get("cells").and_then(Value::as_array).into_iter().flatten().map(text).collect(),
            object: row.get_mut("object").map(Value::take).unwrap_or_default(),
        }
    }
}

/// Asks for one object or a list as a table; with `whole` each row brings its whole object.
pub(super) fn rows(cx: &mut Invocation<'_>, mut call: Call, whole: bool) -> Result<Vec<Row>> {
    call.accept = Accept::Table { whole };
    let mut rows = Vec::new();
    let mut columns: Rc<[Column]> = Rc::from([]);
    loop {
        let answer = cx.send(&call)?;
        let definitions = answer.value().get("columnDefinitions").and_then(Value::as_array);
        if let Some(definitions) = definitions.filter(|d| !d.is_empty()) {
            columns = definitions.iter().map(column).collect();
        }
        let part = answer.part("rows");
        rows.extend(part.items.into_iter().map(|row| Row::new(columns.clone(), row)));
        if part.continue_token.is_empty() {
            return Ok(rows);
        }
        call.continue_token = part.continue_token;
    }
}

/// Objects as rows that kubectl fills in itself (`--server-print=false`): their names and ages.
pub(super) fn plain(cx: &Invocation<'_>, objects: Vec<Value>) -> Vec<Row> {
    let columns: Rc<[Column]> =
        ["Name", "Age"].map(|name| Column { name: name.to_owned(), wide: false }).into();
    let row = |object: Value| {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let created = text("/metadata/creationTimestamp").parse::<Timestamp>().ok().map(Time);
        let cells = vec![text("/metadata/name").to_owned(), cx.age(created.as_ref())];
        Row { columns: columns.clone(), cells, object }
    };
    objects.into_iter().map(row).collect()
}

fn column(definition: &Value) -> Column {
    Column {
        name: definition.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        wide: definition.get("priority").and_then(Value::as_i64).is_some_and(|p| p != 0),
    }
}

fn text(cell: &Value) -> String {
    match cell {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Prints the rows of all that was found, a table for each run of one kind.
pub(super) fn tables(cx: &mut Invocation<'_>, args: &Args, found: &[Found<Row>], all_namespaces: bool) {
    let mut kinds: Vec<_> = found.iter().map(|f| f.kind).collect();
    kinds.dedup();
    let with_kind = kinds.len() > 1 || args.on("show-kind");
    let before = cx.out.len();
    for group in found.chunk_by(|a, b| a.kind == b.kind) {
        let rows: Vec<&Row> = group.iter().flat_map(|f| &f.objects).collect();
        let (Some(first), Some(row)) = (group.first(), rows.first()) else { continue };
        if cx.out.len() > before && !args.on("no-headers") {
            cx.out.push('\n');
        }
        let names = with_kind.then_some(first.kind);
        let columns = Columns::new(args, row, names, all_namespaces && first.kind.namespaced());
        let text = columns.table(&rows);
        cx.out.push_str(&text);
    }
}

/// The columns that are shown.
struct Columns<'a> {
    args: &'a Args,
    of_server: Vec<(usize, &'a Column)>,
    labels: &'a [String],
    with_namespace: bool,
    with_kind: Option<crate::api::Kind>,
}

impl<'a> Columns<'a> {
    fn new(
        args: &'a Args,
        row: &'a Row,
        with_kind: Option<crate::api::Kind>,
        with_namespace: bool,
    ) -> Columns<'a> {
        let wide = args.text("output") == "wide";
        let of_server = row.columns.iter().enumerate().filter(|(_, c)| wide || !c.wide).collect();
        Columns { args, of_server, labels: args.all("label-columns"), with_namespace, with_kind }
    }

    fn table(&self, rows: &[&Row]) -> String {
        let mut lines = String::new();
        if !self.args.on("no-headers") {
            push_line(&mut lines, &self.headers());
        }
        for row in rows {
            push_line(&mut lines, &self.cells(row));
        }
        tabwriter::align(&lines, tabwriter::TABLE)
    }

    fn headers(&self) -> Vec<String> {
        let mut cells = Vec::new();
        if self.with_namespace {
            cells.push("NAMESPACE".to_owned());
        }
        cells.extend(self.of_server.iter().map(|(_, c)| c.name.to_uppercase()));
        cells.extend(self.labels.iter().map(|l| l.rsplit('/').next().unwrap_or(l).to_uppercase()));
        if self.args.on("show-labels") {
            cells.push("LABELS".to_owned());
        }
        cells
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells = Vec::new();
        if self.with_namespace {
            let namespace = row.object.pointer("/metadata/namespace").and_then(Value::as_str);
            cells.push(namespace.unwrap_or_default().to_owned());
        }
        cells.extend(self.of_server.iter().map(|(i, column)| {
            let cell = one_line(row.cells.get(*i).map(String::as_str).unwrap_or_default());
            match self.with_kind {
                Some(kind) if column.name == "Name" => resource::resource_name(kind, &cell),
                _ => cell,
            }
        }));
        let labels = row.object.pointer("/metadata/labels");
        let label = |l: &String| labels.and_then(|all| all.get(l)).and_then(Value::as_str);
        cells.extend(self.labels.iter().map(|l| label(l).unwrap_or_default().to_owned()));
        if self.args.on("show-labels") {
            cells.push(all_labels(labels));
        }
        cells
    }
}

/// A table to which rows are added while it stands. A column never gets narrower than it was
/// (`tabwriter.RememberWidths`).
pub(super) struct GrowingTable {
    columns: Rc<[Column]>,
    with_namespace: bool,
    widths: Vec<usize>,
    begun: bool,
}

impl GrowingTable {
    pub(super) fn new(with_namespace: bool) -> GrowingTable {
        GrowingTable { columns: Rc::from([]), with_namespace, widths: Vec::new(), begun: false }
    }

    /// The rows of a table of the server. One that does not say its columns has those of the table before.
    pub(super) fn rows(&mut self, mut table: Value) -> Vec<Row> {
        let definitions = table.get("columnDefinitions").and_then(Value::as_array);
        if let Some(definitions) = definitions.filter(|d| !d.is_empty()) {
            self.columns = definitions.iter().map(column).collect();
        }
        let rows = table.get_mut("rows").map(Value::take).unwrap_or_default();
        let Value::Array(rows) = rows else { return Vec::new() };
        rows.into_iter().map(|row| Row::new(self.columns.clone(), row)).collect()
    }

    /// Prints rows with the types of the events that brought them; the headers stand above the first ones.
    pub(super) fn print(&mut self, cx: &mut Invocation<'_>, args: &Args, rows: &[(String, Row)]) {
        let Some((_, first)) = rows.first() else { return };
        let columns = Columns::new(args, first, None, self.with_namespace);
        let with_event = args.on("output-watch-events");
        let mut lines: Vec<Vec<String>> = Vec::new();
        if !std::mem::replace(&mut self.begun, true) && !args.on("no-headers") {
            let event = with_event.then(|| "EVENT".to_owned());
            lines.push(event.into_iter().chain(columns.headers()).collect());
        }
        for (event, row) in rows {
            let event = with_event.then(|| event.clone());
            lines.push(event.into_iter().chain(columns.cells(row)).collect());
        }
        let text = tabwriter::align_from(&lines, tabwriter::TABLE, &mut self.widths);
        cx.out.push_str(&text);
    }
}

/// `a=b,c=d`, or `<none>`.
fn all_labels(labels: Option<&Value>) -> String {
    let labels = labels.and_then(Value::as_object).into_iter().flatten();
    let pairs: Vec<String> = labels.map(|(k, v)| format!("{k}={}", v.as_str().unwrap_or_default())).collect();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}

fn push_line(lines: &mut String, cells: &[String]) {
    lines.push_str(&cells.join("\t"));
    lines.push('\n');
}

/// A cell is one line: what follows is cut.
fn one_line(cell: &str) -> String {
    match cell.find(['\n', '\r', '\u{c}']) {
        Some(at) => format!("{}...", cell.get(..at).unwrap_or_default()),
        None => cell.replace('\t', " "),
    }
}
