//! No output ever exceeds the agent's cap, in its own unit, for any content; and nothing gets lost on the way.

use briefing_agents::fit::{Brought, Room, fit};
use briefing_agents::source::Source;
use briefing_agents::{AGENTS, Agent, hook, render};
use briefing_core::{Order, Piece};
use briefing_store::{Due, Standing};
use proptest::prelude::*;

const ORDERS: [Order; 6] = [Order::Constitution, Order::Document, Order::Chain, Order::State, Order::Knowledge, Order::Gate];

fn brought() -> impl Strategy<Value = Brought> {
    let text = prop_oneof![
        3 => "[a-z \n]{0,3000}",
        1 => "(😀|€|é|\n){0,4000}",
        1 => "[a-z]{8000,22000}",
        1 => Just("=== brief: x\n".repeat(900)),
        1 => Just(String::from("\u{202E}\u{E0041}").repeat(800)),
    ];
    (text, 0usize..6, "[a-zé/]{1,60}", any::<bool>()).prop_map(|(text, order, path, is_literal)| Brought {
        source: if is_literal { Source::Gate } else { Source::Domains },
        piece: Piece::new(path.clone(), path, "because", ORDERS[order], text),
    })
}

fn outputs(agent: &Agent, brought: &[Brought], room: Room) -> Vec<String> {
    let due = (0..brought.len()).map(|offer| Due { offer, is_update: offer % 2 == 1 }).collect();
    let segments = fit(&Standing { due, queued: Vec::new() }, brought, room).arrangement.add;
    let count = segments.iter().map(|segment| segment.slot + 1).max().unwrap_or(0);
    for segment in &segments {
        assert_eq!(segment.size, agent.unit.of(&segment.text), "the ledger knows the true size");
    }
    (0..count)
        .map(|slot| {
            let texts: Vec<&str> = segments.iter().filter(|segment| segment.slot == slot).map(|segment| segment.text.as_str()).collect();
            assert!(!texts.is_empty(), "no output is empty");
            render::output(Some(&render::header(slot + 1, count)), &texts)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_output_exceeds_the_cap(pieces in prop::collection::vec(brought(), 0..12), agent in 0..AGENTS.len(), whole: bool) {
        let agent = &AGENTS[agent];
        let room = hook::room(agent, whole, agent.lanes());
        for output in outputs(agent, &pieces, room) {
            prop_assert!(agent.unit.of(&output) <= room.cap, "{} > {}", agent.unit.of(&output), room.cap);
        }
    }

    #[test]
    fn parts_put_together_are_the_piece(text in "[a-z€ \n]{1,30000}") {
        let item = Brought { source: Source::Domains, piece: Piece::new("/p", "/p", "because", Order::Knowledge, text.clone()) };
        let room = Room { cap: 9500, unit: briefing_agents::Unit::Utf16, lanes: 4 };
        let due = vec![Due { offer: 0, is_update: false }];
        let segments = fit(&Standing { due, queued: Vec::new() }, &[item], room).arrangement.add;
        let whole: String = segments.iter().map(|segment| segment.text.split_once('\n').unwrap().1).collect();
        prop_assert_eq!(whole, text);
    }
}

#[test]
fn beyond_sixteen_outputs_the_rest_is_named() {
    let claude = briefing_agents::find("claude").unwrap();
    let pieces: Vec<Brought> = (0..30)
        .map(|number| Brought {
            source: Source::Domains,
            piece: Piece::new(format!("/k{number}"), format!("/k{number}"), "knowledge", Order::Knowledge, "word ".repeat(1600)),
        })
        .collect();
    let outputs = outputs(claude, &pieces, hook::room(claude, true, 4));
    assert_eq!(outputs.len(), 16);
    assert!(outputs[15].contains("not included") && outputs[15].contains("- /k29 (2000 tokens)"), "{}", outputs[15]);
}

#[test]
fn documents_are_fitted_into_this_event_or_left_out() {
    let codex = briefing_agents::find("codex").unwrap();
    let document = |name: &str, size: usize| Brought {
        source: Source::Docs,
        piece: Piece::new(name, name, "matches", Order::Document, "x\n".repeat(size / 2)),
    };
    let outputs = outputs(codex, &[document("/big", 60_000), document("/small", 100)], hook::room(codex, true, 1));
    assert_eq!(outputs.len(), 1);
    assert!(outputs[0].contains("=== brief: /small (matches") && outputs[0].contains("- /big (15000 tokens)"));
}
