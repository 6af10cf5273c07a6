//! For any content, no output exceeds the agent's cap in its own unit, and nothing gets lost.

use briefing_agents::{AGENTS, Agent, window};
use briefing_core::fit::{Due, Room, Standing, fit};
use briefing_core::measure::Unit;
use briefing_core::render::window as render;
use briefing_core::{Order, Piece, Reason, Source};
use proptest::prelude::*;

const ORDERS: [Order; 6] = [Order::Constitution, Order::Document, Order::Chain, Order::State, Order::Knowledge, Order::Gate];

fn brought() -> impl Strategy<Value = Piece> {
    let text = prop_oneof![
        3 => "[a-z \n]{0,3000}",
        1 => "(😀|€|é|\n){0,4000}",
        1 => "[a-z]{8000,22000}",
        1 => Just("=== brief: x\n".repeat(900)),
        1 => Just(String::from("\u{202E}\u{E0041}").repeat(800)),
    ];
    (text, 0usize..6, "[a-zé/]{1,60}", any::<bool>()).prop_map(|(text, order, path, is_literal)| {
        let source = if is_literal { Source::Gate } else { Source::Domains };
        Piece::new(source, path.clone(), path, Reason::HandOff, ORDERS[order], text)
    })
}

fn outputs(agent: &Agent, pieces: &[Piece], room: Room) -> Vec<String> {
    let due = (0..pieces.len()).map(|piece| Due { piece, versions: piece as u32 % 2, ..Due::default() }).collect();
    let segments = fit(&Standing { due, ..Standing::default() }, pieces, room).segments;
    let count = segments.iter().map(|segment| segment.slot + 1).max().unwrap_or(0);
    for segment in &segments {
        assert_eq!(segment.size, agent.unit.of(&segment.text), "the ledger records the true size");
    }
    (0..count)
        .map(|slot| {
            let texts: Vec<&str> = segments.iter().filter(|segment| segment.slot == slot).map(|segment| segment.text.as_str()).collect();
            assert!(!texts.is_empty(), "no output is empty");
            let place = render::Place { number: slot + 1, of: count, is_continued: true, has_more: true };
            render::output(render::header(place).as_deref(), &texts, agent.unit).text
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_output_exceeds_the_cap(pieces in prop::collection::vec(brought(), 0..12), agent in 0..AGENTS.len(), whole: bool) {
        let agent = &AGENTS[agent];
        let room = window::room(agent, whole, agent.lanes());
        for output in outputs(agent, &pieces, room) {
            prop_assert!(agent.unit.of(&output) <= room.cap, "{} > {}", agent.unit.of(&output), room.cap);
        }
    }

    #[test]
    fn parts_put_together_are_the_piece(text in "[a-z€ \n]{1,30000}") {
        let item = Piece::new(Source::Domains, "/p", "/p", Reason::HandOff, Order::Knowledge, text.clone());
        let room = Room { cap: 9500, unit: Unit::Utf16, lanes: 4, outputs: 16 };
        let due = vec![Due::default()];
        let segments = fit(&Standing { due, ..Standing::default() }, &[item], room).segments;
        let whole: String = segments.iter().map(|segment| segment.text.split_once('\n').unwrap().1).collect();
        prop_assert_eq!(whole, text);
    }
}

#[test]
fn after_sixteen_outputs_the_rest_is_listed() {
    let claude = briefing_agents::find("claude").unwrap();
    let pieces: Vec<Piece> = (0..30)
        .map(|number| {
            let path = format!("/k{number}");
            Piece::new(Source::Domains, path.clone(), path, Reason::HandOff, Order::Knowledge, "word ".repeat(1600))
        })
        .collect();
    let outputs = outputs(claude, &pieces, window::room(claude, true, 4));
    assert_eq!(outputs.len(), 16);
    assert!(outputs[15].contains("not included") && outputs[15].contains("- /k28 (2000 tokens)"), "{}", outputs[15]);
}

#[test]
fn documents_are_fitted_into_this_event_or_left_out() {
    let codex = briefing_agents::find("codex").unwrap();
    let document = |name: &str, size: usize| {
        let reason = Reason::Required { by: "x".into(), read_first: Vec::new() };
        Piece::new(Source::Docs, name, name, reason, Order::Document, "x\n".repeat(size / 2))
    };
    let outputs = outputs(codex, &[document("/big", 60_000), document("/small", 100)], window::room(codex, true, 1));
    assert_eq!(outputs.len(), 1);
    assert!(outputs[0].contains("=== brief: /small (required by x") && outputs[0].contains("- /big (15000 tokens)"));
}
