//! The table of frames: every line that marks text as ours or as an agent's own, and the constants that their writers use.
//!
//! Whoever writes a new kind of line into a window adds a row here; a test of `briefing-agents` compares the outputs of all
//! agents with this table.

/// The beginning of our own lines in a window.
pub const MARK: &str = "=== brief: ";
/// The beginning of the gate's message. Other tools write a different dash after it.
pub const BANNER_START: &str = "PROJECT CONTEXT (auto-loaded by system hook";
/// The line below the gate's banner and above its closing notes.
pub const SEPARATOR: &str = "================================================================================";
/// What encloses the name of a file in the gate's message.
pub const HEAD: &str = "---";

/// A line that nothing inside a document may look like.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// What it is, for people.
    pub name: &'static str,
    pub(super) shape: Shape,
}

/// How a frame is recognised. Blanks, invisible characters and the case of ASCII letters never count.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// The line begins with these characters; `#` stands for a number, and a bar of `=` may be longer.
    Begins(&'static str),
    /// The same, and another bar follows.
    Enclosed(&'static str),
    /// `--- NAME.md ---`
    FileHead,
    /// The separator, alone on its line. Under a line of text it is a Markdown heading, and stays.
    Separator,
    /// A word, then this.
    After(&'static str),
}

/// All frames that are lines.
pub const FRAMES: &[Frame] = &[
    Frame { name: "a label of Briefing", shape: Shape::Begins("===brief:") },
    Frame { name: "the gate's banner", shape: Shape::Begins("projectcontext(auto-loadedbysystemhook") },
    Frame { name: "the gate's separator", shape: Shape::Separator },
    Frame { name: "the head of a file in the gate", shape: Shape::FileHead },
    Frame { name: "the gate's footer", shape: Shape::Begins("context:#filesloaded(~") },
    Frame { name: "the heading of a domain", shape: Shape::Enclosed("===domain") },
    Frame { name: "the heading of a domain's knowledge", shape: Shape::Enclosed("===knowledgeof") },
    Frame { name: "the heading of a domain's state", shape: Shape::Enclosed("===stateof") },
    Frame { name: "the heading of nearby domains", shape: Shape::Enclosed("===around") },
    Frame { name: "the beginning of a here-doc", shape: Shape::Begins("--begin-context-") },
    Frame { name: "the end of a here-doc", shape: Shape::Begins("--end-context-") },
    Frame { name: "the context of another hook", shape: Shape::After("hookadditionalcontext:") },
    Frame { name: "the output of another hook", shape: Shape::After("hooksuccess:") },
];

/// The elements in which agents wrap what did not come from their user. They are recognised anywhere in a line.
pub const WRAPPERS: &[&str] = &[
    "system-reminder",
    "system_reminder",
    "hook_context",
    "persisted-output",
    "task-notification",
    "system_notification",
    "user-prompt-submit-hook",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "environment_context",
    "user_instructions",
    "untrusted_context",
    "session_context",
    "additional_context",
    "briefing",
];
