//! A light English stemmer.
//!
//! It only has to map the forms of one word to the same stem ("routing", "routes", "router"); its output is never
//! shown. A full Porter stemmer was not worth its size: on documentation, both select the same. Words other than plain
//! ASCII letters (identifiers with digits, other scripts) are returned unchanged.

/// Suffixes that change the word class, longest first, with the number of letters that must remain.
const DERIVED: &[(&str, &str, usize)] = &[
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("ability", "", 4),
    ("ibility", "", 4),
    ("ation", "", 4),
    ("ator", "", 4),
    ("able", "", 4),
    ("ible", "", 4),
    ("ment", "", 4),
    ("ness", "", 4),
    ("tion", "t", 3),
    ("ise", "iz", 4),
    ("ize", "iz", 3),
    ("ate", "", 4),
    ("ity", "", 4),
    ("ly", "", 4),
    ("er", "", 3),
    ("or", "", 5),
];

/// Returns the stem of a lower-case word.
pub(super) fn stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stem = inflection(word);
    for (suffix, replacement, keep) in DERIVED {
        if let Some(root) = stem.strip_suffix(suffix)
            && root.len() >= *keep
            && has_vowel(root)
        {
            stem = format!("{root}{replacement}");
            break;
        }
    }
    let undoubled = undouble(&stem);
    let trimmed = if undoubled.len() > 3 { undoubled.strip_suffix('e').unwrap_or(undoubled) } else { undoubled };
    match trimmed.strip_suffix('y') {
        Some(root) if root.len() > 2 => format!("{root}i"),
        _ => trimmed.to_owned(),
    }
}

/// Removes plural, past and progressive endings.
fn inflection(word: &str) -> String {
    let singular = if let Some(root) = word.strip_suffix("ies") {
        format!("{root}y")
    } else if let Some(root) = word.strip_suffix("sses").or_else(|| word.strip_suffix("xes")) {
        format!("{root}{}", if word.ends_with("xes") { "x" } else { "ss" })
    } else if word.ends_with("ches") || word.ends_with("shes") {
        word[..word.len() - 2].to_owned()
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        word[..word.len() - 1].to_owned()
    } else {
        word.to_owned()
    };
    for suffix in ["ing", "ed"] {
        if let Some(root) = singular.strip_suffix(suffix)
            && root.len() >= 3
            && has_vowel(root)
        {
            return undouble(root).to_owned();
        }
    }
    singular
}

/// Drops the second of two equal final consonants, so that "running" matches "run". Double `l`, `s` and `z` are
/// reduced too: this applies to every word alike, and "install" and "instal" need not differ.
fn undouble(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && bytes.len() > 3 && !b"aeiou".contains(b) => &word[..word.len() - 1],
        _ => word,
    }
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|b| b"aeiouy".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn brings_the_forms_of_a_word_together() {
        for family in [
            &["route", "routes", "routing", "router", "routed"][..],
            &["configure", "configuration", "configured", "configurable"],
            &["deploy", "deployment", "deploys", "deploying"],
            &["authenticate", "authentication", "authenticator"],
            &["run", "running", "runner"],
            &["cache", "caching", "caches", "cached"],
            &["policy", "policies"],
            &["install", "installation", "installer"],
            &["proxy", "proxies", "proxying"],
        ] {
            let stems: Vec<_> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{family:?} became {stems:?}");
        }
    }

    #[test]
    fn leaves_identifiers_and_other_scripts_alone() {
        for word in ["http2", "e0382", "größe", "файлы", "is", "css", "ts2307"] {
            assert_eq!(stem(word), word);
        }
    }
}
