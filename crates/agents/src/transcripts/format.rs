//! The format of an agent's transcript, as data of its row.

use briefing_core::Moment;

/// How an agent records a session.
#[derive(Debug, Clone, Copy)]
pub struct Transcript {
    pub place: Place,
    /// Where a sub-agent's own transcript is. `None`: as any other session's.
    pub sub_agents: Option<SubAgents>,
    pub storage: Storage,
    /// The moments whose text the agent records. A text that another moment carried may have reached the model or not.
    pub recorded: &'static [Moment],
    /// The records that show what the model received.
    pub shown: &'static [Shown],
    /// The records of something that is sent to the model.
    pub inputs: &'static [Is],
    /// The records of something that came from the model.
    pub answers: &'static [Is],
    /// Whether angle brackets in our text are escaped.
    pub is_escaped: bool,
    /// How it shows that the client has shortened the window, where no event does reliably.
    pub rewrite: Option<Rewrite>,
    /// How it shows that the user went back to an earlier message.
    pub rewind: Option<Rewind>,
    /// Where the rest of the conversation is, besides our texts.
    pub talk: Talk,
}

/// Records that name the one before them.
#[derive(Debug, Clone, Copy)]
pub struct Rewind {
    /// A message that the user wrote.
    pub prompt: Is,
    /// The field with a record's own id.
    pub id: &'static str,
    /// The field with the id of the record before it.
    pub parent: &'static str,
}

/// Where a transcript has the conversation. A path is as in [`Shown::texts`]; for what the model wrote and what tools took and returned, every text below it counts, too.
#[derive(Debug, Clone, Copy)]
pub struct Talk {
    /// What the model wrote, in the records of [`Transcript::answers`].
    pub texts: &'static [&'static str],
    /// The inputs of its tools, in the same records.
    pub calls: &'static [&'static str],
    /// What else entered the window.
    pub loaded: &'static [Entered],
    /// How full the window was. `None`: the transcript does not say.
    pub fill: Option<Fill>,
}

/// A kind of record with something that entered the window without us.
#[derive(Debug, Clone, Copy)]
pub struct Entered {
    pub kind: Load,
    pub is: Is,
    pub texts: &'static [&'static str],
}

/// What entered a window without us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// What the user typed.
    Message,
    /// The output of a tool.
    Tool,
    /// Instructions that the agent finds by itself, and its own reminders.
    Instructions,
}

/// Records with the agent's own count of tokens in the window.
#[derive(Debug, Clone, Copy)]
pub struct Fill {
    pub is: Is,
    /// Numbers that add up to what the window held.
    pub used: &'static [&'static str],
    /// How much it can hold; empty if the transcript does not say.
    pub size: &'static str,
}

/// A record that replaces all messages before it.
#[derive(Debug, Clone, Copy)]
pub struct Rewrite {
    /// What only such a record contains. Quotes inside of texts are escaped, so no text can contain it.
    pub mark: &'static str,
    /// The moment whose text is no message and stays.
    pub keeps: Option<Moment>,
}

/// Where a transcript is.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// Where the agent's events say.
    Named,
    /// In a directory named after the session, below one in the agent's home.
    PerSession { directory: &'static str, file: &'static str },
    /// In one file for all sessions, below a directory of the user: the one that a variable names, or one in the home.
    One { variable: &'static str, directory: &'static str, file: &'static str },
}

/// Where the transcript of a sub-agent is: in a directory beside the session's, which has the same name without its extension.
#[derive(Debug, Clone, Copy)]
pub struct SubAgents {
    pub directory: &'static str,
    /// What stands before and after the sub-agent's id in the file's name.
    pub around: (&'static str, &'static str),
}

#[derive(Debug, Clone, Copy)]
pub enum Storage {
    /// One JSON object per line, with a `timestamp`. Lines are only ever added.
    Lines,
    /// An SQLite database.
    Database {
        /// Returns the ids of all sessions.
        sessions: &'static str,
        /// Returns, for the id of a session and the number of a row, everything after that row: its number, its time in
        /// milliseconds, and two JSON objects, which become `message` and `part` of a record.
        records: &'static str,
        /// Returns, for the id of a session, what its last compaction has left of its window: JSON objects. Nothing if there
        /// was none.
        left: &'static str,
    },
}

/// A condition on a record: every path has this text.
pub type Is = &'static [(&'static str, &'static str)];

/// A kind of record that shows what the model received.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// The name for users.
    pub name: &'static str,
    pub is: Is,
    /// Where its texts are: names joined by dots, with `*` for every item of a list.
    pub texts: &'static [&'static str],
    /// Whether it holds context of hooks. A text that begins there and does not end was cut; elsewhere it may be a quotation.
    pub is_context: bool,
}
