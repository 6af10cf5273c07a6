//! The directory structure as a drawing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::shown::one_line;

#[derive(Default)]
struct Node<'a> {
    children: BTreeMap<&'a str, Node<'a>>,
    is_file: bool,
    tokens: Option<u64>,
}

/// Draws the tree of `paths` (with the tokens of each, where known). Every top-level name is a root of its own.
pub fn tree<'a>(paths: impl Iterator<Item = (&'a str, Option<u64>)>) -> String {
    let mut root = Node::default();
    for (path, tokens) in paths {
        let mut node = &mut root;
        let (first, rest) = match path.strip_prefix('/') {
            Some(rest) => (Some("/"), rest),
            None => (None, path),
        };
        for name in first.into_iter().chain(rest.split('/')) {
            node = node.children.entry(name).or_default();
            if let Some(tokens) = tokens {
                *node.tokens.get_or_insert(0) += tokens;
            }
        }
        node.is_file = true;
    }
    let mut drawing = String::new();
    for (name, node) in &root.children {
        line(&mut drawing, "", "", name, node);
        below(&mut drawing, "", node);
    }
    if drawing.is_empty() {
        drawing.push_str("(no files)\n");
    }
    drawing
}

fn below(drawing: &mut String, indent: &str, node: &Node<'_>) {
    let count = node.children.len();
    for (index, (name, child)) in node.children.iter().enumerate() {
        let is_last = index + 1 == count;
        line(drawing, indent, if is_last { "└── " } else { "├── " }, name, child);
        below(drawing, &format!("{indent}{}", if is_last { "    " } else { "│   " }), child);
    }
}

fn line(drawing: &mut String, indent: &str, branch: &str, name: &str, node: &Node<'_>) {
    let slash = if node.is_file || name == "/" { "" } else { "/" };
    let _ = write!(drawing, "{indent}{branch}{}{slash}", one_line(name));
    if let Some(tokens) = node.tokens {
        let _ = write!(drawing, " ({tokens} tokens)");
    }
    drawing.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_nest_and_every_top_level_name_is_a_root() {
        let paths = ["README.md", "src/a.rs", "src/deep/b.rs", "src/z.rs", "/etc/hosts"];
        insta::assert_snapshot!(tree(paths.iter().map(|path| (*path, None))), @r"
        /
        └── etc/
            └── hosts
        README.md
        src/
        ├── a.rs
        ├── deep/
        │   └── b.rs
        └── z.rs
        ");
    }

    #[test]
    fn tokens_add_up() {
        let drawing = tree([("a/x", Some(2)), ("a/y", Some(3))].into_iter());
        assert_eq!(drawing, "a/ (5 tokens)\n├── x (2 tokens)\n└── y (3 tokens)\n");
        assert_eq!(tree(std::iter::empty()), "(no files)\n");
    }
}
