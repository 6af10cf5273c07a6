//! One run of the file engine for a command: gather → load → fit, what is told about it, and the error mode.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use briefing_core::fs::{FileError, FileProblem};
use briefing_core::render::Style;
use briefing_core::shown::{one_line, tree_order};
use briefing_core::sources::files::{self, Fitted, Home, Job, Loaded, Pack, Progress, Rules, SortBy};
use briefing_core::tokens::TokenCounter;
use briefing_core::{Failure, Level, Note, NoteKind};
use briefing_tokens::ExactCounter;

use crate::{output, progress, prompt, talk};

/// One run of the engine: gather → load → fit.
pub(crate) struct Packer<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) style: &'a Style,
    pub(crate) counter: Option<&'a ExactCounter>,
    pub(crate) is_quiet: bool,
    /// Whether every file that is not included gets a note.
    pub(crate) explains: bool,
    /// Where the sections wait until all is known.
    pub(crate) home: Home,
}

/// What a run found, before anything is written.
pub(crate) struct Packed {
    pub(crate) fitted: Fitted,
    pub(crate) loaded: Loaded,
    pub(crate) errors: Vec<FileError>,
    pub(crate) notes: Vec<Note>,
    /// The notes that are part of the document.
    document_notes: Vec<Note>,
}

impl Packer<'_> {
    pub(crate) fn pack(&self, paths: &[PathBuf], here: &Path, sort: SortBy, budget: Option<u64>) -> Result<Packed, Failure> {
        let mut gathered = files::gather(paths, here, self.rules);
        let progress = Progress::default();
        let job = Job {
            rules: self.rules,
            style: self.style,
            counter: self.counter.map(|counter| counter as &dyn TokenCounter),
            counts_rendered: budget.is_some(),
            stdout_identity: output::stdout_identity(),
            progress: &progress,
        };
        let mut loaded = progress::shown(&progress, self.is_quiet, || files::load(&gathered.candidates, job, self.home.clone()))?;
        let mut fitted = files::fit(std::mem::take(&mut loaded.sections), self.rules, sort);
        let mut errors = std::mem::take(&mut gathered.errors);
        errors.append(&mut loaded.errors);
        errors.append(&mut fitted.errors);
        errors.sort_by(|a, b| tree_order(&a.path, &b.path));
        errors.dedup();
        let mut notes = std::mem::take(&mut gathered.notes);
        notes.append(&mut loaded.notes);
        notes.append(&mut fitted.notes);
        if self.explains {
            notes.extend(files::explain(&gathered, &notes, &errors, self.rules));
        }
        notes.sort_by(|a, b| tree_order(&a.path, &b.path).then_with(|| a.kind.cmp(&b.kind)));
        notes.dedup();
        let told = notes.iter().filter(|note| note.level != Level::Info || self.explains).cloned();
        let document_notes = errors.iter().map(|error| error.note(Level::Error)).chain(told).collect();
        let mut packed = Packed { fitted, loaded, errors, notes, document_notes };
        if let Some(budget) = budget {
            self.fit_budget(&mut packed, budget)?;
        }
        Ok(packed)
    }

    fn fit_budget(&self, packed: &mut Packed, budget: u64) -> Result<(), Failure> {
        let counter = self.counter.expect("a budget brings a counter");
        let (spool, notes) = (&packed.loaded.spool, &packed.document_notes);
        let count = |fitted: &Fitted| {
            let pack = Pack { fitted, spool, limits: &self.rules.shown, style: self.style, notes, encoding: Some(counter.encoding()) };
            let mut document = Vec::new();
            pack.write(&mut document).expect("memory and the spool can be read and written");
            let document = String::from_utf8_lossy(&document);
            counter.count(&document, &briefing_core::hash(document.as_bytes()))
        };
        if let Err(least) = files::fit_budget(&mut packed.fitted, budget, count) {
            return Err(Failure::new(format!("a budget of {budget} tokens is too small: without any file the document takes {least}"))
                .hint("`--format jsonl` has no frame around the files"));
        }
        packed.notes.append(&mut packed.fitted.notes);
        Ok(())
    }

    pub(crate) fn finished<'a>(&'a self, packed: &'a Packed) -> Pack<'a> {
        Pack {
            fitted: &packed.fitted,
            spool: &packed.loaded.spool,
            limits: &self.rules.shown,
            style: self.style,
            notes: &packed.document_notes,
            encoding: self.counter.map(TokenCounter::encoding),
        }
    }
}

/// Warnings beyond this many of one kind are counted instead of printed.
const TOLD_PER_KIND: usize = 10;

impl Packed {
    /// Prints warnings, or with `explain` every note there is.
    pub(crate) fn tell(&self, is_quiet: bool, explain: bool) {
        if is_quiet && !explain {
            return;
        }
        let mut told: BTreeMap<NoteKind, usize> = BTreeMap::new();
        for note in &self.notes {
            let layer = note.decided_by.as_ref().map(|layer| format!(" [{layer}]")).unwrap_or_default();
            let text = format!("`{}`: {}{layer}", one_line(&note.path), note.reason);
            if explain {
                talk::plain(&text);
            } else if note.level > Level::Info {
                let count = told.entry(note.kind).or_default();
                *count += 1;
                if *count <= TOLD_PER_KIND {
                    talk::warning(&text);
                }
            }
        }
        for (kind, count) in told.into_iter().filter(|(_, count)| *count > TOLD_PER_KIND) {
            talk::warning(&format!("and {} more {} (`--explain` lists all)", count - TOLD_PER_KIND, kind.words()));
        }
    }

    /// Returns the one line at the end: what went in, and what did not, by reason.
    pub(crate) fn summary(&self, pack: &Pack<'_>) -> String {
        let files = self.fitted.kept.len();
        let mut text = format!("packed {files} {}, {}", if files == 1 { "file" } else { "files" }, human_bytes(pack.bytes()));
        if let (Some(tokens), Some(encoding)) = (pack.tokens(), pack.encoding) {
            let _ = write!(text, ", {tokens} tokens ({encoding})");
        }
        let mut counts: BTreeMap<NoteKind, usize> = BTreeMap::new();
        let is_skip = |kind: NoteKind| {
            !matches!(kind, NoteKind::Redacted | NoteKind::NearLimit | NoteKind::Empty | NoteKind::Replaced | NoteKind::Config)
        };
        let from_errors = self.errors.iter().map(|error| error.problem.kind()).filter(|kind| *kind != NoteKind::TooMany);
        for kind in self.notes.iter().map(|note| note.kind).filter(|kind| is_skip(*kind)).chain(from_errors) {
            *counts.entry(kind).or_default() += 1;
        }
        if !counts.is_empty() {
            let reasons: Vec<_> = counts.iter().map(|(kind, count)| format!("{count} {}", kind.words())).collect();
            let _ = write!(text, "; skipped {}", reasons.join(", "));
        }
        text
    }
}

fn human_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

/// Adds how the limits that were met are raised.
fn raised(failure: Failure, errors: &[FileError]) -> Failure {
    let has = |is: fn(&FileProblem) -> bool| errors.iter().any(|error| is(&error.problem));
    let failure = if has(|problem| matches!(problem, FileProblem::TooLarge { .. })) {
        failure.hint("`--max-file-size-kb N` raises the limit")
    } else {
        failure
    };
    if has(|problem| matches!(problem, FileProblem::TooMany { .. })) {
        failure.hint("`--max-files-per-directory N` raises the limit")
    } else {
        failure
    }
}

/// Applies the error mode: strict fails, flexible asks, ignore goes on. Every error is named in all of them.
pub(crate) fn decide(errors: &[FileError], mode: &str, is_yes: bool, files: usize, is_quiet: bool) -> Result<(), Failure> {
    if errors.is_empty() {
        return Ok(());
    }
    // In any mode: writing would destroy what was to be packed.
    if let Some(error) = errors.iter().find(|error| matches!(error.problem, FileProblem::Output)) {
        return Err(Failure::new(format!("`{}` cannot be packed into itself", error.path))
            .because_of(error.to_string())
            .hint("name another file with `-o FILE`"));
    }
    let goes_on = mode == "ignore" || (mode == "flexible" && is_yes);
    if goes_on {
        if !is_quiet {
            for error in errors {
                talk::warning(&error.to_string());
            }
        }
        return Ok(());
    }
    let count = match errors.len() {
        1 => "1 path cannot be used".to_owned(),
        many => format!("{many} paths cannot be used"),
    };
    let failure = errors.iter().fold(Failure::new(count), |failure, error| failure.because_of(error.to_string()));
    let failure = raised(failure, errors);
    if files == 0 && mode == "flexible" {
        let is_limit = !failure.hints().is_empty();
        return Err(if is_limit { failure } else { failure.hint("nothing would be left to pack: check the path") });
    }
    if mode == "strict" {
        return Err(failure.hint("`--errors ignore` leaves such files out and goes on"));
    }
    let rest = if files == 1 { "the 1 file that can be used".to_owned() } else { format!("the {files} files that can be used") };
    if !prompt::can_ask() {
        return Err(failure.hint(format!("`--yes` or `--errors ignore` would continue with {rest}")));
    }
    talk::failure(&failure);
    if prompt::yes(&format!("Continue with {rest}?")) { Ok(()) } else { Err(Failure::new("stopped, nothing was written")) }
}
