//! Generates the table in `docs/agents.md` from the table that the code uses, and checks that it is up to date.

use std::fmt::Write as _;

use briefing_agents::agent::Keeps;
use briefing_agents::request::Start;
use briefing_agents::transcripts::format::Storage;
use briefing_agents::{AGENTS, Agent, moment};
use briefing_core::Moment;
use briefing_core::sources::{Opens, Source, Sources};

/// Describes what an agent's window gets at a moment.
fn at(agent: &Agent, moment: Moment, start: Start, done: Sources, owed: Sources) -> String {
    let Some(event) = agent.events.iter().find(|event| event.moment == moment && (event.carries || event.lanes > 0)) else {
        return "no event".into();
    };
    let sources: Vec<_> = Source::of(moment::sources(agent, event, start, done, owed, 0)).map(Source::name).collect();
    if !event.carries {
        return format!("`{}`: nothing; due at the next event", event.name);
    }
    format!("`{}`: {}", event.name, if sources.is_empty() { "nothing".into() } else { sources.join(", ") })
}

fn after_reset(agent: &Agent) -> String {
    let has_start = agent.events.iter().any(|event| event.moment == Moment::Session && event.carries && event.lanes > 0);
    match agent.events.iter().find(|event| matches!(event.moment, Moment::Reset | Moment::ManualReset) && !event.carries) {
        Some(event) if agent.transcript.is_some_and(|it| it.rewrite.is_some() || matches!(it.storage, Storage::Database { .. })) => {
            format!(
                "what its transcript shows to be gone is due at the next message; without a transcript, everything after `{}`",
                event.name
            )
        }
        Some(event) => format!("`{}`: everything is due at the next event", event.name),
        None if has_start => at(agent, Moment::Session, Start::Compact, 0, moment::AFTER_RESET),
        None => "no event".into(),
    }
}

fn table() -> String {
    let mut text = String::from(
        "| agent | startup, clear | message | tool use | resume | fork | the window is emptied | sub-agent start | sub-agents |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let (first, gate) = (Source::opening(&[Opens::First]), Source::Gate.bit());
    for agent in AGENTS.iter().filter(|agent| agent.has_hooks()) {
        let done_at_start = if agent.events.iter().any(|event| event.moment == Moment::Session && event.carries) { first } else { 0 };
        let resume = match agent.keeps {
            Keeps::History => "only what changed".to_owned(),
            Keeps::Messages => "everything that did not come with a message".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            agent.title,
            at(agent, Moment::Session, Start::Startup, 0, 0),
            at(agent, Moment::Message, Start::Startup, done_at_start, 0),
            at(agent, Moment::Tool, Start::Startup, done_at_start | if agent.gate_at_message { gate } else { 0 }, 0),
            resume,
            agent.forks,
            after_reset(agent),
            at(agent, Moment::SubAgent, Start::Startup, 0, 0),
            agent.sub_agents,
        );
    }
    text
}

/// Returns where the server of each agent is registered.
fn servers() -> String {
    let mut text = String::from("| agent | your settings | the project's settings | a colleague without `brief` … |\n|---|---|---|---|\n");
    for (agent, mcp) in AGENTS.iter().filter_map(|agent| Some((agent, agent.mcp?))) {
        let directory = if mcp.is_in_home { String::new() } else { format!("{}/", agent.home) };
        let _ = writeln!(text, "| {} | `~/{directory}{}` | `{}` | {} |", agent.title, mcp.user_file, mcp.project_file, mcp.without_program);
    }
    text
}

#[test]
fn the_tables_in_the_docs_are_up_to_date() {
    for (name, table) in [("moments", table()), ("servers", servers())] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (start, end) = (format!("<!-- {name}:start -->\n"), format!("<!-- {name}:end -->"));
        let from = page.find(&start).expect("the page has the start mark") + start.len();
        let to = page.find(&end).expect("the page has the end mark");
        if page[from..to] != table && std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, format!("{}{table}{}", &page[..from], &page[to..])).unwrap();
            continue;
        }
        assert_eq!(&page[from..to], table, "run the tests with UPDATE_DOCS=1 to update it");
    }
}
