//! How a message is phrased: as a question, as a request to explain something, or as an order about the code at hand.
//!
//! "Rename this variable" names no topic, whatever documents say about variables; "what is a variable?" does. The lists
//! are English. For other languages nothing is recognised here, and the documents alone decide.

/// The longest part of a message that is looked at, in characters: how it begins says what it is.
const LOOKED_AT: usize = 300;

/// The phrasing of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Phrasing {
    /// Whether it begins like a question.
    pub(super) is_question: bool,
    /// Whether it begins by asking what something is or how it works or is done.
    pub(super) asks_to_explain: bool,
    /// Whether it is an order about something at hand.
    pub(super) is_order: bool,
    /// How often it speaks of a thing in code as known ("the failing tests", "this function"), at most two.
    pub(super) things: u32,
}

/// Splits a message into words in lower case, a mark for its beginning, `0` for each number and `?`.
pub(super) fn tokens(message: &str) -> Vec<String> {
    let end = message.char_indices().nth(LOOKED_AT).map_or(message.len(), |(at, _)| at);
    let lower = message[..end].to_lowercase();
    let mut tokens = vec!["^".to_owned()];
    let mut rest = lower.as_str();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphabetic() || c == '\'' || c == '’';
        let length = if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(rest[..length].replace('’', "'"));
            length
        } else if first.is_numeric() {
            tokens.push("0".to_owned());
            rest.find(|c: char| !c.is_numeric()).unwrap_or(rest.len())
        } else {
            if first == '?' {
                tokens.push("?".to_owned());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

impl Phrasing {
    /// Returns the phrasing of a message, given as [`tokens`].
    pub(super) fn of(tokens: &[String]) -> Self {
        let words: Vec<&str> = tokens.iter().skip(1).map(String::as_str).collect();
        let begins = |phrases: &[&str]| phrases.iter().any(|phrase| starts_with(&words, phrase));
        let things = things(&words);
        let is_at_hand = things > 0 || words.iter().any(|word| AT_HAND.contains(word));
        let order = without_preamble(&words);
        Self {
            is_question: begins(QUESTIONS),
            asks_to_explain: begins(EXPLANATIONS),
            is_order: is_at_hand && order.first().is_some_and(|verb| ORDERS.binary_search(verb).is_ok()),
            things: things.min(2),
        }
    }
}

fn starts_with(words: &[&str], phrase: &str) -> bool {
    let mut phrase = phrase.split(' ');
    words.iter().zip(&mut phrase).all(|(a, b)| *a == b) && phrase.next().is_none()
}

/// Removes words before the verb of an order: "ok, can you please".
fn without_preamble<'a, 'b>(mut words: &'a [&'b str]) -> &'a [&'b str] {
    while let Some(phrase) = PREAMBLES.iter().find(|phrase| starts_with(words, phrase)) {
        words = &words[phrase.split(' ').count().min(words.len())..];
        if words.is_empty() {
            break;
        }
    }
    words
}

/// Counts things in code that are spoken of as known: an article and, after at most two words, such a thing.
fn things(words: &[&str]) -> u32 {
    let mut count = 0;
    let mut at = 0;
    while at < words.len() {
        let after = &words[(at + 1).min(words.len())..(at + 4).min(words.len())];
        match after.iter().position(|word| THINGS.binary_search(word).is_ok()).filter(|_| ARTICLES.contains(&words[at])) {
            Some(found) => {
                count += 1;
                at += found + 2;
            }
            None => at += 1,
        }
    }
    count
}

const QUESTIONS: &[&str] = &[
    "how",
    "what",
    "what's",
    "whats",
    "why",
    "where",
    "when",
    "which",
    "who",
    "whose",
    "is",
    "are",
    "does",
    "do",
    "did",
    "can",
    "could",
    "should",
    "would",
    "will",
    "has",
    "have",
    "am",
    "was",
    "were",
    "explain",
    "describe",
    "tell me",
    "show me how",
];

const EXPLANATIONS: &[&str] = &[
    "explain",
    "describe",
    "tell me about",
    "what is",
    "what's",
    "what are",
    "how does",
    "how do",
    "how to",
    "how can",
    "how is",
    "how are",
];

const PREAMBLES: &[&str] = &[
    "ok",
    "okay",
    "yes",
    "no",
    "and",
    "now",
    "then",
    "also",
    "please",
    "hey",
    "hi",
    "so",
    "well",
    "great",
    "good",
    "but",
    "actually",
    "just",
    "pls",
    "can",
    "could",
    "would",
    "will",
    "you",
    "let's",
    "lets",
    "let us",
    "i want you to",
    "i need you to",
    "go ahead and",
    "help me",
    "i'd like to",
    "i want to",
    "i need to",
    "we need to",
    "we should",
];

const AT_HAND: &[&str] = &[
    "this",
    "that",
    "these",
    "those",
    "it",
    "here",
    "there",
    "above",
    "below",
    "your",
    "you",
    "again",
    "last",
    "previous",
    "same",
    "other",
    "rest",
    "everywhere",
    "just",
    "now",
    "my",
];

const ARTICLES: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "all", "unused", "missing", "old", "new", "failing", "each", "every", "two",
    "three", "both",
];

/// Verbs that an order to an agent begins with. Sorted.
#[rustfmt::skip]
const ORDERS: &[&str] = &[
    "add", "address", "adjust", "align", "allow", "append", "apply", "archive", "assert", "avoid", "await", "batch", "bisect", "box",
    "break", "bump", "cache", "cancel", "catch", "center", "change", "check", "clean", "clear", "close", "collapse", "comment", "commit",
    "compare", "compile", "concatenate", "convert", "copy", "correct", "count", "create", "cut", "debounce", "debug", "declare",
    "decrease", "delete", "deploy", "derive", "destructure", "disable", "display", "do", "document", "don't", "double", "downgrade",
    "drop", "empty", "enable", "encode", "ensure", "escape", "estimate", "exclude", "expand", "explain", "export", "extend", "extract",
    "fetch", "fill", "find", "finish", "fix", "flatten", "focus", "follow", "format", "forward", "free", "generate", "get", "git",
    "give", "go", "grep", "group", "guard", "handle", "hide", "highlight", "hook", "ignore", "implement", "import", "improve",
    "include", "increase", "indent", "init", "inject", "inline", "insert", "install", "introduce", "invert", "keep", "kill", "leave",
    "limit", "lint", "list", "load", "lock", "log", "look", "make", "mark", "match", "measure", "memoize", "merge", "migrate", "minify",
    "mock", "modify", "move", "name", "negate", "omit", "open", "optimize", "order", "override", "pad", "paginate", "parametrize",
    "parse", "pass", "paste", "patch", "pin", "polish", "port", "prepare", "prettify", "prevent", "print", "profile", "protect",
    "publish", "pull", "push", "put", "raise", "read", "rebase", "rebuild", "recompile", "reduce", "refactor", "refresh", "regenerate",
    "register", "reindent", "release", "reload", "remove", "rename", "render", "reorder", "replace", "report", "reproduce", "rerun",
    "reset", "resolve", "restart", "restore", "restructure", "rethrow", "retry", "return", "reverse", "revert", "rewrite", "roll",
    "round", "run", "save", "scan", "seed", "send", "separate", "serialize", "set", "shorten", "show", "silence", "simplify", "skip",
    "sort", "speed", "split", "squash", "stage", "start", "stash", "stop", "store", "strip", "stub", "style", "submit", "summarize",
    "support", "swap", "switch", "tag", "tail", "take", "test", "throw", "tidy", "tighten", "toggle", "trace", "translate", "trim",
    "truncate", "try", "turn", "undo", "unify", "uninstall", "unwrap", "update", "upgrade", "upload", "use", "validate", "verify",
    "wait", "walk", "wrap", "write",
];

/// Things in code that such orders are about. Sorted.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "argument", "arguments", "array", "arrays", "block", "blocks", "branch", "branches", "bug", "build", "builds", "button", "buttons",
    "change", "changes", "class", "classes", "code", "column", "columns", "comment", "comments", "commit", "commits", "condition",
    "constant", "constants", "constructor", "dependencies", "dependency", "diff", "endpoint", "enum", "error", "errors", "exception",
    "exceptions", "field", "fields", "file", "files", "function", "functions", "header", "helper", "helpers", "import", "imports",
    "interface", "line", "lines", "list", "lists", "log", "logs", "loop", "loops", "message", "messages", "method", "methods", "module",
    "modules", "name", "names", "number", "output", "package", "page", "parameter", "parameters", "queries", "query", "request",
    "response", "result", "results", "script", "string", "strings", "struct", "table", "tables", "test", "tests", "type", "types",
    "typo", "value", "values", "variable", "variables", "warning", "warnings",
];

#[cfg(test)]
mod tests {
    use super::{ORDERS, Phrasing, THINGS, tokens};

    fn of(message: &str) -> Phrasing {
        Phrasing::of(&tokens(message))
    }

    #[test]
    fn lists_are_sorted_without_repeats() {
        for list in [ORDERS, THINGS] {
            for pair in list.windows(2) {
                assert!(pair[0] < pair[1], "{pair:?}");
            }
        }
    }

    #[test]
    fn tokens_are_words_numbers_and_question_marks() {
        assert_eq!(tokens("Don’t use 3.14 – OK?"), ["^", "don't", "use", "0", "0", "ok", "?"]);
        assert_eq!(tokens(""), ["^"]);
    }

    #[test]
    fn orders_about_the_code_at_hand_are_orders() {
        for order in ["rename this variable", "ok, can you please add a test for the helper", "fix the failing tests", "run it again"] {
            assert!(of(order).is_order, "{order}");
        }
        for other in ["how does hot reloading work?", "add rate limits to the login", "explain retries", "please", ""] {
            assert!(!of(other).is_order, "{other}");
        }
    }

    #[test]
    fn questions_are_questions() {
        assert!(of("How does HMR work?").is_question && of("How does HMR work?").asks_to_explain);
        assert!(of("tell me about plugins").asks_to_explain);
        assert!(!of("upgrade postgres").is_question);
        assert_eq!(of("move the two helper functions and the tests into the new file").things, 2);
    }
}
