//! Receipts: what has no verdict, what a verdict changes, and how often.

use briefing_store::{Judged, Judgement, Look, Verdict};

use crate::{Fixture, on_every_engine, texts};

fn judged(id: i64, verdict: Verdict) -> Judged {
    Judged { id, verdict, proof: "record at byte 7".into() }
}

impl Fixture {
    /// Delivers pieces, one with each event, and returns the session.
    fn delivered(&mut self, offers: &[(&str, &str)]) -> i64 {
        loop {
            let arrived = self.arrive(None, 1, false);
            let claim = self.admit(&arrived, 1, offers);
            if claim.rows.is_empty() {
                return arrived.known.session;
            }
            self.confirm(&claim);
        }
    }

    /// Judges everything that is open, and returns what is due again.
    fn judge(&mut self, session: i64, verdict: Verdict, repairs: u32) -> Option<Vec<String>> {
        let open = self.ledger.open_receipts(session).unwrap();
        let judged: Vec<Judged> = open.deliveries.iter().map(|delivery| judged(delivery.id, verdict)).collect();
        let after = Look { file: "f".into(), offset: open.look.offset + 10, ..Look::default() };
        self.ledger.judge(&Judgement { session, before: &open.look, after: &after, judged: &judged, repairs }).unwrap()
    }
}

#[test]
fn a_delivery_is_open_until_it_is_judged() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "1"), ("/b", "1")]);
        assert!(fixture.arrive(None, 1, false).known.is_unproven);
        let open = fixture.ledger.open_receipts(session).unwrap();
        assert_eq!(open.deliveries.iter().map(|delivery| delivery.opening.as_str()).collect::<Vec<_>>(), ["/a=1", "/b=1"]);
        assert_eq!((open.deliveries[0].whole.1, open.deliveries[0].is_inherited), (4, false));
        assert_eq!(fixture.judge(session, Verdict::Seen, 2), Some(vec![]));
        assert!(!fixture.arrive(None, 1, false).known.is_unproven);
        let open = fixture.ledger.open_receipts(session).unwrap();
        assert_eq!((open.deliveries.len(), open.look.offset, open.look.file.as_str()), (0, 10, "f"));
        let receipts = fixture.reader.receipts(None).unwrap();
        assert!(receipts.iter().all(|receipt| receipt.verdict == Some(Verdict::Seen) && receipt.proof == "record at byte 7"));
        assert_eq!(receipts.len(), 2);
    });
}

#[test]
fn of_two_processes_that_looked_at_once_only_the_first_one_writes() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "1")]);
        let open = fixture.ledger.open_receipts(session).unwrap();
        let after = Look { file: "f".into(), offset: 5, ..Look::default() };
        let found = [judged(open.deliveries[0].id, Verdict::Missing)];
        let judgement = Judgement { session, before: &open.look, after: &after, judged: &found, repairs: 2 };
        assert_eq!(fixture.ledger.judge(&judgement).unwrap(), Some(vec!["/a".into()]));
        assert_eq!(fixture.ledger.judge(&judgement).unwrap(), None, "another one has read on");
    });
}

#[test]
fn what_was_lost_is_due_again_but_not_for_ever() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "1"), ("/b", "1")]);
        let open = fixture.ledger.open_receipts(session).unwrap();
        let found = [judged(open.deliveries[0].id, Verdict::Cut), judged(open.deliveries[1].id, Verdict::Seen)];
        let after = Look { offset: 1, ..Look::default() };
        fixture.ledger.judge(&Judgement { session, before: &open.look, after: &after, judged: &found, repairs: 2 }).unwrap();
        assert_eq!(fixture.session("one").context_paths, ["/b"], "the window lacks it");
        for expected in [Some(vec!["/a".to_owned()]), Some(vec![])] {
            let arrived = fixture.arrive(None, 1, false);
            assert_eq!((arrived.known.done & 1, arrived.known.owed & 1), (0, 1), "its source opens at any event");
            let claim = fixture.admit(&arrived, 1, &[("/a", "1"), ("/b", "1")]);
            assert_eq!(texts(&claim), ["/a=1"], "only what was lost");
            fixture.now += 1;
            fixture.confirm(&claim);
            assert_eq!(fixture.judge(session, Verdict::Missing, 2), expected);
        }
        let arrived = fixture.arrive(None, 1, false);
        assert_eq!(texts(&fixture.admit(&arrived, 1, &[("/a", "1"), ("/b", "1")])), [""; 0], "its client hides it");
        let receipts = fixture.reader.receipts(Some("one")).unwrap();
        let lost: Vec<_> =
            receipts.iter().filter(|receipt| receipt.path == "/a").map(|receipt| (receipt.verdict, receipt.is_due_again)).collect();
        assert_eq!(lost, [(Some(Verdict::Missing), false), (Some(Verdict::Cut), true), (Some(Verdict::Missing), true)]);
    });
}

#[test]
fn without_repairs_a_loss_is_only_written_down() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "1")]);
        assert_eq!(fixture.judge(session, Verdict::Missing, 0), Some(vec![]));
        let arrived = fixture.arrive(None, 1, false);
        assert_eq!(texts(&fixture.admit(&arrived, 1, &[("/a", "1")])), [""; 0]);
        assert_eq!(fixture.reader.receipts(None).unwrap()[0].verdict, Some(Verdict::Missing));
    });
}

#[test]
fn a_window_that_was_emptied_since_needs_no_repair() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "1")]);
        fixture.arrive(None, 1, true);
        assert_eq!(fixture.judge(session, Verdict::Missing, 2), Some(vec![]));
        assert_eq!(fixture.reader.receipts(None).unwrap().len(), 1, "its verdict stays");
    });
}

#[test]
fn a_fork_keeps_the_verdicts_of_its_origin_and_looks_for_nothing_older_than_itself() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "1")]);
        fixture.judge(session, Verdict::Seen, 2);
        fixture.delivered(&[("/b", "1")]);
        fixture.now += 1000;
        let fork = fixture.fork("two", i64::MAX);
        let open = fixture.ledger.open_receipts(fork.known.session).unwrap();
        assert_eq!(
            open.deliveries.iter().map(|delivery| (delivery.opening.as_str(), delivery.is_inherited)).collect::<Vec<_>>(),
            [("/b=1", true)]
        );
    });
}

/// Angle brackets may be escaped on the way, so a text with entities has a second hash.
#[test]
fn a_text_with_entities_has_a_hash_without_them() {
    on_every_engine(|fixture| {
        let session = fixture.delivered(&[("/a", "&lt;b&gt; <c>"), ("/d", "<e>")]);
        let open = fixture.ledger.open_receipts(session).unwrap();
        assert_eq!(open.deliveries[0].plain, Some((blake3::hash(b"/a=<b> <c>").to_hex().to_string(), 10)));
        assert_eq!(open.deliveries[1].plain, None);
    });
}
