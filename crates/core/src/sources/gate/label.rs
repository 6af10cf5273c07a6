//! How an entry is named: by a time, a date, an id such as `ADR-001`, a number, or only by words.

/// What an entry's name begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelKind {
    /// A date and a time: `[2026-01-28-051426] Title`.
    Stamp,
    /// A date: `[2026-01-28] Title`, `2026-01-28 — Title`.
    Date,
    /// Letters and a number: `ADR-001: Title`, `[DEC-2] Title`.
    Id,
    /// A number: `3. Title`.
    Number,
    Words,
}

/// The parts of an entry's name. Concatenated in order they are the name, so that another one can be made like it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label<'a> {
    pub(super) kind: LabelKind,
    /// `[`, `**`, `ADR-`.
    pub(super) before: &'a str,
    /// The date, the time or the number.
    pub(super) value: &'a str,
    /// `] `, ` — `, `: `.
    pub(super) after: &'a str,
    /// The rest, which may be empty.
    pub(super) rest: &'a str,
}

/// Words that name an id even if a space follows them: `Decision 12: Title`. `Phase 1: Title` is a group.
const ID_WORDS: [&str; 6] = ["adr", "dec", "decision", "learning", "lesson", "rfc"];
const OPENING: &str = "[(*_`";
const SEPARATORS: &str = " \t:–—-.|·";

impl<'a> Label<'a> {
    /// Takes a name apart.
    pub(super) fn parse(name: &'a str) -> Self {
        let name = name.trim();
        let opening = name.len() - name.trim_start_matches(|c| OPENING.contains(c)).len();
        dated(name, opening).or_else(|| identified(name, opening)).or_else(|| numbered(name, opening)).unwrap_or(Self {
            kind: LabelKind::Words,
            before: "",
            value: "",
            after: "",
            rest: name,
        })
    }

    /// Returns whether it has a date or an id, so that it names an entry wherever it is.
    pub(super) fn is_entry(&self) -> bool {
        matches!(self.kind, LabelKind::Stamp | LabelKind::Date | LabelKind::Id)
    }

    pub(super) fn date(&self) -> Option<&'a str> {
        matches!(self.kind, LabelKind::Stamp | LabelKind::Date).then(|| &self.value[..10])
    }

    /// Returns the id without what surrounds it: `ADR-001`.
    pub(super) fn id(&self) -> Option<String> {
        let prefix = self.before.trim_start_matches(|c| OPENING.contains(c));
        (self.kind == LabelKind::Id).then(|| format!("{prefix}{}", self.value))
    }

    /// Returns the name of another entry in the same form. `last` is the highest number in use.
    pub(super) fn next(&self, stamp: &str, last: u64, title: &str) -> String {
        let value = match self.kind {
            LabelKind::Words => return title.to_owned(),
            LabelKind::Stamp => stamp.get(..self.value.len()).unwrap_or(stamp).to_owned(),
            LabelKind::Date => stamp[..10].to_owned(),
            LabelKind::Id | LabelKind::Number => format!("{:0width$}", last + 1, width = self.value.len()),
        };
        format!("{}{value}{}{title}", self.before, self.after)
    }
}

/// Returns whether a heading is part of a template: `[YYYY-MM-DD] Title`, `ADR-XXX`.
pub(super) fn is_placeholder(name: &str) -> bool {
    ["YYYY", "XXX", "NNN"].iter().any(|mark| name.contains(mark))
}

/// Returns the length of `2026-01-28` at the beginning of a text.
fn date_length(text: &str) -> Option<usize> {
    let form = b"0000-00-00";
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    let is_date = text.len() >= form.len() && text.as_bytes().iter().zip(form).all(fits);
    is_date.then_some(form.len())
}

/// Returns the first date in a text.
pub(super) fn date_in(text: &str) -> Option<&str> {
    let starts = text.char_indices().filter(|(at, c)| c.is_ascii_digit() && !text[..*at].ends_with(|c: char| c.is_ascii_digit()));
    starts.map(|(at, _)| &text[at..]).find_map(|rest| {
        let end = date_length(rest)?;
        (!rest[end..].starts_with(|c: char| c.is_ascii_digit())).then(|| &rest[..end])
    })
}

fn dated(name: &str, opening: usize) -> Option<Label<'_>> {
    let text = &name[opening..];
    let mut length = date_length(text)?;
    let time = text[length..].strip_prefix('-').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let is_time = time == 4 || time == 6;
    if is_time {
        length += 1 + time;
    }
    if text[length..].starts_with(char::is_alphanumeric) {
        return None;
    }
    let kind = if is_time { LabelKind::Stamp } else { LabelKind::Date };
    let after = separator(name, opening, opening + length);
    Some(label(kind, name, opening..opening + length, after))
}

fn identified(name: &str, opening: usize) -> Option<Label<'_>> {
    let text = &name[opening..];
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = &text[..letters];
    let joint = match text.as_bytes().get(letters)? {
        b'-' | b'_' | b'#' => 1,
        b' ' if ID_WORDS.contains(&word.to_lowercase().as_str()) => 1,
        b'0'..=b'9' if letters <= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase()) => 0,
        _ => return None,
    };
    let start = opening + letters + joint;
    let digits = name[start..].bytes().take_while(u8::is_ascii_digit).count();
    let after = separator(name, opening, start + digits);
    let is_separated = name[start + digits..after].contains([':', ']', ')', '.', '-', '–', '—', '|']) || after == name.len();
    let is_id = (1..=10).contains(&letters) && (1..=5).contains(&digits) && is_separated;
    is_id.then(|| label(LabelKind::Id, name, start..start + digits, after))
}

fn numbered(name: &str, opening: usize) -> Option<Label<'_>> {
    let digits = name[opening..].bytes().take_while(u8::is_ascii_digit).count();
    let end = opening + digits;
    let is_ended = name[end..].starts_with(['.', ')', ':']) || [" -", " –", " —"].iter().any(|dash| name[end..].starts_with(dash));
    let is_number = (1..=4).contains(&digits) && is_ended;
    is_number.then(|| label(LabelKind::Number, name, opening..end, separator(name, opening, end)))
}

fn label(kind: LabelKind, name: &str, value: std::ops::Range<usize>, after: usize) -> Label<'_> {
    Label { kind, before: &name[..value.start], value: &name[value.clone()], after: &name[value.end..after], rest: &name[after..] }
}

/// Returns where the separator ends that begins at `from`: punctuation, and what closes the opening marks.
fn separator(name: &str, opening: usize, from: usize) -> usize {
    let mut open: Vec<char> = name[..opening].chars().collect();
    let closes = |open: char| match open {
        '[' => ']',
        '(' => ')',
        mark => mark,
    };
    let mut end = from;
    for c in name[from..].chars() {
        if open.last().is_some_and(|last| closes(*last) == c) {
            open.pop();
        } else if !SEPARATORS.contains(c) && (opening > 0 || end > from || c != ')') {
            break;
        }
        end += c.len_utf8();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_put_together_again() {
        use LabelKind::{Date, Id, Number, Stamp, Words};
        for (name, kind, value, rest, next) in [
            ("[2026-01-28-051426] Use X", Stamp, "2026-01-28-051426", "Use X", "[2026-11-15-120000] New"),
            ("[2026-01-28-0514] Use X", Stamp, "2026-01-28-0514", "Use X", "[2026-11-15-1200] New"),
            ("[2026-01-28] `X` it", Date, "2026-01-28", "`X` it", "[2026-11-15] New"),
            ("2026-01-28 — Use X", Date, "2026-01-28", "Use X", "2026-11-15 — New"),
            ("**2026-01-28:** Use X", Date, "2026-01-28", "Use X", "**2026-11-15:** New"),
            ("2026-01-28", Date, "2026-01-28", "", "2026-11-15New"),
            ("ADR-009: Use X", Id, "009", "Use X", "ADR-010: New"),
            ("[DEC-9] Use X", Id, "9", "Use X", "[DEC-10] New"),
            ("D12 – Use X", Id, "12", "Use X", "D10 – New"),
            ("Decision 3: Use X", Id, "3", "Use X", "Decision 10: New"),
            ("3. Use X", Number, "3", "Use X", "10. New"),
            ("Phase 1: Use X", Words, "", "Phase 1: Use X", "New"),
            ("Use HTTP-2 here", Words, "", "Use HTTP-2 here", "New"),
            ("2026-01-28th of x", Words, "", "2026-01-28th of x", "New"),
            ("Größe", Words, "", "Größe", "New"),
        ] {
            let label = Label::parse(name);
            assert_eq!((label.kind, label.value, label.rest), (kind, value, rest), "{name}");
            assert_eq!(format!("{}{}{}{}", label.before, label.value, label.after, label.rest), name);
            assert_eq!(label.next("2026-11-15-120000", 9, "New"), next, "{name}");
        }
    }

    #[test]
    fn dates_are_found_anywhere() {
        assert_eq!(date_in("- **Date**：2026-03-01"), Some("2026-03-01"));
        assert_eq!(date_in("12026-03-011"), None);
        assert_eq!(date_in("é 7 of 2026-3-1"), None);
    }
}
