//! Loads candidates into sections: each file is opened once, checked, decoded, guarded, counted and rendered, in
//! parallel.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::SystemTime;

use super::gather::{Found, Gathered, WalkedRoot};
use super::order::InOrder;
use super::rules::Rules;
use super::spool::{Home, Spool};
use super::tree::tree;
use crate::candidate::Candidate;
use crate::failure::Failure;
use crate::fs::{Buffer, FileError, FileProblem};
use crate::load::{Neighbours, Opened, open_named};
use crate::note::{Level, Note, NoteKind};
use crate::render::{Frame, Style};
use crate::secrets::{self, Secret};
use crate::text;
use crate::tokens::TokenCounter;

/// The number of neighbouring files that a thread processes together.
const CHUNK: usize = 16;

/// A file's text, ready to be rendered.
#[derive(Debug)]
pub struct LoadedFile<'a> {
    pub shown: &'a str,
    pub text: Cow<'a, str>,
    /// The size on disk.
    pub bytes: u64,
    pub tokens: Option<u64>,
    pub secrets: Vec<Secret>,
}

/// The position of a rendered file in the spool, and facts about it.
#[derive(Debug, Clone)]
pub struct Section {
    pub shown: String,
    pub found: Found,
    pub bytes: u64,
    /// The exact tokens of the content, if they were requested.
    pub tokens: Option<u64>,
    /// The exact tokens of the rendered section, if there is a budget.
    pub rendered_tokens: Option<u64>,
    pub modified: Option<SystemTime>,
    pub offset: u64,
    pub length: u64,
}

/// All sections in the order of the candidates.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) sections: Vec<Section>,
    pub(super) errors: Vec<FileError>,
    pub(super) notes: Vec<Note>,
    pub(super) spool: Spool,
}

/// The progress of the work, shared with the code that displays it.
#[derive(Debug, Default)]
pub struct Progress {
    pub total: AtomicUsize,
    pub done: AtomicUsize,
    /// Set by the caller when nobody waits for the result any more.
    pub is_stopped: AtomicBool,
}

/// What to do with each file.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) rules: &'a Rules,
    pub(super) style: Style,
    pub(super) counter: Option<&'a dyn TokenCounter>,
    /// Whether the rendered sections are also counted.
    pub(super) counts_rendered: bool,
    /// Device and inode of stdout if it is a file, so that it is not packed into itself.
    pub(super) stdout_identity: Option<(u64, u64)>,
    pub(super) progress: Option<&'a Progress>,
}

impl Job<'_> {
    /// Returns how important it is that a file that nobody named is left out. A tree prints no contents, so it does not
    /// matter there why they cannot be printed.
    fn level_of(&self, problem: &FileProblem) -> Level {
        let is_about_content = matches!(problem, FileProblem::Binary | FileProblem::NotUtf8 { .. } | FileProblem::TooLarge { .. });
        if self.style.prints_contents() || !is_about_content { Level::Warning } else { Level::Info }
    }
}

/// The result for one candidate.
enum Verdict {
    Section(Section),
    Error(FileError),
    Skipped,
}

/// Loads and renders all candidates into a spool at `home`. Only an error of the spool itself, such as a full disk, is
/// a failure.
pub(super) fn load(gathered: &Gathered, job: Job<'_>, home: Home) -> Result<Loaded, Failure> {
    let candidates = gathered.candidates.as_slice();
    if let Some(progress) = job.progress {
        progress.total.store(candidates.len(), Ordering::Relaxed);
    }
    let threads = job.rules.thread_count().min(candidates.len().div_ceil(CHUNK)).max(1);
    let room = |blocks: usize, bytes: u64| forecast(candidates, job, blocks * CHUNK, bytes);
    let (next, order) = (AtomicUsize::new(0), InOrder::new(Spool::new(home), &room));
    let work = || Worker::new(job, &gathered.roots).run(candidates, &next, &order);
    let workers: Vec<Worker<'_>> = if threads == 1 {
        vec![work()]
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            handles.into_iter().map(|handle| handle.join().expect("a worker does not panic")).collect()
        })
    };
    let (spool, starts) = order.finish().map_err(|error| {
        Failure::new("cannot write the contents to a temporary file")
            .because(&error)
            .hint("free some space in the directory of the output file or, without -o, in TMPDIR")
    })?;
    let mut loaded = Loaded { sections: Vec::with_capacity(candidates.len()), errors: Vec::new(), notes: Vec::new(), spool };
    let mut chunks = Vec::with_capacity(starts.len());
    for worker in workers {
        chunks.extend(worker.chunks);
        loaded.notes.extend(worker.notes);
    }
    chunks.sort_unstable_by_key(|(chunk, _)| *chunk);
    loaded.notes.sort_by(|a, b| crate::shown::tree_order(&a.path, &b.path));
    for (chunk, verdicts) in chunks {
        for verdict in verdicts {
            match verdict {
                Verdict::Section(section) => loaded.sections.push(Section { offset: starts[chunk] + section.offset, ..section }),
                Verdict::Error(error) => loaded.errors.push(error),
                Verdict::Skipped => {}
            }
        }
    }
    Ok(loaded)
}

/// Estimates the length of the header if all candidates can be used.
fn forecast(candidates: &[Candidate<Found>], job: Job<'_>, files: usize, bytes: u64) -> u64 {
    let frame = Frame {
        limits: &job.rules.shown,
        tree: tree(candidates.iter().map(|candidate| (candidate.shown.as_str(), None))),
        files: candidates.len(),
        bytes: bytes / files.max(1) as u64 * candidates.len() as u64,
        tokens: None,
        encoding: None,
        left_out: &[],
        left_out_total: 0,
        notes: &[],
    };
    job.style.header(&frame).len() as u64
}

struct Worker<'a> {
    job: Job<'a>,
    roots: &'a [WalkedRoot],
    neighbours: Neighbours<'a>,
    /// The rendered sections of the current chunk.
    block: Buffer,
    /// A file whose content cannot be put into the block unchanged.
    aside: Buffer,
    /// The chunks that this thread processed. Offsets of sections are relative to their block.
    chunks: Vec<(usize, Vec<Verdict>)>,
    notes: Vec<Note>,
}

impl<'a> Worker<'a> {
    fn new(job: Job<'a>, roots: &'a [WalkedRoot]) -> Self {
        Self {
            job,
            roots,
            neighbours: Neighbours::default(),
            block: Buffer::default(),
            aside: Buffer::default(),
            chunks: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn run(mut self, candidates: &[Candidate<Found>], next: &AtomicUsize, order: &InOrder<'_>) -> Self {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let start = chunk * CHUNK;
            if start >= candidates.len() {
                return self;
            }
            let end = (start + CHUNK).min(candidates.len());
            let is_stopped = self.job.progress.is_some_and(|progress| progress.is_stopped.load(Ordering::Relaxed));
            let take = |candidate| if is_stopped { Verdict::Skipped } else { self.take(candidate) };
            let verdicts = candidates[start..end].iter().map(take).collect();
            self.chunks.push((chunk, verdicts));
            if let Some(progress) = self.job.progress {
                progress.done.fetch_add(end - start, Ordering::Relaxed);
            }
            match order.hand_in(chunk, std::mem::take(&mut self.block)) {
                Some(block) => self.block = block,
                None => return self,
            }
        }
    }

    fn take(&mut self, candidate: &Candidate<Found>) -> Verdict {
        let shown = &candidate.shown;
        let offset = self.block.len();
        let error = match self.render(candidate) {
            Ok(Some(section)) => return Verdict::Section(section),
            Ok(None) => {
                self.notes.push(Note::info(shown.clone(), NoteKind::OwnOutput, "this is the output file"));
                None
            }
            Err(problem) => Some(FileError::new(shown.clone(), problem)),
        };
        self.block.truncate(offset);
        match error {
            Some(error) if candidate.about == Found::Named || self.job.rules.is_error(&error.problem) => Verdict::Error(error),
            Some(error) => {
                self.notes.push(error.note(self.job.level_of(&error.problem)));
                Verdict::Skipped
            }
            None => Verdict::Skipped,
        }
    }

    /// Appends the section of one file to the block. Returns `None` for our own output.
    fn render(&mut self, candidate: &Candidate<Found>) -> Result<Option<Section>, FileProblem> {
        let (job, shown) = (self.job, candidate.shown.as_str());
        let offset = self.block.len();
        let (bytes, tokens, modified);
        if job.style.open(shown, &mut self.block) {
            let start = self.block.len();
            let Some(opened) = self.open(candidate)? else { return Ok(None) };
            modified = opened.metadata.modified().ok();
            opened.append(&mut self.block, job.rules.max_file_bytes())?;
            let content = &self.block.as_bytes()[start..];
            let file = guarded(shown, content, job, &mut self.notes)?;
            (bytes, tokens) = (file.bytes, file.tokens);
            let is_as_read = matches!(file.text, Cow::Borrowed(_)) && file.text.len() == content.len();
            let secrets = file.secrets;
            let changed = (!is_as_read).then(|| file.text.into_owned());
            if changed.is_some() || !job.style.close(start, &mut self.block) {
                let text = changed.unwrap_or_else(|| String::from_utf8_lossy(&self.block.as_bytes()[start..]).into_owned());
                self.block.truncate(offset);
                job.style.section(&LoadedFile { shown, text: Cow::Owned(text), bytes, tokens, secrets }, &mut self.block);
            }
        } else {
            self.aside.truncate(0);
            let Some(opened) = self.open(candidate)? else { return Ok(None) };
            modified = opened.metadata.modified().ok();
            opened.append(&mut self.aside, job.rules.max_file_bytes())?;
            let file = guarded(shown, self.aside.as_bytes(), job, &mut self.notes)?;
            (bytes, tokens) = (file.bytes, file.tokens);
            job.style.section(&file, &mut self.block);
        }
        let rendered_tokens = job.counter.filter(|_| job.counts_rendered).map(|counter| {
            let rendered = std::str::from_utf8(&self.block.as_bytes()[offset..]).expect("sections are rendered from text");
            counter.count(rendered, &blake3::hash(rendered.as_bytes()))
        });
        Ok(Some(Section {
            shown: shown.to_owned(),
            found: candidate.about,
            bytes,
            tokens,
            rendered_tokens,
            modified,
            offset: offset as u64,
            length: (self.block.len() - offset) as u64,
        }))
    }

    /// Opens a file. Returns `None` for our own output.
    fn open(&mut self, candidate: &Candidate<Found>) -> Result<Option<Opened>, FileProblem> {
        let path = candidate.path.as_path();
        let opened = match candidate.about {
            Found::Named | Found::Listed => open_named(path)?,
            Found::Walked { root } => {
                let root = &self.roots[root].root;
                self.neighbours.open(root, path.strip_prefix(root.path()).unwrap_or(path))?
            }
            Found::Linked { root } => {
                let root = &self.roots[root].root;
                root.open_plain(path.strip_prefix(root.real().unwrap_or(path)).unwrap_or(path))?
            }
        };
        let is_stdout = self.job.stdout_identity.is_some_and(|identity| has_identity(&opened.metadata, identity));
        Ok((!is_stdout).then_some(opened))
    }
}

#[cfg(unix)]
fn has_identity(metadata: &std::fs::Metadata, identity: (u64, u64)) -> bool {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino()) == identity
}

/// Without such numbers, standard output has no identity either.
#[cfg(not(unix))]
fn has_identity(_: &std::fs::Metadata, _: (u64, u64)) -> bool {
    false
}

/// Returns a warning about a file that is nearly too large.
fn near_limit(shown: &str, bytes: u64, rules: &Rules) -> Option<Note> {
    let limit = rules.max_file_bytes();
    (limit > 0 && bytes >= limit - limit / 10).then(|| {
        let reason = format!("{bytes} of at most {limit} bytes, close to the size limit");
        Note::warning(shown, NoteKind::NearLimit, reason).decided_by(rules.settings.max_file_size_kb.decided_by())
    })
}

/// Returns a file without its secrets, and adds notes about it.
fn guarded<'a>(shown: &'a str, content: &'a [u8], job: Job<'_>, notes: &mut Vec<Note>) -> Result<LoadedFile<'a>, FileProblem> {
    let mut file = LoadedFile { shown, text: text::decode(content)?, bytes: content.len() as u64, tokens: None, secrets: Vec::new() };
    // Without contents, secrets matter only for the number of tokens.
    if job.rules.redacts && (job.style.prints_contents() || job.counter.is_some()) {
        let redacted = secrets::redact(&file.text);
        if !redacted.secrets.is_empty() {
            file.secrets = redacted.secrets;
            file.text = Cow::Owned(redacted.text.into_owned());
        }
    }
    file.tokens = job.counter.map(|counter| counter.count(&file.text, &blake3::hash(file.text.as_bytes())));
    if job.style.prints_contents() {
        notes.extend(near_limit(shown, file.bytes, job.rules));
        notes.extend(file.secrets.iter().map(|secret| secret.note(shown)));
        notes.extend(job.style.replaces(&file));
    }
    Ok(file)
}
