//! Words that do not name a topic.
//!
//! There are two lists. [`is_stop`] words are left out of both index and message. [`is_chatter`] words are searched
//! for, but are no evidence that the message is about a document: users write them to an agent on any topic ("can you
//! fix this file again, please").

/// English function words, contractions without their apostrophe, and parts of URLs. Sorted.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "about", "after", "again", "ain", "all", "also", "am", "an", "and", "any", "are", "aren", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "cannot", "com", "could", "couldn", "d", "did",
    "didn", "do", "does", "doesn", "doing", "don", "down", "each", "etc", "for", "from", "further", "had", "has",
    "have", "having", "he", "her", "here", "hers", "him", "his", "how", "http", "https", "i", "if", "in", "into",
    "is", "isn", "it", "its", "itself", "just", "let", "lets", "ll", "m", "may", "me", "might", "more", "most",
    "must", "my", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "org", "other", "our", "ours",
    "out", "over", "own", "per", "please", "re", "s", "same", "shall", "she", "should", "shouldn", "so", "some",
    "such", "t", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those",
    "though", "through", "to", "too", "under", "until", "up", "upon", "us", "ve", "very", "via", "was", "wasn", "we",
    "were", "weren", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "within", "without", "won", "would", "wouldn", "www", "yet", "you", "your", "yours", "yourself",
];

/// Words of work and conversation. Sorted.
#[rustfmt::skip]
const CHATTER: &[&str] = &[
    "able", "add", "added", "adding", "agree", "ahead", "allow", "allows", "already", "alright", "always", "another",
    "answer", "anything", "apply", "ask", "asked", "avoid", "back", "bad", "based", "best", "better", "big", "bit",
    "block", "branch", "break", "bring", "broken", "bug", "call", "called", "came", "cancel", "case", "catch",
    "certain", "change", "changed", "changes", "check", "clean", "code", "come", "comment", "comments", "commit",
    "committed", "consider", "continue", "cool", "correct", "count", "create", "current", "cut", "delete", "deleted",
    "describe", "did", "diff", "different", "doc", "docs", "done", "draft", "edit", "else", "enable", "end", "enough",
    "ensure", "error", "errors", "even", "ever", "every", "everything", "exactly", "example", "explain", "fail",
    "failed", "failing", "fails", "false", "far", "feel", "file", "files", "fine", "finish", "finished", "first",
    "fix", "fixed", "fixes", "follow", "forget", "forgot", "found", "full", "function", "functions", "further",
    "gave", "get", "gets", "getting", "give", "go", "going", "gone", "good", "got", "great", "green", "guess",
    "handle", "happen", "happened", "happens", "hello", "help", "helping", "hey", "hi", "hmm", "idea", "implement",
    "improve", "include", "includes", "incorrect", "initial", "instead", "introduce", "issue", "keep", "kind", "know",
    "last", "later", "least", "leave", "less", "lgtm", "like", "line", "lines", "list", "little", "long", "look",
    "looks", "lot", "made", "make", "makes", "making", "many", "maybe", "mean", "merge", "method", "minor", "missing",
    "mistake", "move", "much", "name", "need", "needed", "needs", "never", "new", "next", "nice", "nope", "nothing",
    "number", "ok", "okay", "old", "one", "open", "order", "part", "perfect", "person", "point", "possible", "pr",
    "prefer", "prevent", "print", "probably", "problem", "proceed", "project", "properly", "provide", "provides",
    "push", "put", "question", "quite", "read", "ready", "real", "really", "refactor", "remember", "remove",
    "removed", "rename", "replace", "repo", "rest", "revert", "review", "right", "run", "running", "runs", "said",
    "save", "saved", "say", "second", "see", "seem", "seems", "send", "set", "ship", "short", "shorter", "show",
    "simple", "simpler", "since", "small", "something", "soon", "sorry", "sounds", "start", "started", "step",
    "still", "stop", "stuff", "sum", "summarize", "summary", "support", "supported", "supporting", "supports", "sure",
    "take", "talk", "task", "tell", "test", "tests", "text", "thank", "thanks", "thing", "things", "think", "third",
    "time", "todo", "todos", "together", "told", "top", "tried", "true", "try", "two", "undo", "update", "updated",
    "updates", "use", "used", "using", "variable", "wait", "want", "wants", "was", "way", "ways", "well", "went",
    "whole", "word", "words", "work", "working", "works", "write", "wrong", "yeah", "yep", "yes",
];

/// Returns whether a lower-case word is ignored altogether.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Returns whether a lower-case word is no evidence of a topic.
pub(super) fn is_chatter(word: &str) -> bool {
    CHATTER.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{CHATTER, STOP};

    #[test]
    fn lists_are_sorted_without_repeats() {
        for list in [STOP, CHATTER] {
            for pair in list.windows(2) {
                assert!(pair[0] < pair[1], "{pair:?}");
            }
        }
    }
}
