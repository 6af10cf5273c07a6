//! Markdown, structured according to "Output Format Specification" in spec 4.

use std::fmt::Write as _;

use super::{Frame, joined, limit};
use crate::fs::Buffer;
use crate::shown::one_line;
use crate::sources::files::LoadedFile;
use crate::text::longest_run;

pub(super) fn header(frame: &Frame<'_>) -> String {
    let limits = frame.limits;
    let depth = limit(limits.recurse_depth);
    let tree_fence = fence(&frame.tree);
    let mut text = format!(
        "# Context Files\n\
         \n\
         This document contains user-provided files that are relevant to the current task.\n\
         \n\
         ## Purpose\n\
         This section includes files and directories specified by the user via the `--context` parameter.\n\
         The contents are formatted for easy consumption by AI systems for analysis, code review, or other tasks.\n\
         \n\
         ## Format\n\
         The content is organized as follows:\n\
         1. This summary section\n\
         2. Directory structure of included files\n\
         3. Individual file entries, each consisting of:\n   \
            - File path as a header\n   \
            - Full contents of the file in a code block\n\
         \n\
         ## Usage Guidelines\n\
         - These files provide additional context for the current goal\n\
         - File paths are relative to the working directory where brief was invoked\n\
         - Some files may have been excluded based on size limits, type restrictions, or configured exclusions\n\
         \n\
         ## Notes\n\
         - Maximum file size: {} KB\n\
         - Maximum files per directory: {}\n\
         - Excluded directories: {}\n\
         - Excluded extensions: {}\n\
         - Recursion depth: {depth}\n",
        limits.max_file_size_kb,
        limit(limits.max_files_per_directory),
        joined(&limits.excluded_directories),
        joined(&limits.excluded_extensions),
    );
    let _ = writeln!(text, "- Files: {}, {} bytes", frame.files, frame.bytes);
    if let (Some(tokens), Some(encoding)) = (frame.tokens, frame.encoding) {
        let _ = writeln!(text, "- Tokens: {tokens} ({encoding})");
    }
    let missing = frame.missing();
    if !missing.is_empty() {
        text.push_str("- Not included:\n");
    }
    for line in missing {
        let _ = writeln!(text, "  - {line}");
    }
    if !frame.left_out.is_empty() {
        let _ = writeln!(text, "- Left out for the token budget: {} files", frame.left_out_total);
        for left in frame.left_out {
            let _ = writeln!(text, "  - {} ({} tokens)", one_line(&left.path), left.tokens);
        }
        if frame.left_out_total > frame.left_out.len() {
            let _ = writeln!(text, "  - … and {} more", frame.left_out_total - frame.left_out.len());
        }
    }
    let _ = write!(text, "\n---\n\n## Directory Structure\n\n{tree_fence}\n{}{tree_fence}\n\n---\n\n## Files\n", frame.tree);
    if frame.files > 0 {
        text.push('\n');
    }
    text
}

pub(super) fn section(file: &LoadedFile<'_>, text: &str, out: &mut Buffer) {
    let fence = fence(text);
    open(file.shown, &fence, out);
    out.push(text.as_bytes());
    close(text.as_bytes().last().copied(), &fence, out);
}

/// The fence for a text that contains no fence.
pub(super) const FENCE: &str = "```";

pub(super) fn open(shown: &str, fence: &str, out: &mut Buffer) {
    for part in ["### ", &one_line(shown), "\n\n", fence, language(shown), "\n"] {
        out.push(part.as_bytes());
    }
}

pub(super) fn close(last: Option<u8>, fence: &str, out: &mut Buffer) {
    if last.is_some_and(|last| last != b'\n') {
        out.push(b"\n");
    }
    out.push(fence.as_bytes());
    out.push(b"\n\n");
}

/// Returns a fence that is longer than any run of backticks in the text.
pub fn fence(text: &str) -> String {
    "`".repeat(longest_run(text.as_bytes(), b'`').max(FENCE.len() - 1) + 1)
}

/// Returns the language tag for a file name, or an empty one if it is unknown.
pub fn language(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Dockerfile" | "Containerfile" => return "dockerfile",
        "Makefile" | "GNUmakefile" => return "makefile",
        "CMakeLists.txt" => return "cmake",
        _ => {}
    }
    let Some((_, extension)) = name.rsplit_once('.') else { return "" };
    match extension.to_ascii_lowercase().as_str() {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "go" => "go",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => "cpp",
        "cs" => "csharp",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "swift" => "swift",
        "rb" => "ruby",
        "php" => "php",
        "pl" | "pm" => "perl",
        "lua" => "lua",
        "r" => "r",
        "jl" => "julia",
        "scala" | "sc" => "scala",
        "clj" | "cljs" | "edn" => "clojure",
        "ex" | "exs" => "elixir",
        "erl" | "hrl" => "erlang",
        "hs" => "haskell",
        "ml" | "mli" => "ocaml",
        "dart" => "dart",
        "zig" => "zig",
        "sh" | "bash" | "zsh" => "bash",
        "fish" => "fish",
        "ps1" | "psm1" => "powershell",
        "sql" => "sql",
        "html" | "htm" => "html",
        "css" => "css",
        "scss" => "scss",
        "less" => "less",
        "vue" => "vue",
        "svelte" => "svelte",
        "xml" | "xsd" | "xsl" | "svg" => "xml",
        "json" | "jsonl" => "json",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "ini" | "cfg" => "ini",
        "md" | "markdown" | "mdx" => "markdown",
        "rst" => "rst",
        "tex" => "latex",
        "proto" => "protobuf",
        "graphql" | "gql" => "graphql",
        "tf" | "hcl" => "hcl",
        "nix" => "nix",
        "diff" | "patch" => "diff",
        "bat" | "cmd" => "batch",
        "vim" => "vim",
        "cmake" => "cmake",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn content_cannot_close_its_fence(text in "[`~a\n ]{0,80}") {
            let fence = fence(&text);
            prop_assert!(fence.len() >= 3);
            prop_assert!(!text.contains(&fence));
        }
    }

    #[test]
    fn languages_come_from_names() {
        assert_eq!(language("src/main.rs"), "rust");
        assert_eq!(language("a/Dockerfile"), "dockerfile");
        assert_eq!(language("LICENSE"), "");
        assert_eq!(language("x.unknown"), "");
    }
}
