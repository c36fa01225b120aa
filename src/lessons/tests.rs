//! What a lesson promises is kept, for every file in `static/lessons/`.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use super::*;

fn files() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/static/lessons");
    let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    let name = |p: &std::path::Path| p.file_name().unwrap().to_string_lossy().into_owned();
    let numbers = |p: &std::path::Path| {
        let (place, name) = (name(p), name(p));
        let place = place.split('-').next().unwrap_or_default();
        (place.split('.').filter_map(|n| n.parse::<u32>().ok()).collect::<Vec<_>>(), name)
    };
    all.sort_by_key(|p| numbers(p));
    all.iter().map(|p| (name(p), std::fs::read_to_string(p).unwrap())).collect()
}

#[test]
fn every_lesson_holds_what_it_promises() {
    for (name, text) in files() {
        let lesson = read(&name, &text).unwrap_or_else(|e| panic!("{e}"));
        if let Some(flaw) = check(&lesson).1 {
            panic!("{name}: {flaw}");
        }
    }
}

/// An answer that can be given in place of the right one.
fn another(right: &Prediction, by: &By) -> Prediction {
    match (right, by) {
        (Prediction::Choice(n), By::Choice(all)) => Prediction::Choice((n + 1) % all.len()),
        (Prediction::Number(n), By::Number(of)) => {
            Prediction::Number(if *n == of.from { of.to } else { of.from })
        }
        (Prediction::Order(places), _) => {
            let mut places = places.clone();
            places.swap(0, 1);
            Prediction::Order(places)
        }
        _ => Prediction::Object("nobody".to_owned()),
    }
}

#[test]
fn each_prediction_can_be_failed_and_the_lesson_goes_on() {
    for (name, text) in files() {
        let lesson = Rc::new(read(&name, &text).unwrap());
        let (mut session, mut run) = (open(&lesson), LessonRun::new(lesson.clone()));
        for (nth, step) in lesson.steps.iter().enumerate() {
            perform(&lesson, &mut session, &step.first);
            run.enter(nth, &session);
            if let Some(predict) = &step.predict {
                perform(&lesson, &mut session, &predict.play);
                let right = check::right_answer(predict, &run.really(&session).unwrap()).unwrap();
                assert!(run.predict(another(&right, &predict.by)).is_some(), "{name}: step {}", nth + 1);
                run.played(&session).unwrap();
                assert!(!run.predicted().unwrap().right, "{name}: step {}", nth + 1);
            }
            perform(&lesson, &mut session, run.solution());
            run.judge(&session);
            assert!(run.is_done(), "{name}: step {}", nth + 1);
        }
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

/// A lesson about a Deployment whose pods come and go within one step.
const EXTREMES: &str = "
title: {en: One, zh: 一}
idea: {en: An idea, zh: 一个想法}
start:
  nodes: 1
  manifest: ''
  setup: [kubectl: create configmap first]
steps:
  - text: {en: Two come and go., zh: 来了又走。}
    predict:
      ask: {en: How many?, zh: 几个？}
      by: {number: [0, 9]}
      play:
        - kubectl: create configmap second
        - kubectl: create configmap third
        - kubectl: delete configmap first second third
        - kubectl: create configmap fourth
      answer: ANSWER
      because: {en: So., zh: 如此。}
keep: {en: Keep this., zh: 记住这句话。}
";

#[test]
fn an_extreme_is_that_of_the_whole_step_and_not_of_its_end() {
    let really = |answer: &str| {
        let lesson = Rc::new(read("one.yaml", &EXTREMES.replace("ANSWER", answer)).unwrap());
        assert_eq!(check(&lesson).1, None);
        let (mut session, mut run) = (open(&lesson), LessonRun::new(lesson.clone()));
        run.enter(0, &session);
        let play = run.predict(Prediction::Number(0)).unwrap().to_vec();
        perform(&lesson, &mut session, &play);
        run.played(&session).unwrap();
        run.predicted().unwrap().really.clone()
    };
    let count = "'now.configmaps.filter(c, c.metadata.namespace == \"default\" && !c.metadata.name.startsWith(\"kube\")).size()'";
    assert_eq!(really(count), ["1"]);
    assert_eq!(really(&format!("{{lowest: {count}}}")), ["0"]);
    assert_eq!(really(&format!("{{highest: {count}}}")), ["3"]);
}

#[test]
fn an_extreme_is_asked_for_as_a_number() {
    let wrong = |from: &str, to: &str| {
        let text = EXTREMES.replace("ANSWER", "{lowest: '1'}").replace(from, to);
        read("one.yaml", &text).unwrap_err().to_string()
    };
    let choice = "{choice: [{is: a}, {is: b}]}";
    assert!(wrong("{number: [0, 9]}", choice).contains("`lowest` and `highest` are answered by a `number`"));
    assert!(
        wrong("{lowest: '1'}", "{least: '1'}").contains("an answer is an expression, `lowest` or `highest`")
    );
    assert!(
        wrong("{lowest: '1'}", "{lowest: 'steady ? 1 : 0'}").contains("undeclared reference to 'steady'")
    );
}

#[test]
fn what_is_wrong_in_a_file_has_its_line() {
    let whole = EXTREMES.replace("ANSWER", "'1'");
    let why = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        read("one.yaml", &whole.replace(from, to)).unwrap_err().to_string()
    };
    let errors = [
        why("nodes: 1", "nodes: 5000"),
        why("nodes: 1", "nodes: 1\n  etcd: 4"),
        why("[0, 9]", "[9, 0]"),
        why("[0, 9]", "[0, 4294967295]"),
        why("{number: [0, 9]}", "{choice: [{is: a}]}"),
        why("answer: '1'", "answer: {lowest: '1', highest: '1'}"),
        why("{number: [0, 9]}\n", "{choice: [{is: a}, {is: b}]}\n      hint: x\n"),
        why("      because", "    do: {goal: [], solution: []}\n    predikt:\n      because"),
        why("keep:", "  - text: {en: a, zh: b}\n    do: {goal: [], solution: []}\nkeep:"),
        why(
            "keep:",
            "  - text: {en: a, zh: b}\n    do: {goal: [{label: {en: a, zh: b}, holds: {now: 'true'}}], solution: []}\n    \
             predict:\n      ask: {en: a, zh: b}\n      by: {number: [0, 1]}\n      play: []\n      answer: '1'\n      \
             because: {en: a, zh: b}\nkeep:",
        ),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

/// A lesson about a client of a Service that leads to nobody.
const ASKING: &str = r#"
title: {en: One, zh: 一}
idea: {en: An idea, zh: 一个想法}
start:
  nodes: 1
  manifest: |
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    spec:
      selector:
        app: web
      ports:
        - port: 80
    ---
    apiVersion: v1
    kind: Pod
    metadata:
      name: client
      labels:
        app: client
    spec:
      containers:
        - name: client
          image: busybox:1.37
          command: [sleep, infinity]
  files:
    asking.yaml: |
      apiVersion: v1
      kind: Pod
      metadata:
        name: asking
        annotations:
          sim.steady/requests: 1/s http://web/
      spec:
        containers:
          - name: client
            image: busybox:1.37
            command: [sleep, infinity]
  setup:
    - kubectl: apply -f manifest.yaml
    - steady: true
steps:
  - text: {en: Nobody answers., zh: 没人应答。}
    prints:
      wget: exec {pod:app=client:1} -- wget -qO- http://web
    journeys:
      web: {pod: client, url: "http://web"}
    predict:
      ask: {en: How?, zh: 怎样？}
      by: {choice: [{is: Rejected}, {is: Arrived}]}
      play: []
      answer: journeys.web.end
      because: {en: So., zh: 如此。}
  - text: {en: Ask., zh: 访问。}
    first:
      - kubectl: apply -f asking.yaml
      - steady: true
    predict:
      ask: {en: How many are lost?, zh: 丢了几个？}
      by: {choice: [{is: asking web 3 3 1}, {is: none}]}
      play:
        - kubectl: run web --image=nginx:1.28
        - steady: true
      answer: 'traffic.map(t, string(t.pod) + " " + string(t.host) + " " + string(t.sent) + " " + string(t.lost) + " " + string(t.causes.size()))'
      because: {en: So., zh: 如此。}
  - text: {en: Mend it., zh: 修好它。}
    prints:
      wget: exec client -- wget -qO- http://web
    journeys:
      web: {pod: client, url: "http://web"}
    do:
      goal:
        - label: {en: It answers., zh: 有回答。}
          holds: {now: 'prints.wget.contains("Welcome to nginx!")'}
        - label: {en: By web., zh: 由 web 回答。}
          holds: {now: 'journeys.web.pod == "web" && journeys.web.status == 200 && journeys.web.lost == ""'}
      solution:
        - kubectl: label pod web app=web
        - steady: true
keep: {en: Keep this., zh: 记住这句话。}
"#;

#[test]
fn a_lesson_asks_kubectl_and_the_network_and_counts_requests() {
    assert_eq!(check(&read("one.yaml", ASKING).unwrap()).1, None);
}

#[test]
fn what_is_printed_is_shown_once_the_question_is_answered() {
    let lesson = Rc::new(read("one.yaml", ASKING).unwrap());
    let (session, mut run) = (open(&lesson), LessonRun::new(lesson));
    run.enter(0, &session);
    let view = LessonView::of(&run, &session, false);
    assert!(view.prints.is_empty() && view.journeys.is_empty());
    run.predict(Prediction::Choice(1));
    run.played(&session).unwrap();
    let view = LessonView::of(&run, &session, false);
    let [print] = &view.prints[..] else { panic!("{view:?}") };
    assert_eq!(print.line, "exec client -- wget -qO- http://web");
    assert!(print.output.contains("Connection refused"), "{}", print.output);
    assert_eq!(view.journeys[0].url, "http://web");
}

#[test]
fn what_is_asked_of_a_moment_is_not_asked_of_those_before_it() {
    let why = |from: &str, to: &str| {
        assert!(ASKING.contains(from), "{from}");
        read("one.yaml", &ASKING.replace(from, to)).unwrap_err().to_string()
    };
    assert!(why("{now: 'prints", "{always: 'prints").contains("undeclared reference to 'prints'"));
    assert!(why("{now: 'journeys", "{ever: 'journeys").contains("undeclared reference to 'journeys'"));
    assert!(
        why("      wget: exec client", "      W-get: exec client")
            .contains("\"W-get\" is no name that an expression")
    );
    let seven: Vec<String> = (0..7).map(|n| format!("a{n}: get pods")).collect();
    let seven = format!("prints: {{{}}}", seven.join(", "));
    assert!(why("    first:", &format!("    {seven}\n    first:")).contains("7 names are too many"));
}
