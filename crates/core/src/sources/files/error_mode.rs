//! Decides what to do about files that cannot be used: stop, ask, or continue without them.

use super::document::Packed;
use crate::failure::Failure;
use crate::fs::FileProblem;
use crate::settings::ErrorMode;

/// What to do about the errors of a pack.
#[derive(Debug)]
pub enum Decision {
    /// Write the document. Each error is shown as a warning.
    Continue,
    /// Ask whether to continue with the usable files. The failure is for the answer no, and if there is no terminal.
    Ask(Failure),
    Refuse(Failure),
}

impl Packed {
    /// Applies the error mode. `is_agreed` answers the question of the flexible mode in advance.
    pub fn decide(&self, mode: ErrorMode, is_agreed: bool) -> Decision {
        if self.errors.is_empty() {
            return Decision::Continue;
        }
        // This applies in every mode: writing would destroy the file to be packed.
        if let Some(error) = self.errors.iter().find(|error| matches!(error.problem, FileProblem::Output)) {
            return Decision::Refuse(
                Failure::new(format!("`{}` cannot be packed into itself", error.path))
                    .because_of(error.to_string())
                    .hint("choose another file with `-o FILE`"),
            );
        }
        let failure = self.failure();
        match mode {
            ErrorMode::Ignore => Decision::Continue,
            ErrorMode::Flexible if is_agreed => Decision::Continue,
            ErrorMode::Flexible if self.files() == 0 && failure.hints().is_empty() => {
                Decision::Refuse(failure.hint("no file would be left to pack; check the path"))
            }
            ErrorMode::Flexible if self.files() == 0 => Decision::Refuse(failure),
            ErrorMode::Flexible => Decision::Ask(failure),
            ErrorMode::Strict => Decision::Refuse(failure.hint("`--errors ignore` leaves such files out and continues")),
        }
    }

    /// Returns the failure that names every error, and how to raise the limits that were exceeded.
    fn failure(&self) -> Failure {
        let count = match self.errors.len() {
            1 => "1 path cannot be used".to_owned(),
            many => format!("{many} paths cannot be used"),
        };
        let failure = self.errors.iter().fold(Failure::new(count), |failure, error| failure.because_of(error.to_string()));
        let has = |is: fn(&FileProblem) -> bool| self.errors.iter().any(|error| is(&error.problem));
        let size = has(|problem| matches!(problem, FileProblem::TooLarge { .. })).then_some("`--max-file-size-kb N` raises the limit");
        let count =
            has(|problem| matches!(problem, FileProblem::TooMany { .. })).then_some("`--max-files-per-directory N` raises the limit");
        size.into_iter().chain(count).fold(failure, Failure::hint)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::settings::Settings;
    use crate::sources::files::{PackRequest, Rules, pack};

    /// Packs these paths of a directory with one good file and one that is too large.
    fn packed(paths: &[&str]) -> Packed {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("good.md"), "good\n").unwrap();
        std::fs::write(directory.path().join("large.md"), "x".repeat(2000)).unwrap();
        let mut rules = Rules::settle(&Settings::defaults(), &[], &[], None).unwrap();
        rules.max_file_size_kb = 1;
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        pack(&PackRequest::new(&paths, directory.path(), &rules)).unwrap()
    }

    fn refused(decision: Decision) -> Failure {
        match decision {
            Decision::Refuse(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_errors_every_mode_continues() {
        for mode in [ErrorMode::Strict, ErrorMode::Flexible, ErrorMode::Ignore] {
            assert!(matches!(packed(&["good.md"]).decide(mode, false), Decision::Continue));
        }
    }

    #[test]
    fn the_mode_decides_about_errors() {
        let packed = packed(&["good.md", "large.md", "gone.md"]);
        assert_eq!((packed.files(), packed.errors.len()), (1, 2));
        assert!(matches!(packed.decide(ErrorMode::Ignore, false), Decision::Continue));
        assert!(matches!(packed.decide(ErrorMode::Flexible, true), Decision::Continue));
        let Decision::Ask(question) = packed.decide(ErrorMode::Flexible, false) else { panic!("a person decides") };
        assert_eq!((question.causes().len(), question.hints()), (2, &["`--max-file-size-kb N` raises the limit".to_owned()][..]));
        assert_eq!(refused(packed.decide(ErrorMode::Strict, true)).to_string(), "2 paths cannot be used");
    }

    #[test]
    fn there_is_no_question_if_nothing_is_left() {
        let failure = refused(packed(&["gone.md"]).decide(ErrorMode::Flexible, false));
        assert_eq!(failure.hints(), ["no file would be left to pack; check the path"]);
    }
}
