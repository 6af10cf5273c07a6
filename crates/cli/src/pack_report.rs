//! Messages about a pack: warnings, the question of the flexible error mode, the summary at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use briefing_core::settings::ErrorMode;
use briefing_core::shown::one_line;
use briefing_core::sources::files::{Decision, PackRequest, Packed, Progress, pack};
use briefing_core::{Failure, Level, NoteKind};

use crate::{output, progress, prompt, talk};

/// Returns how many warnings of one kind are printed; the others are counted. A few names of binary files are enough: most
/// are images, which nobody expects in a document.
fn told_of(kind: NoteKind) -> usize {
    if kind == NoteKind::Binary { 3 } else { 10 }
}

/// Packs, and shows the progress on a terminal.
pub(crate) fn pack_shown(request: &PackRequest<'_>, is_quiet: bool) -> Result<Packed, Failure> {
    let progress = Progress::default();
    let request = PackRequest { progress: Some(&progress), stdout_identity: output::stdout_identity(), ..request.clone() };
    progress::shown(&progress, is_quiet, || pack(&request))
}

/// Prints the warnings, or every note if `explains` is set.
pub(crate) fn warn(packed: &Packed, is_quiet: bool, explains: bool) {
    if is_quiet && !explains {
        return;
    }
    let mut told: BTreeMap<NoteKind, usize> = BTreeMap::new();
    for note in &packed.notes {
        let layer = note.decided_by.as_ref().map(|layer| format!(" [{layer}]")).unwrap_or_default();
        let text = format!("`{}`: {}{layer}", one_line(&note.path), note.reason);
        if explains {
            talk::plain(&text);
        } else if note.level > Level::Info {
            let count = told.entry(note.kind).or_default();
            *count += 1;
            if *count <= told_of(note.kind) {
                talk::warning(&text);
            }
        }
    }
    for (kind, count) in told.iter().filter(|(kind, count)| **count > told_of(**kind)) {
        talk::warning(&format!("and {} more {} (`--explain` lists all)", count - told_of(*kind), kind.words()));
    }
    for (kind, hint) in [
        (NoteKind::TooLarge, "`--max-file-size-kb N` raises the limit"),
        (NoteKind::TooMany, "`--max-files-per-directory N` raises the limit"),
    ] {
        if told.contains_key(&kind) {
            talk::hint(hint);
        }
    }
}

/// Applies the error mode: strict fails, flexible asks, ignore continues. Every mode prints all errors.
pub(crate) fn confirm(packed: &Packed, mode: ErrorMode, is_yes: bool, is_quiet: bool) -> Result<(), Failure> {
    let failure = match packed.decide(mode, is_yes) {
        Decision::Continue => {
            for error in packed.errors.iter().filter(|_| !is_quiet) {
                talk::warning(&error.to_string());
            }
            return Ok(());
        }
        Decision::Refuse(failure) => return Err(failure),
        Decision::Ask(failure) => failure,
    };
    let rest = match packed.files() {
        1 => "the 1 file that can be used".to_owned(),
        files => format!("the {files} files that can be used"),
    };
    if !prompt::can_ask() {
        return Err(failure.hint(format!("pass `--yes` or `--errors ignore` to continue with {rest}")));
    }
    talk::failure(&failure);
    if prompt::yes(&format!("Continue with {rest}?")) { Ok(()) } else { Err(Failure::new("stopped; nothing was written")) }
}

/// Returns the summary line: what was packed or copied to the clipboard (by which program), and what was skipped, by
/// reason.
pub(crate) fn summary(packed: &Packed, clipboard: Option<&str>) -> String {
    let files = packed.files();
    let verb = if clipboard.is_some() { "copied" } else { "packed" };
    let mut text = format!("{verb} {files} {}, {}", if files == 1 { "file" } else { "files" }, human_bytes(packed.bytes()));
    if let (Some(tokens), Some(encoding)) = (packed.tokens(), &packed.encoding) {
        let _ = write!(text, ", {tokens} tokens ({encoding})");
    }
    if let Some(program) = clipboard {
        let _ = write!(text, ", to the clipboard with `{program}`");
    }
    let skipped: Vec<_> = packed.skipped().into_iter().map(|(kind, count)| kind.counted(count)).collect();
    if !skipped.is_empty() {
        let _ = write!(text, "; skipped {}", skipped.join(", "));
    }
    text
}

fn human_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}
