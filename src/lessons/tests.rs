//! What a lesson promises is kept, for every file in `static/lessons/`.
#![allow(clippy::unwrap_used)]

use super::*;

fn files() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/static/lessons");
    let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    let name = |p: &std::path::Path| p.file_name().unwrap().to_string_lossy().into_owned();
    all.iter().map(|p| (name(p), std::fs::read_to_string(p).unwrap())).collect()
}

#[test]
fn every_lesson_holds_what_it_promises() {
    for (name, text) in files() {
        let lesson = read(&name, &text).unwrap_or_else(|e| panic!("{e}"));
        check(&lesson).unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
    }
}

#[test]
fn the_course_lists_every_lesson_as_its_file_says() {
    let listed = list();
    assert_eq!(files().len(), listed.len());
    for ((name, text), listed) in files().into_iter().zip(listed) {
        let lesson = read(&name, &text).unwrap();
        assert_eq!(lesson.id, listed.id);
        assert_eq!((lesson.title.en.as_str(), lesson.title.zh.as_str()), (listed.title.en, listed.title.zh));
        assert_eq!((lesson.idea.en.as_str(), lesson.idea.zh.as_str()), (listed.idea.en, listed.idea.zh));
        assert_eq!(lesson.after, listed.after);
        for id in listed.after {
            assert!(list().iter().any(|l| l.id == *id && l.id != lesson.id), "{name}: after {id}");
        }
    }
}
