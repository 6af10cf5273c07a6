//! What views ask for: filters and limits, one line per event, the names of sessions, and a past that stays within bounds.

use briefing_core::select::Abstention;
use briefing_core::{Moment, Silence, Source};
use briefing_store::{Arrival, Basis, Beat, Claim, Filter, LogEntry, Outcome, Place, SessionKey, beat, timeline};

use crate::{ENTRY, Fixture, on_every_engine, plain};

/// Delivers one piece to a session at a time, and returns the claim.
fn deliver(fixture: &mut Fixture, agent: &str, session: &str, cwd: &str, at: i64, piece: &str) -> Claim {
    let key = SessionKey::new(agent, session, None);
    fixture.now = at;
    let arrival = Arrival { cwd, title: Some("how do we ship?"), ..plain(&key, &fixture.holder, at) };
    let arrived = fixture.ledger.arrive(&arrival).unwrap();
    let claim = fixture.admit(&arrived, 1, &[(piece, "1")]);
    fixture.confirm(&claim);
    claim
}

/// Three sessions of two agents in two projects.
fn several(fixture: &mut Fixture) {
    deliver(fixture, "claude", "one", "/p", 1000, "/p/a.md");
    deliver(fixture, "codex", "two", "/p/api", 2000, "/p/b.md");
    deliver(fixture, "claude", "three", "/pq", 3000, "/q/c.md");
    deliver(fixture, "claude", "one", "/elsewhere", 4000, "/p/d.md");
}

fn times(fixture: &mut Fixture, filter: Filter<'_>) -> Vec<i64> {
    fixture.reader.events(&filter).unwrap().into_iter().map(|event| event.at).collect()
}

#[test]
fn every_view_has_filters_and_limits() {
    on_every_engine(|fixture| {
        several(fixture);
        let all = Filter::default();
        assert_eq!(times(fixture, all), [1000, 2000, 3000, 4000]);
        assert_eq!(times(fixture, Filter { newest: Some(2), ..all }), [3000, 4000], "the newest, oldest first");
        assert_eq!(times(fixture, Filter { newest: Some(0), ..all }), [0_i64; 0]);
        assert_eq!(times(fixture, Filter { since: Some(2000), until: Some(4000), ..all }), [2000, 3000]);
        assert_eq!(times(fixture, Filter { agent: Some("codex"), ..all }), [2000]);
        assert_eq!(times(fixture, Filter { project: Some("/p"), ..all }), [1000, 2000, 4000], "where it began counts, `/pq` is another");
        assert_eq!(times(fixture, Filter { project: Some("/p/"), ..all }), [1000, 2000, 4000]);
        assert_eq!(times(fixture, Filter { project: Some("/"), ..all }), [1000, 2000, 3000, 4000]);
        assert_eq!(times(fixture, Filter { project: Some("/p"), agent: Some("claude"), newest: Some(1), ..all }), [4000]);
        assert_eq!(times(fixture, Filter { session: Some("one"), ..all }), [1000, 4000]);
        assert_eq!(times(fixture, Filter { source: Some(Source::Domains), ..all }), [1000, 2000, 3000, 4000]);
        assert_eq!(times(fixture, Filter { source: Some(Source::Gate), ..all }), [0_i64; 0]);
        let mut pieces =
            |filter: &Filter<'_>| -> Vec<String> { fixture.reader.deliveries(filter).unwrap().into_iter().map(|row| row.piece).collect() };
        assert_eq!(pieces(&all), ["/p/b.md", "/q/c.md", "/p/a.md", "/p/d.md"], "by session, the last one seen last");
        assert_eq!(pieces(&Filter { project: Some("/p"), since: Some(2000), ..all }), ["/p/b.md", "/p/d.md"]);
        assert_eq!(pieces(&Filter { newest: Some(1), ..all }), ["/p/d.md"]);
        let sessions = fixture.reader.sessions(&Filter { project: Some("/p"), newest: Some(1), ..all }).unwrap();
        assert_eq!((sessions.len(), sessions[0].name.directory.as_str(), sessions[0].cwd.as_str()), (1, "/p", "/elsewhere"));
        let at_work = fixture.reader.sessions(&Filter { until: Some(1500), ..all }).unwrap();
        assert_eq!(at_work.len(), 1);
    });
}

#[test]
fn an_event_says_what_it_carried_and_what_it_depended_on() {
    on_every_engine(|fixture| {
        let key = SessionKey::new("claude", "one", None);
        let arrived = fixture.ledger.arrive(&plain(&key, &fixture.holder, fixture.now)).unwrap();
        let claim = fixture.admit(&arrived, 1, &[("/p/a.md", "1")]);
        let basis = Basis { message: Some("how do we ship?"), documents: "d1", settings: "s1" };
        fixture.ledger.confirm(&claim, &LogEntry { now: 5, moment: Some(Moment::Message), basis, ..ENTRY }).unwrap();
        let events = fixture.reader.events(&Filter::default()).unwrap();
        let event = &events[0];
        assert_eq!((event.moment, event.message.as_str(), event.documents.as_str()), (Some(Moment::Message), "how do we ship?", "d1"));
        assert_eq!((event.settings.as_str(), event.outputs, &event.sources[..]), ("s1", 1, &[Source::Domains][..]));
        let carried = fixture.reader.carried(&[event.id]).unwrap();
        assert_eq!((carried.len(), carried[0].piece.as_str(), carried[0].carrier), (1, "/p/a.md", event.id));
        assert_eq!(fixture.reader.carried(&[0, event.id + 1]).unwrap(), []);
    });
}

#[test]
fn the_lanes_of_an_event_share_a_line() {
    on_every_engine(|fixture| {
        let first = fixture.arrive(Some("plan"), 1, false);
        let one = fixture.admit(&first, 1, &[("/a", "1"), ("/b", "1")]);
        let second = fixture.arrive(Some("plan"), 2, false);
        let two = fixture.claim(&second, 2);
        // The second lane may be the faster one.
        fixture.confirm(&two);
        fixture.confirm(&one);
        let third = fixture.arrive(Some("plan"), 3, false);
        let three = fixture.claim(&third, 3);
        let silent = Outcome::Silent(Silence::NothingDue);
        fixture.ledger.confirm(&three, &LogEntry { outcome: &silent, size: 0, micros: 5000, ..ENTRY }).unwrap();
        let events = fixture.reader.events(&Filter::default()).unwrap();
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].outputs, events[0].size, events[0].micros), (2, 6, 5000));
        assert_eq!(events[0].outcome, Outcome::Delivered, "a lane that prints nothing undoes nothing");
        let carried = fixture.reader.carried(&[events[0].id]).unwrap();
        assert_eq!(carried.iter().map(|row| row.piece.as_str()).collect::<Vec<_>>(), ["/a", "/b"], "in the order of the outputs");
    });
}

#[test]
fn an_event_that_delivered_nothing_says_why() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[]);
        let why = Silence::NothingFits { because: Abstention::NotAbout, confidence: 0.25, needed: 0.5 };
        let outcome = Outcome::Silent(why);
        let basis = Basis { message: Some("thanks"), ..Basis::default() };
        fixture.ledger.confirm(&claim, &LogEntry { outcome: &outcome, size: 0, basis, ..ENTRY }).unwrap();
        let events = fixture.reader.events(&Filter::default()).unwrap();
        assert_eq!((&events[0].outcome, events[0].outputs, events[0].message.as_str()), (&outcome, 0, "thanks"));
        let json = serde_json::to_value(&events[0]).unwrap();
        assert_eq!((&json["outcome"], &json["why"], &json["because"]), (&"silent".into(), &"nothing-fits".into(), &"not-about".into()));
        assert_eq!(json["session"], events[0].name.session.as_str());
    });
}

#[test]
fn a_session_is_named_once() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        assert!(!arrived.known.is_named);
        fixture.ledger.name(arrived.known.session, "how do we ship?").unwrap();
        fixture.ledger.name(arrived.known.session, "thanks").unwrap();
        assert!(fixture.arrive(None, 1, false).known.is_named);
        fixture.fork("fork", i64::MAX);
        let titles: Vec<String> = fixture.reader.names().unwrap().into_iter().map(|name| name.title).collect();
        assert_eq!(titles, ["how do we ship?", "how do we ship?"], "a fork goes on with the same work");
    });
}

#[test]
fn usage_is_summed_by_agent_source_and_file() {
    on_every_engine(|fixture| {
        several(fixture);
        deliver(fixture, "claude", "five", "/p", 5000, "/p/a.md");
        let usage = fixture.reader.usage(&Filter { agent: Some("claude"), ..Filter::default() }).unwrap();
        let rows: Vec<_> = usage.iter().map(|row| (row.file.as_str(), row.deliveries, row.sessions, row.tokens, row.last)).collect();
        assert_eq!(rows, [("/p/a.md", 2, 2, 6, 5000), ("/p/d.md", 1, 1, 3, 4000), ("/q/c.md", 1, 1, 3, 3000)]);
        assert_eq!((usage[0].source, usage[0].seen + usage[0].cut + usage[0].missing + usage[0].unknowable), (Some(Source::Domains), 0));
    });
}

fn silent_at(place: &Place, at: i64, session: &str, directory: &str) {
    let why = Outcome::Silent(Silence::NothingDue);
    let (agent, event, session) = ("claude".into(), "Stop".into(), SessionKey::new("claude", session, None).short());
    let row = Beat { at, agent, event, session, directory: directory.into(), lane: 1, micros: 1, outcome: why, notes: Vec::new() };
    beat(place, &row).unwrap();
}

#[test]
fn the_timeline_has_events_that_did_not_reach_the_ledger() {
    on_every_engine(|fixture| {
        several(fixture);
        let place = fixture.place.clone();
        for (at, session, directory) in [(1500, "one", "/p"), (2500, "unknown", "/q"), (4500, "one", "/elsewhere")] {
            silent_at(&place, at, session, directory);
        }
        let mut line = |filter: Filter<'_>| -> Vec<i64> {
            timeline(Some(&mut *fixture.reader), &place, &filter).unwrap().into_iter().map(|event| event.at).collect()
        };
        let all = Filter::default();
        assert_eq!(line(all), [1000, 1500, 2000, 2500, 3000, 4000, 4500]);
        assert_eq!(line(Filter { newest: Some(3), ..all }), [3000, 4000, 4500]);
        assert_eq!(line(Filter { newest: Some(2), until: Some(2600), ..all }), [2000, 2500]);
        assert_eq!(line(Filter { session: Some("one"), ..all }), [1000, 1500, 4000, 4500]);
        let short = SessionKey::new("claude", "one", None);
        assert_eq!(line(Filter { session: Some(&short.short()), ..all }), [1000, 1500, 4000, 4500]);
        assert_eq!(line(Filter { session: Some(&short.native), ..all }), [1000, 1500, 4000, 4500]);
        assert_eq!(line(Filter { session: Some(&short.native[..5]), ..all }), [1000, 1500, 4000, 4500]);
        assert_eq!(line(Filter { project: Some("/q"), ..all }), [2500]);
        assert_eq!(line(Filter { source: Some(Source::Domains), ..all }), [1000, 2000, 3000, 4000]);
        let named = timeline(Some(&mut *fixture.reader), &place, &all).unwrap();
        assert_eq!((named[1].name.title.as_str(), named[1].name.directory.as_str()), ("how do we ship?", "/p"));
        assert_eq!((named[3].name.title.as_str(), named[3].name.directory.as_str()), ("", "/q"), "a session that the ledger does not know");
        assert_eq!(timeline(None, &place, &all).unwrap().len(), 3, "without a ledger");
    });
}

/// Fills the file with the past of one session: deliveries of emptied windows, and lines of the log.
fn fill(fixture: &mut Fixture, deliveries: usize, events: usize) {
    fixture.arrive(None, 1, false);
    fixture.arrive(None, 1, true);
    let connection = rusqlite::Connection::open(fixture.place.file().unwrap()).unwrap();
    let count = |rows: usize| format!("WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < {rows})");
    let statement = format!(
        "{} INSERT INTO deliveries (session, epoch, piece, hash, part, parts, path, rank, size, tokens, state, slot, at)
         SELECT 1, 1, '/p/' || n || hex(zeroblob(200)), hex(zeroblob(32)), 1, 1, '/p/' || n, 1, 10, 10, 2, n, n FROM rows",
        count(deliveries)
    );
    connection.execute_batch(&statement).unwrap();
    let statement = format!(
        "{} INSERT INTO events (at, session, agent, event, lane, epoch, micros, outcome) SELECT n, 1, 'claude', 'Stop', 1, 1, 1, 'silent' FROM rows",
        count(events)
    );
    connection.execute_batch(&statement).unwrap();
}

fn used_bytes(place: &Place) -> i64 {
    let connection = rusqlite::Connection::open(place.file().unwrap()).unwrap();
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0)).unwrap();
    (number("page_count") - number("freelist_count")) * number("page_size")
}

#[test]
fn the_past_stays_within_bounds_and_windows_keep_what_they_have() {
    on_every_engine(|fixture| {
        fill(fixture, 22_000, 25_000);
        assert!(used_bytes(&fixture.place) > 17 * 1024 * 1024, "{}", used_bytes(&fixture.place));
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        fixture.confirm(&claim);
        for _ in 0..64 * 12 {
            let plan = fixture.arrive(None, 1, false).plan;
            fixture.ledger.confirm(&Claim { rows: Vec::new(), plan, ..claim.clone() }, &ENTRY).unwrap();
        }
        assert!(used_bytes(&fixture.place) < 13 * 1024 * 1024, "{}", used_bytes(&fixture.place));
        let events = fixture.reader.events(&Filter::default()).unwrap();
        assert!(events.len() <= 20_064, "{}", events.len());
        let here: Vec<_> = fixture.deliveries().into_iter().filter(|row| row.epoch == 2).map(|row| row.piece).collect();
        assert_eq!(here, ["/a"], "what is in the window is never forgotten");
        let next = fixture.arrive(None, 1, false);
        assert_eq!(fixture.admit(&next, 1, &[("/a", "1")]).rows, []);
    });
}

#[test]
fn a_large_ledger_answers_as_fast_as_a_small_one() {
    on_every_engine(|fixture| {
        fill(fixture, 1000, 100_000);
        let place = fixture.place.clone();
        let started = std::time::Instant::now();
        let newest = timeline(Some(&mut *fixture.reader), &place, &Filter { newest: Some(20), ..Filter::default() }).unwrap();
        let taken = started.elapsed();
        assert_eq!((newest.len(), newest[19].at), (20, 100_000));
        assert!(taken.as_millis() < 250, "{taken:?}");
    });
}
