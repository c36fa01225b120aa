//! Markdown as elements of the page. Whatever a text contains, it becomes elements and text: HTML in it stays text. Terms of the
//! glossary are explained where they come first.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use yew::prelude::*;
use yew::virtual_dom::{VList, VNode};

use crate::ui::i18n::Texts;
use crate::ui::terms::{reader, told};

/// How deep elements stand in each other at most. What is deeper stands in the last one: a page draws elements recursively, and
/// a text of nothing but `>` would exhaust its stack.
const DEPTH: usize = 16;

/// What a text in Markdown looks like.
pub fn markdown(t: &Texts, text: &str) -> Html {
    let mut reader = reader(t);
    let mut open: Vec<(Option<Tag<'_>>, VList)> = vec![(None, VList::new())];
    for event in Parser::new(text) {
        match event {
            Event::Start(tag) => open.push((Some(tag), VList::new())),
            Event::End(end) => close(&mut open, end),
            Event::Code(code) => put(&mut open, html! { <code>{ code.to_string() }</code> }),
            Event::Text(t) if is_prose(&open) => put(&mut open, told(&mut reader, &t)),
            Event::Text(t) | Event::Html(t) | Event::InlineHtml(t) => {
                put(&mut open, VNode::from(t.to_string()))
            }
            Event::SoftBreak => put(&mut open, VNode::from("\n")),
            Event::HardBreak => put(&mut open, html! { <br /> }),
            Event::Rule => put(&mut open, html! { <hr /> }),
            Event::InlineMath(t) | Event::DisplayMath(t) | Event::FootnoteReference(t) => {
                put(&mut open, VNode::from(t.to_string()));
            }
            Event::TaskListMarker(_) => {}
        }
    }
    // The parser ends each element that it began.
    open.pop().map(|(_, list)| VNode::from(list)).unwrap_or_default()
}

/// Whether terms are explained in what is open now: not in code, in links and in headings.
fn is_prose(open: &[(Option<Tag<'_>>, VList)]) -> bool {
    let other = |tag: &Tag<'_>| matches!(tag, Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Heading { .. });
    !open.iter().any(|(tag, _)| tag.as_ref().is_some_and(other))
}

fn put(open: &mut [(Option<Tag<'_>>, VList)], node: VNode) {
    if let Some((_, list)) = open.last_mut() {
        list.add_child(node);
    }
}

fn close(open: &mut Vec<(Option<Tag<'_>>, VList)>, _: TagEnd) {
    let Some((Some(tag), inside)) = open.pop() else { return };
    if open.len() > DEPTH {
        if let Some((_, list)) = open.last_mut() {
            list.add_children(inside.iter().cloned());
        }
        return;
    }
    let inside = VNode::from(inside);
    let node = match tag {
        Tag::Paragraph => html! { <p>{ inside }</p> },
        Tag::Heading { .. } => html! { <h3>{ inside }</h3> },
        Tag::Emphasis => html! { <em>{ inside }</em> },
        Tag::Strong => html! { <strong>{ inside }</strong> },
        Tag::BlockQuote(_) => html! { <blockquote>{ inside }</blockquote> },
        Tag::List(None) => html! { <ul>{ inside }</ul> },
        Tag::List(Some(from)) => html! { <ol start={from.to_string()}>{ inside }</ol> },
        Tag::Item => html! { <li>{ inside }</li> },
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => html! { <pre>{ inside }</pre> },
        Tag::Link { dest_url, .. } if dest_url.starts_with("https://") => {
            html! { <a href={dest_url.to_string()} target="_blank" rel="noopener">{ inside }</a> }
        }
        // Another address than one of the web leads nowhere, and everything else has no form of its own here.
        _ => inside,
    };
    put(open, node);
}
