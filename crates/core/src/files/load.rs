//! Candidates to sections: each file is opened once, checked, decoded, guarded, counted and rendered, in parallel.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::gather::Candidate;
use super::rules::Rules;
use super::spool::Spool;
use crate::failure::Failure;
use crate::fs::{FileError, FileProblem, ReadBuffer, open_regular};
use crate::note::{Level, Note, NoteKind};
use crate::render::Style;
use crate::secrets::{self, Secret};
use crate::text;
use crate::tokens::TokenCounter;

/// Neighbours in the tree are taken together, so that a thread's spool holds long runs in final order.
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
    pub modified: Option<SystemTime>,
}

/// Where a rendered file lies in the spools, and what is known about it.
#[derive(Debug, Clone)]
pub struct Section {
    pub shown: String,
    pub is_explicit: bool,
    pub bytes: u64,
    /// Exact tokens of the content, where they were asked for.
    pub tokens: Option<u64>,
    /// Exact tokens of the section as rendered, where a budget was given.
    pub rendered_tokens: Option<u64>,
    pub modified: Option<SystemTime>,
    pub spool: usize,
    pub offset: u64,
    pub length: u64,
}

/// All sections in the order of the candidates.
#[derive(Debug, Default)]
pub struct Loaded {
    pub sections: Vec<Section>,
    pub errors: Vec<FileError>,
    pub notes: Vec<Note>,
    pub spools: Vec<Spool>,
}

/// How far the work is. Shared with whoever shows it.
#[derive(Debug, Default)]
pub struct Progress {
    pub total: AtomicUsize,
    pub done: AtomicUsize,
}

/// What to do with each file.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub rules: &'a Rules,
    pub style: &'a Style,
    pub counter: Option<&'a dyn TokenCounter>,
    /// Whether the rendered sections are counted too.
    pub counts_rendered: bool,
    /// Device and inode of stdout where it is a file: it never packs itself.
    pub stdout_identity: Option<(u64, u64)>,
    pub progress: &'a Progress,
}

/// What became of one candidate.
enum Verdict {
    Section(Section),
    Error(FileError),
    Skipped,
}

/// Loads and renders all candidates. Only a full disk or the like under the spool itself is a failure.
pub fn load(candidates: &[Candidate], job: Job<'_>) -> Result<Loaded, Failure> {
    job.progress.total.store(candidates.len(), Ordering::Relaxed);
    let threads = job.rules.thread_count().min(candidates.len().div_ceil(CHUNK)).max(1);
    let next = AtomicUsize::new(0);
    let work = |index: usize| Worker::new(job, index, threads).run(candidates, &next);
    let results: Vec<std::io::Result<Worker<'_>>> = if threads == 1 {
        vec![work(0)]
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|index| scope.spawn(move || work(index))).collect();
            handles.into_iter().map(|handle| handle.join().expect("a worker does not panic")).collect()
        })
    };
    let mut loaded = Loaded::default();
    let mut verdicts = Vec::with_capacity(candidates.len());
    for result in results {
        let worker = result.map_err(|error| {
            Failure::new("cannot keep the contents in a temporary file")
                .because(&error)
                .hint("free some space, or point TMPDIR to a disk that has some")
        })?;
        verdicts.extend(worker.verdicts);
        loaded.notes.extend(worker.notes);
        loaded.spools.push(worker.spool);
    }
    verdicts.sort_unstable_by_key(|(index, _)| *index);
    loaded.notes.sort_by(|a, b| crate::shown::tree_order(&a.path, &b.path));
    for (_, verdict) in verdicts {
        match verdict {
            Verdict::Section(section) => loaded.sections.push(section),
            Verdict::Error(error) => loaded.errors.push(error),
            Verdict::Skipped => {}
        }
    }
    Ok(loaded)
}

struct Worker<'a> {
    job: Job<'a>,
    spool_index: usize,
    spool: Spool,
    buffer: ReadBuffer,
    verdicts: Vec<(usize, Verdict)>,
    notes: Vec<Note>,
}

impl<'a> Worker<'a> {
    fn new(job: Job<'a>, spool_index: usize, count: usize) -> Self {
        Self { job, spool_index, spool: Spool::one_of(count), buffer: ReadBuffer::default(), verdicts: Vec::new(), notes: Vec::new() }
    }

    fn run(mut self, candidates: &[Candidate], next: &AtomicUsize) -> std::io::Result<Self> {
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= candidates.len() {
                return Ok(self);
            }
            let end = (start + CHUNK).min(candidates.len());
            for (index, candidate) in candidates[start..end].iter().enumerate() {
                let verdict = self.take(candidate)?;
                self.verdicts.push((start + index, verdict));
            }
            self.job.progress.done.fetch_add(end - start, Ordering::Relaxed);
        }
    }

    fn take(&mut self, candidate: &Candidate) -> std::io::Result<Verdict> {
        let shown = &candidate.shown;
        let read = read(candidate, self.job, &mut self.buffer);
        let file = match read {
            Ok(Some(file)) => file,
            Ok(None) => {
                self.notes.push(Note::info(shown.clone(), NoteKind::OwnOutput, "this is the output itself"));
                return Ok(Verdict::Skipped);
            }
            Err(problem) => {
                let error = FileError::new(shown.clone(), problem);
                if !candidate.is_explicit && is_merely_skipped(&error.problem) {
                    self.notes.push(error.note(Level::Warning));
                    return Ok(Verdict::Skipped);
                }
                return Ok(Verdict::Error(error));
            }
        };
        let limit = self.job.rules.max_file_bytes();
        if file.bytes >= limit - limit / 10 && limit > 0 {
            let reason = format!("{} of at most {limit} bytes: near the size limit", file.bytes);
            self.notes
                .push(Note::warning(shown.clone(), NoteKind::NearLimit, reason).decided_by(self.job.rules.decided_by("max_file_size_kb")));
        }
        self.notes.extend(file.secrets.iter().map(|secret| secret.note(shown)));
        if let Some(note) = self.job.style.replaces(&file) {
            self.notes.push(note);
        }
        let offset = self.spool.len();
        let (style, counter, counts_rendered) = (self.job.style, self.job.counter, self.job.counts_rendered);
        let mut rendered_tokens = None;
        self.spool.append(|buffer| {
            let start = buffer.len();
            style.section(&file, buffer);
            if let (Some(counter), true) = (counter, counts_rendered) {
                let rendered = std::str::from_utf8(&buffer[start..]).expect("sections are rendered from text");
                rendered_tokens = Some(counter.count(rendered, &blake3::hash(rendered.as_bytes())));
            }
        })?;
        Ok(Verdict::Section(Section {
            shown: shown.clone(),
            is_explicit: candidate.is_explicit,
            bytes: file.bytes,
            tokens: file.tokens,
            rendered_tokens,
            modified: file.modified,
            spool: self.spool_index,
            offset,
            length: self.spool.len() - offset,
        }))
    }
}

/// Binary and undecodable files met while walking are no errors: nobody asked for them. Nor are files that vanish
/// between the walk and the read.
fn is_merely_skipped(problem: &FileProblem) -> bool {
    matches!(
        problem,
        FileProblem::Missing
            | FileProblem::Binary
            | FileProblem::NotUtf8 { .. }
            | FileProblem::NotRegular { .. }
            | FileProblem::Link { .. }
    )
}

/// Reads one file; `None` means that it is our own output.
fn read<'a>(candidate: &'a Candidate, job: Job<'_>, buffer: &'a mut ReadBuffer) -> Result<Option<LoadedFile<'a>>, FileProblem> {
    let (mut file, metadata) = open_regular(&candidate.path, candidate.last_link)?;
    #[cfg(unix)]
    if let Some((device, inode)) = job.stdout_identity {
        use std::os::unix::fs::MetadataExt;
        if (metadata.dev(), metadata.ino()) == (device, inode) {
            return Ok(None);
        }
    }
    let bytes = buffer.read(&mut file, &metadata, job.rules.max_file_bytes())?;
    let size = bytes.len() as u64;
    let mut text = text::decode(bytes)?;
    let mut found = Vec::new();
    if job.rules.redacts {
        let redacted = secrets::redact(&text);
        if !redacted.secrets.is_empty() {
            found = redacted.secrets;
            text = Cow::Owned(redacted.text.into_owned());
        }
    }
    let tokens = job.counter.map(|counter| counter.count(&text, &blake3::hash(text.as_bytes())));
    Ok(Some(LoadedFile { shown: &candidate.shown, text, bytes: size, tokens, secrets: found, modified: metadata.modified().ok() }))
}
