//! Renders a report as text.

use std::fmt::Write as _;

use super::Report;
use crate::shown::{one_line, path_text};
use crate::sources::domains::summary::count;

/// Returns the report for users: domain by domain, each finding with the command that fixes it.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    if report.domains.is_empty() {
        let _ = writeln!(text, "No domain at or below {}. `brief init domain` creates one.", one_line(&path_text(&report.root)));
        return text;
    }
    for domain in report.domains.iter().filter(|domain| !domain.findings.is_empty()) {
        let knowledge = match domain.mode {
            Some(mode) => format!("{}, {} tokens, loaded: {}", count(domain.entries, "entry", "entries"), domain.tokens, mode.word()),
            None => "no knowledge yet".into(),
        };
        let _ = writeln!(text, "{} ({knowledge})", one_line(&path_text(&domain.path)));
        for finding in &domain.findings {
            let line = finding.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            let _ = writeln!(text, "  {}: {}{line}\n    {}", finding.kind.words(), one_line(&finding.message), one_line(&finding.command));
        }
        text.push('\n');
    }
    let domains = count(report.domains.len(), "domain", "domains");
    match report.findings().count() {
        0 => {
            let entries = count(report.domains.iter().map(|domain| domain.entries).sum(), "entry", "entries");
            let _ = writeln!(text, "Nothing to fix: {domains}, {entries}.");
        }
        findings => {
            let _ = writeln!(text, "{} in {domains}.", count(findings, "finding", "findings"));
        }
    }
    text
}
