//! Every order: what is chosen, what was found, and the graph of states one can walk. The exploring
//! itself is a worker's, see [`worker`](super::worker); the page hands it its run and follows the ways it finds.

mod answers;
mod form;
mod model;
mod states;

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use steady::engine::explorer::{Ask, Goal, Tell, dot};
use steady::engine::{Answer, Ask as Question, Depth, Input, Mode, Moment};
use yew::prelude::*;

use super::board::Board;
use super::share::give;
use super::store::clock;
use crate::ui::hooks::{use_store, use_texts};
use crate::ui::worker::Host;
use answers::Answers;
use form::Form;
use model::{Anchor, Change, Choices, Model, Phase};
use states::States;

/// Whether a worker that was told to stop has said what it knows is looked at after so many milliseconds.
/// It hears between two slices of 40; what keeps it for longer is a person's invariant.
const PATIENCE: u32 = 1_500;
/// A run that moves is looked for among the states once it has stood still for so long.
const STILL: u32 = 200;

/// Whether the panel is seen, and what the run does meanwhile.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// It is.
    pub open: bool,
    /// Closes it.
    pub close: Callback<()>,
    /// Grows with every change of the run.
    pub version: u64,
    /// Which session it is: moments of one mean nothing in another.
    pub session: u32,
    /// The moment that is looked at.
    pub at: Moment,
    /// How deep the page's own steps are.
    pub depth: Depth,
    /// What the page is busy with.
    pub mode: Mode,
    /// How often a rehearsal has asked whether requests are lost in every order: each time that is all that is chosen.
    pub asked: u32,
}

/// The panel. It keeps what it knows while it is closed.
#[component]
pub fn Explore(props: &Props) -> Html {
    let store = use_store();
    let t = use_texts();
    let model = use_reducer(Model::default);
    let host = use_mut_ref(|| None::<Host>);
    // What is told between two pictures is told to the newest model, and not to the one that was drawn.
    let anchor: Rc<RefCell<Option<Anchor>>> = use_mut_ref(|| None);
    let turn = use_mut_ref(|| 0u32);
    let busy = use_mut_ref(|| false);
    *busy.borrow_mut() = model.is_busy();

    let told = {
        let (dispatch, store, anchor) = (model.dispatcher(), store.clone(), anchor.clone());
        let host = host.clone();
        Callback::from(move |tell: Tell| {
            match &tell {
                Tell::Way { depth, choices, .. } => {
                    let from = *anchor.borrow();
                    if let Some(Anchor { session, moment: from, .. }) = from {
                        let (depth, way) = (*depth, choices.clone());
                        store.send(Input::Follow { session, from, depth, way });
                    }
                }
                Tell::Failed(_) => {
                    // Not from within one of its own calls.
                    let host = host.clone();
                    Timeout::new(0, move || drop(host.borrow_mut().take())).forget();
                }
                _ => {}
            }
            dispatch.dispatch(Change::Told(tell, clock()));
        })
    };
    let ask = {
        let (host, told) = (host.clone(), told.clone());
        Callback::from(move |ask: Ask| {
            let mut host = host.borrow_mut();
            if host.is_none() {
                match Host::new(told.clone()) {
                    Ok(new) => *host = Some(new),
                    Err(why) => return told.emit(Tell::Failed(why)),
                }
            }
            if let Some(host) = &*host {
                host.ask(&ask);
            }
        })
    };
    let start = {
        let (ask, store, anchor, model) = (ask.clone(), store.clone(), anchor.clone(), model.clone());
        let (turn, depth) = (turn.clone(), props.depth);
        Callback::from(move |choices: Choices| {
            store.send(Input::Stop);
            let depth = choices.depth.unwrap_or(depth);
            let (ask, anchor, model, turn) = (ask.clone(), anchor.clone(), model.clone(), turn.clone());
            let told = move |answer: Answer| {
                let Answer::Run(Some(run)) = answer else { return };
                let from = Anchor { session: run.session, moment: run.moment, depth };
                *turn.borrow_mut() += 1;
                *anchor.borrow_mut() = Some(from);
                model.dispatch(Change::Started(from, clock()));
                ask.emit(Ask::Explore(Box::new(choices.plan(run.link, depth))));
            };
            store.ask(Question::Run(0), Callback::from(told));
        })
    };
    let stop = {
        let (ask, host, turn, busy) = (ask.clone(), host.clone(), turn.clone(), busy.clone());
        let dispatch = model.dispatcher();
        Callback::from(move |()| {
            ask.emit(Ask::Stop);
            let (host, turn, busy, dispatch) = (host.clone(), turn.clone(), busy.clone(), dispatch.clone());
            let now = *turn.borrow();
            Timeout::new(PATIENCE, move || {
                if *busy.borrow() && *turn.borrow() == now {
                    host.borrow_mut().take();
                    dispatch.dispatch(Change::Ended);
                }
            })
            .forget();
        })
    };
    let choose = {
        let dispatch = model.dispatcher();
        Callback::from(move |choices: Choices| dispatch.dispatch(Change::Chosen(choices)))
    };
    let stand = {
        let dispatch = model.dispatcher();
        Callback::from(move |id| dispatch.dispatch(Change::Focused(id)))
    };
    let more = ask.reform(|id| Ask::Picture(Some(id)));
    let open_way = ask.reform(|goal: Goal| Ask::Way(goal));

    {
        let (dispatch, choices) = (model.dispatcher(), model.choices.clone());
        use_effect_with(props.asked, move |asked| {
            if *asked > 0 {
                dispatch.dispatch(Change::Chosen(choices.only("noRequestLost")));
            }
        });
    }
    // What is typed is read once a person pauses.
    {
        let (ask, open) = (ask.clone(), props.open);
        use_effect_with((model.choices.own.clone(), open), move |(own, open)| {
            let wanted = *open && !own.text.trim().is_empty();
            let own = own.clone();
            let timer = wanted.then(|| Timeout::new(300, move || ask.emit(Ask::Read(own))));
            move || drop(timer)
        });
    }
    // Where the page's run is in the graph of states.
    let mine = model.anchor.is_some_and(|a| a.session == props.session);
    {
        let (ask, store, dispatch) = (ask.clone(), store.clone(), model.dispatcher());
        let wanted = props.open && mine && model.picture.is_some() && props.mode == Mode::Idle;
        let (from, picture) = (model.anchor, model.picture.is_some());
        use_effect_with((props.version, props.at, wanted, from.map(|a| a.moment), picture), move |_| {
            let look = move || {
                let Some(from) = from else { return };
                let told = move |answer: Answer| match answer {
                    Answer::Run(Some(run)) => ask.emit(Ask::Where(run.link)),
                    _ => dispatch.dispatch(Change::Elsewhere),
                };
                store.ask(Question::Run(from.moment), Callback::from(told));
            };
            let timer = wanted.then(|| Timeout::new(STILL, look));
            move || drop(timer)
        });
    }
    if !props.open {
        return Html::default();
    }
    let files = store.clone();
    let close = props.close.clone();
    html! {
        <Board name="explore" title="explore" about="explore-about" {close}>
            <div class="board-side">
                <Form choices={model.choices.clone()} depth={props.depth} busy={model.is_busy()}
                    waits={matches!(props.mode, Mode::Loading { .. })} unreadable={model.unreadable.clone()} {choose} {start} {stop} />
                <p class="board-progress" role="status" aria-live="polite">{ progress(&model, &t) }</p>
                if let Some(why) = &model.trouble {
                    <p class="board-bad" role="alert">
                        { if model.failed { t.with("explore-failed", &[("why", why.clone().into())]) }
                          else if why.is_empty() { t.get("explore-no-way") }
                          else { t.with("explore-refused", &[("why", why.clone().into())]) } }
                    </p>
                }
                if let Some(found) = &model.found {
                    if !mine { <p class="board-bad">{ t.get("explore-other-run") }</p> }
                    <Answers found={found.clone()} took={model.took} can_open={mine && !model.is_busy()} open={open_way.clone()} />
                    if let Some(picture) = model.picture.clone() {
                        <button type="button" class="quiet" onclick={move |_| give(&files, "orders.dot", "text/vnd.graphviz", dot(&picture), 0.0)}>
                            { t.get("share-dot") }</button>
                    }
                }
            </div>
            if let Some(picture) = &model.picture {
                <States picture={picture.clone()} found={model.found.clone()} focus={model.focus} run={model.run.clone()}
                    can_open={mine && !model.is_busy()} {stand} {more} open={open_way.reform(Goal::State)} />
            } else {
                <p class="board-empty">{ t.get(if model.is_busy() { "explore-drawing" } else { "explore-empty" }) }</p>
            }
        </Board>
    }
}

/// How far it is, in words.
fn progress(model: &Model, t: &crate::ui::i18n::Texts) -> String {
    match model.phase {
        Phase::Idle => String::new(),
        Phase::Replaying(_, 0) => t.get("explore-loading"),
        Phase::Replaying(done, of) => {
            t.with("explore-replaying", &[("done", (done as f64).into()), ("of", (of as f64).into())])
        }
        Phase::Exploring => {
            let p = &model.progress;
            let rate = if model.took > 0.0 { p.states as f64 * 1000.0 / model.took } else { 0.0 };
            let args = [
                ("states", (p.states as f64).into()),
                ("waiting", (p.waiting as f64).into()),
                ("steps", (p.steps as f64).into()),
                ("rate", rate.round().into()),
                ("mb", ((p.memory >> 20) as f64).into()),
            ];
            t.with("explore-progress", &args)
        }
    }
}
