//! The left pane: the manifest, and kubectl.

use std::rc::Rc;

use steady::engine::{
    ClusterStart, DefinedKind, Editing, Entry, FieldChange, ImageWarning, Input, IpFamily, JourneyLink,
    LessonView, MEMBERS, NODES, ObjectRef, OwnLesson, Preview, Problem, ScenarioView, ShellView,
};
use yew::prelude::*;

use super::editor::Editor;
use super::i18n::Texts;
use super::keys;
use super::lesson::{LessonFile, LessonPanel};
use super::missing::missing_image;
use super::store::{Shared, Store};
use super::terminal::Terminal;
use super::terms::Words;
use crate::ui::hooks::{use_store, use_texts};

/// What the pane shows.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The scenario that is on the table.
    pub scenario: Option<Shared<ScenarioView>>,
    /// The lesson that the run belongs to.
    #[prop_or_default]
    pub lesson: Option<Shared<LessonView>>,
    /// Shows the journey of a request that the lesson speaks of.
    #[prop_or_default]
    pub follow: Option<Callback<JourneyLink>>,
    /// The file of a lesson that a person has brought.
    #[prop_or_default]
    pub own: Option<Shared<OwnLesson>>,
    /// The object that is selected in the graph.
    #[prop_or_default]
    pub selection: Option<ObjectRef>,
    /// The manifest.
    pub text: Shared<String>,
    /// Grows when the page set it.
    pub text_set: u32,
    /// What is wrong with it.
    pub diagnostics: Shared<Vec<Problem>>,
    /// The images in it that no registry has.
    pub images: Shared<Vec<ImageWarning>>,
    /// The custom kinds that it can be completed with.
    pub kinds: Shared<Vec<DefinedKind>>,
    /// Whether it is what kubectl printed of a cluster.
    #[prop_or_default]
    pub importable: bool,
    /// Whether the editor's text was refused when it was applied.
    #[prop_or_default]
    pub refused: bool,
    /// What Apply would do.
    pub preview: Option<Shared<Preview>>,
    /// What was typed and printed.
    pub terminal: Shared<Vec<Rc<Entry>>>,
    /// The lines that were typed, oldest first.
    pub history: Shared<Vec<String>>,
    /// The shell in a container that the terminal's lines go to.
    pub shell: Option<Shared<ShellView>>,
    /// The object that `kubectl edit` has put in place of the manifest.
    pub editing: Option<Shared<Editing>>,
    /// Whether a command line of the person led to the moment that is shown.
    #[prop_or_default]
    pub acted: bool,
    /// Whether no component has anything to do at that moment.
    #[prop_or_default]
    pub steady: bool,
    /// Leads to the graph and to what comes next, which a narrow page shows in another pane.
    #[prop_or_default]
    pub on: Callback<()>,
}

/// What the pane has in front.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Manifest,
    Kubectl,
    Lesson,
}

impl Tab {
    /// The id of its button.
    fn id(self) -> &'static str {
        match self {
            Tab::Manifest => "tab-manifest",
            Tab::Kubectl => "tab-kubectl",
            Tab::Lesson => "tab-lesson",
        }
    }

    /// What has the focus when a person chooses the tab.
    fn first(self) -> &'static str {
        match self {
            Tab::Manifest => "#tab-manifest-panel .editor",
            Tab::Kubectl => "#kubectl-line",
            Tab::Lesson => "#tab-lesson-panel .editor",
        }
    }
}

/// The pane.
#[component]
pub fn Left(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let tab_now = use_state(|| Tab::Manifest);
    let terminal = *tab_now == Tab::Kubectl;
    // The line and column that the editor shows, and how often somebody has asked for one.
    let place = use_state(|| (0, 1, 1));
    let go = {
        let place = place.clone();
        Callback::from(move |(line, column)| place.set((place.0 + 1, line, column)))
    };
    {
        // `kubectl edit` leads to the editor, and back. What is to have the focus has to be seen first.
        let (set, was, goal) = (tab_now.setter(), use_mut_ref(|| false), use_mut_ref(|| None));
        let next = goal.clone();
        use_effect_with(props.editing.is_some(), move |editing| {
            if was.replace(*editing) != *editing {
                *next.borrow_mut() = Some(if *editing { ".editor" } else { "#kubectl-line" });
                set.set(if *editing { Tab::Manifest } else { Tab::Kubectl });
            }
        });
        use_effect_with(terminal, move |_| {
            if let Some(selector) = goal.borrow_mut().take() {
                keys::focus(selector);
            }
        });
    }
    {
        // Who brings a lesson's file wants to see it, and who has a link to one the lesson; without a file there is no such tab.
        let (set, now) = (tab_now.setter(), *tab_now);
        use_effect_with(props.own.as_ref().map(|own| own.brought), move |brought| match brought {
            Some(true) => set.set(Tab::Lesson),
            None if now == Tab::Lesson => set.set(Tab::Manifest),
            None | Some(false) => {}
        });
    }
    let tab = |to: Tab, key: &'static str| {
        let id = to.id();
        let on = *tab_now == to;
        let set = tab_now.clone();
        let onclick = move |_| {
            set.set(to);
            keys::focus(to.first());
        };
        html! {
            <button type="button" role="tab" {id} aria-selected={on.to_string()} tabindex={if on { "0" } else { "-1" }}
                aria-controls={format!("{id}-panel")} {onclick}>{ t.get(key) }</button>
        }
    };
    let (apply, import) = {
        let (a, b) = (store.clone(), store.clone());
        (
            Callback::from(move |_: MouseEvent| a.send(Input::Apply)),
            Callback::from(move |_: MouseEvent| b.send(Input::Import)),
        )
    };
    let format = use_state(|| 0);
    let ask_format = {
        let format = format.clone();
        move |_| format.set(*format + 1)
    };
    let cancel = {
        let store = store.clone();
        move |_| store.send(Input::CancelEdit)
    };
    html! {
        <section class={classes!("left", props.lesson.is_some().then_some("taught"))} data-tab={tab_now.id()} aria-label={t.get("left")}>
            if let Some(lesson) = &props.lesson {
                <LessonPanel lesson={lesson.clone()} selection={props.selection.clone()} follow={props.follow.clone()} class="beside" />
            }
            <div class="tabs" role="tablist" aria-label={t.get("left")} onkeydown={tab_keys()}>
                { tab(Tab::Manifest, "manifest") }
                { tab(Tab::Kubectl, "kubectl") }
                if props.own.is_some() { { tab(Tab::Lesson, "lesson-file") } }
            </div>
            if let Some(own) = &props.own {
                <div class="panel" id="tab-lesson-panel" role="tabpanel" aria-labelledby="tab-lesson" hidden={*tab_now != Tab::Lesson}>
                    <LessonFile own={own.clone()} />
                </div>
            }
            <div class="panel" id="tab-manifest-panel" role="tabpanel" aria-labelledby="tab-manifest" hidden={*tab_now != Tab::Manifest}>
                if let Some(editing) = &props.editing {
                    <p class="editing" role="status">{ t.with("editing", &[("line", editing.line.clone().into())]) }</p>
                } else {
                    <Story scenario={props.scenario.clone()} />
                }
                <Editor text={props.text.clone()} text_set={props.text_set} diagnostics={props.diagnostics.clone()}
                    images={props.images.clone()} kinds={props.kinds.clone()} place={*place} format={*format} />
                <p class="leave" aria-hidden="true"><kbd>{ "Esc" }</kbd><kbd>{ "Tab" }</kbd>{ t.get("leave-editor") }</p>
                <div class="apply">
                    if props.importable {
                        <div class="changes" role="status"><p class="goes-back">{ t.get("import-offer") }</p></div>
                        <button type="button" class="quiet" onclick={apply}>{ t.get("apply") }</button>
                        <button type="button" class="solid" onclick={import}>{ t.get("import-do") }</button>
                    } else {
                        <Changes preview={props.preview.clone()} diagnostics={props.diagnostics.clone()} refused={props.refused}
                            images={props.images.clone()} acted={props.acted} steady={props.steady} on={props.on.clone()} {go} />
                        <button type="button" class="quiet" title="Shift+Alt+F" onclick={ask_format}>{ t.get("format") }</button>
                        if props.editing.is_some() { <button type="button" class="quiet" onclick={cancel}>{ t.get("editing-cancel") }</button> }
                        <button type="button" class="solid" onclick={apply}>
                            { t.get(if props.editing.is_some() { "editing-save" } else { "apply" }) }<kbd aria-hidden="true">{ keys::apply_keys() }</kbd></button>
                    }
                </div>
            </div>
            <div class="panel" id="tab-kubectl-panel" role="tabpanel" aria-labelledby="tab-kubectl" hidden={!terminal}>
                <Terminal entries={props.terminal.clone()} history={props.history.clone()} shell={props.shell.clone()} />
            </div>
        </section>
    }
}

/// Left and right go from tab to tab.
pub fn tab_keys() -> Callback<KeyboardEvent> {
    use wasm_bindgen::JsCast;
    Callback::from(|e: KeyboardEvent| {
        let by: i32 = match e.key().as_str() {
            "ArrowLeft" => -1,
            "ArrowRight" => 1,
            _ => return,
        };
        let Some(list) = e.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
            return;
        };
        let Ok(tabs) = list.query_selector_all("[role=tab]") else { return };
        let n = tabs.length() as i32;
        let tab = |i: i32| tabs.item(i as u32).and_then(|t| t.dyn_into::<web_sys::HtmlElement>().ok());
        // From the tab that has the focus: which one is selected may not be drawn yet.
        let from = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlElement>().ok());
        let at = (0..n).find(|i| tab(*i) == from);
        if let Some(next) = tab((at.unwrap_or(0) + by).rem_euclid(n.max(1))) {
            next.click();
            let _ = next.focus();
        }
        e.prevent_default();
        e.stop_propagation();
    })
}

#[derive(Properties, PartialEq)]
struct ChangesProps {
    preview: Option<Shared<Preview>>,
    diagnostics: Shared<Vec<Problem>>,
    refused: bool,
    images: Shared<Vec<ImageWarning>>,
    acted: bool,
    steady: bool,
    on: Callback<()>,
    /// Has the editor show a line and a column.
    go: Callback<(usize, usize)>,
}

/// A line of the manifest, which a click goes to.
fn to_line(t: &Texts, go: &Callback<(usize, usize)>, line: usize, column: usize) -> Html {
    let go = go.clone();
    html! {
        <button type="button" class="to-line" onclick={move |_| go.emit((line, column))}>
            { t.with("problem-place", &[("line", (line as f64).into()), ("column", (column as f64).into())]) }</button>
    }
}

/// What Apply would change.
#[component]
fn Changes(props: &ChangesProps) -> Html {
    let store = use_store();
    let t = use_texts();
    if let Some(first) = props.diagnostics.first() {
        let rest = props.diagnostics.len() - 1;
        return html! {
            <div class="changes bad" role="status" tabindex="0">
                if props.refused { <p class="refused">{ t.get("apply-refused") }</p> }
                <p>
                    // kubectl's own text may name a line, which it counts in its own way: one number is enough.
                    if !names_line(&first.message) { { to_line(&t, &props.go, first.line, first.column) } }
                    <span>{ &first.message }</span></p>
                if !first.whole.is_empty() {
                    <details key={first.whole.clone()}><summary>{ t.get("whole") }</summary><pre>{ &first.whole }</pre></details>
                }
                if rest > 0 { <p>{ t.with("problem-more", &[("n", (rest as f64).into())]) }</p> }
            </div>
        };
    }
    let images = props.images.iter().map(|warning| {
        html! {
            <p class="warned">{ to_line(&t, &props.go, warning.line, warning.column) }
                <span>{ missing_image(&t, &warning.missing) }</span></p>
        }
    });
    let Some(preview) = &props.preview else {
        return html! { <div class="changes"><p class="muted hint">{ t.get("apply-hint") }</p></div> };
    };
    if preview.is_empty() {
        if props.acted {
            let on = props.on.reform(|_: MouseEvent| ());
            return html! {
                <div class="changes" role="status">{ for images }<p>{ t.get(if props.steady { "apply-done-steady" } else { "apply-done" }) }</p>
                    <button type="button" class="quiet next-pane" onclick={on}>{ t.get("apply-next") }</button></div>
            };
        }
        return html! { <div class="changes">{ for images }<p class="muted">{ t.get("apply-nothing") }</p></div> };
    }
    let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "–".into());
    let field = |f: &FieldChange| {
        // Labels and annotations have names with dots.
        let named = ["metadata.annotations.", "metadata.labels."].iter().find_map(|p| f.path.strip_prefix(p));
        let short = named.or(f.path.rsplit_once('.').map(|(_, s)| s)).unwrap_or(&f.path).to_owned();
        html! {
            <p title={f.path.clone()}><span>{ short }</span>
                <code class="old">{ value(&f.old) }</code>{ "→" }<code>{ value(&f.new) }</code></p>
        }
    };
    html! {
        <div class="changes" role="status" aria-label={t.get("apply-would")} tabindex="0">
            { for images }
            if preview.in_past { <p class="goes-back">{ t.get("apply-past") }</p> }
            if !preview.back.is_empty() {
                <p class="goes-back">{ t.get("apply-back") }
                    if preview.follows {
                        <button type="button" class="quiet" title={t.get("apply-take-over-about")}
                            onclick={move |_| store.send(Input::TakeOver)}>{ t.get("apply-take-over") }</button>
                    }</p>
                { for preview.back.iter().flat_map(|(_, fields)| fields.iter().map(field)) }
                if !(preview.created.is_empty() && preview.changed.is_empty()) { <p class="own">{ t.get("apply-own") }</p> }
            }
            { for preview.created.iter().map(|o| html! {
                <p><span>{ t.get("apply-create") }</span><code>{ format!("{} {}", o.kind.as_str(), o.key.name) }</code></p> }) }
            { for preview.changed.iter().flat_map(|(_, fields)| fields.iter().map(field)) }
        </div>
    }
}

/// Whether a message says itself in which line something is wrong.
fn names_line(message: &str) -> bool {
    message.split("line ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[derive(Properties, PartialEq)]
pub struct StoryProps {
    /// The scenario.
    pub scenario: Option<Shared<ScenarioView>>,
}

/// What the scenario is about, and what to try in it.
#[component]
fn Story(props: &StoryProps) -> Html {
    story(&use_store(), &use_texts(), props, "story")
}

/// The scenario's story above the graph of a narrow page, where the manifest with its own copy is another pane.
#[component]
pub fn Brief(props: &StoryProps) -> Html {
    story(&use_store(), &use_texts(), props, "brief")
}

#[derive(Properties, PartialEq)]
struct ClusterProps {
    cluster: ClusterStart,
}

/// How the cluster begins, to choose. A choice begins the run anew.
#[component]
fn Cluster(props: &ClusterProps) -> Html {
    let store = use_store();
    let t = use_texts();
    let now = props.cluster;
    let choice = |key: &'static str, all: Vec<(String, ClusterStart)>| {
        let options = all.iter().enumerate().map(|(i, (text, cluster))| {
            html! { <option value={i.to_string()} selected={*cluster == now}>{ text }</option> }
        });
        let options: Html = options.collect();
        let store = store.clone();
        let onchange = Callback::from(move |e: Event| {
            let to: Option<usize> =
                e.target_dyn_into::<web_sys::HtmlSelectElement>().and_then(|s| s.value().parse().ok());
            if let Some((_, cluster)) = to.and_then(|i| all.get(i)) {
                store.send(Input::BeginWith(*cluster));
            }
        });
        html! { <label><span>{ t.get(key) }</span><select {onchange}>{ options }</select></label> }
    };
    // A link may have asked for more nodes than can be chosen here.
    let nodes = (1..=NODES).chain((now.nodes > NODES).then_some(now.nodes));
    let nodes = nodes.map(|nodes| (nodes.to_string(), ClusterStart { nodes, ..now })).collect();
    let members = MEMBERS.map(|etcd| (etcd.to_string(), ClusterStart { etcd, ..now })).to_vec();
    let families = [(IpFamily::Ipv4, "begins-ipv4"), (IpFamily::Dual, "begins-dual")];
    let families = families.map(|(ip_family, key)| (t.get(key), ClusterStart { ip_family, ..now })).to_vec();
    html! {
        <div class="begins" role="group" aria-label={t.get("begins")} title={t.get("begins-about")}>
            { choice("begins-nodes", nodes) }
            { choice("begins-etcd", members) }
            { choice("begins-family", families) }
        </div>
    }
}

fn story(store: &Store, t: &Texts, props: &StoryProps, class: &'static str) -> Html {
    let Some(scenario) = &props.scenario else { return Html::default() };
    let text = t.of(&scenario.text);
    let tries: Vec<String> = scenario.tries.iter().map(|label| t.of(label)).collect();
    let button = |(i, label): (usize, String)| {
        let store = store.clone();
        html! { <button type="button" class="quiet" onclick={move |_| store.send(Input::Attempt(i))}>{ label }</button> }
    };
    html! {
        <details {class} open=true key={scenario.id.to_string()}>
            <summary>{ t.get("story") }</summary>
            <p><Words {text} /></p>
            if let Some(cluster) = scenario.cluster { <Cluster {cluster} /> }
            if !tries.is_empty() { <div class="tries">{ for tries.into_iter().enumerate().map(button) }</div> }
        </details>
    }
}
