//! The flags of every command that embeds files, and the rules that result from them.

use briefing_core::Failure;
use briefing_core::settings::{ErrorMode, Layer, LinkMode, OneOf, Settings};
use briefing_core::sources::files::{Patterns, Rules};
use clap::Args;

use crate::args::words;

/// The flags of every command that embeds files.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct WalkFlags {
    /// Descend at most N levels below a directory; 0 takes only its own files
    #[arg(short = 'd', long = "recurse_depth", visible_alias = "recurse-depth", value_name = "N")]
    pub(crate) recurse_depth: Option<usize>,
    /// Take only files that match this glob (repeatable)
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Leave out files that match this glob (repeatable)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Skip directories with this name or glob (repeatable; adds to the settings)
    #[arg(long, value_name = "NAME")]
    exclude_dir: Vec<String>,
    /// Skip files with this extension (repeatable; adds to the settings)
    #[arg(long, value_name = "EXT")]
    exclude_ext: Vec<String>,
    /// Include hidden files and directories
    #[arg(long)]
    hidden: bool,
    /// Include the lock files of package managers
    #[arg(long)]
    lock_files: bool,
    /// Ignore the rules of .gitignore, .git/info/exclude and git's global excludes
    #[arg(long)]
    no_gitignore: bool,
    /// Ignore the rules of all ignore files, including .ignore and .briefignore
    #[arg(long)]
    no_ignore: bool,
    /// Choose whether to follow symbolic links found in directories
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = LinkMode::Inside.word(), value_parser = words::<LinkMode>())]
    follow_links: Option<LinkMode>,
    /// Leave out files larger than this
    #[arg(long, value_name = "KB")]
    max_file_size_kb: Option<u64>,
    /// Take at most this many text files from each directory
    #[arg(long, value_name = "N")]
    max_files_per_directory: Option<u64>,
    /// Choose what happens when a file cannot be used
    #[arg(long, value_name = "MODE", value_parser = words::<ErrorMode>())]
    errors: Option<ErrorMode>,
    /// Continue without asking when files cannot be used (error mode flexible)
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Do not redact secrets
    #[arg(long)]
    no_redact: bool,
    /// Set the number of threads; the output does not depend on it
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,
}

impl WalkFlags {
    /// Returns the flags as a layer of settings.
    pub(crate) fn layer(&self) -> Layer {
        let mut layer = Layer::default();
        let counts = [
            ("max_file_size_kb", "--max-file-size-kb", self.max_file_size_kb),
            ("max_files_per_directory", "--max-files-per-directory", self.max_files_per_directory),
        ];
        for (key, flag, value) in counts {
            if let Some(value) = value {
                layer.flag(key, flag, value);
            }
        }
        if let Some(mode) = self.errors {
            layer.flag("error_handling_mode", "--errors", mode);
        }
        if let Some(mode) = self.follow_links {
            layer.flag("follow_links", "--follow-links", mode);
        }
        for (key, flag, is_set, value) in [
            ("hidden", "--hidden", self.hidden, true),
            ("lock_files", "--lock-files", self.lock_files, true),
            ("gitignore", "--no-gitignore", self.no_gitignore || self.no_ignore, false),
            ("redact", "--no-redact", self.no_redact, false),
        ] {
            if is_set {
                layer.flag(key, flag, value);
            }
        }
        layer
    }

    /// Returns the rules of the walk.
    pub(crate) fn rules(&self, settings: &Settings) -> Result<Rules, Failure> {
        let mut rules = Rules::settle(settings, &self.exclude_dir, &self.exclude_ext, self.recurse_depth)?;
        rules.include = Patterns::globs(&self.include, "--include")?;
        rules.exclude = Patterns::globs(&self.exclude, "--exclude")?;
        rules.honours_ignore_files = !self.no_ignore;
        rules.threads = self.threads;
        Ok(rules)
    }
}
