//! Reads a payload of every agent and event, in the real client's format with invented values.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use briefing_agents::{AGENTS, Request, find};

#[test]
fn every_payload_is_read_correctly() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads");
    let mut summary = String::new();
    for agent in AGENTS.iter().filter(|agent| agent.has_hooks()) {
        let mut names: Vec<_> = fs::read_dir(directory.join(agent.name))
            .unwrap_or_else(|_| panic!("no payloads of {}", agent.name))
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        for name in names {
            let stem = name.strip_suffix(".json").unwrap();
            let event = agent
                .event(stem)
                .or_else(|| agent.event(stem.split_once('-').map_or(stem, |(event, _)| event)))
                .unwrap_or_else(|| panic!("{name} is no event of {}", agent.name));
            let bytes = fs::read(directory.join(agent.name).join(&name)).unwrap();
            let request = Request::read(agent, event, &bytes).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            assert_eq!(request.cwd.as_deref(), Some(Path::new("/home/ana/shop")), "{name}");
            let _ = writeln!(
                summary,
                "{} {stem}: session {}{}, {:?}{}, occasion `{}`, words {:?}",
                agent.name,
                request.session,
                request.sub_agent.map(|id| format!("/{id}")).unwrap_or_default(),
                request.start,
                if request.is_reset { ", empties the window" } else { "" },
                request.occasion,
                request.message,
            );
        }
    }
    insta::assert_snapshot!(summary);
}

/// Every event that we register must have been seen with the real client.
#[test]
fn every_registered_event_has_a_payload() {
    for agent in AGENTS {
        for event in agent.events.iter().filter(|event| event.lanes > 0) {
            let file = format!("{}/tests/payloads/{}/{}", env!("CARGO_MANIFEST_DIR"), agent.name, event.name);
            let found = ["", "-auto", "-manual"].iter().any(|suffix| Path::new(&format!("{file}{suffix}.json")).exists());
            assert!(found, "{file}.json is missing");
        }
    }
}

#[test]
fn lanes_of_one_event_share_an_occasion_and_different_tools_do_not() {
    let claude = find("claude").unwrap();
    let read = |tool: &str| {
        let payload = format!(r#"{{"session_id":"s","prompt_id":"p","tool_use_id":"{tool}"}}"#);
        Request::read(claude, claude.event("PreToolUse").unwrap(), payload.as_bytes()).unwrap().occasion
    };
    assert_eq!(read("a"), read("a"));
    assert_ne!(read("a"), read("b"));
}
