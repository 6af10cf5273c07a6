//! Draws the directory structure.

use std::fmt::Write as _;

use crate::shown::{one_line, tree_order};

struct Node<'a> {
    name: &'a str,
    depth: usize,
    is_file: bool,
    /// Whether it is the last of its siblings.
    is_last: bool,
    tokens: Option<u64>,
}

/// Draws the tree of `paths` (with the tokens of each, if known). Every top-level name is a root of its own.
pub(super) fn tree<'a>(paths: impl Iterator<Item = (&'a str, Option<u64>)>) -> String {
    let mut paths: Vec<_> = paths.collect();
    if !paths.is_sorted_by(|(a, _), (b, _)| tree_order(a, b).is_le()) {
        paths.sort_by(|(a, _), (b, _)| tree_order(a, b));
    }
    let mut nodes = nodes(&paths);
    finish(&mut nodes);
    if nodes.is_empty() { "(no files)\n".to_owned() } else { draw(&nodes) }
}

/// Returns every directory and file once, each directory before its content.
fn nodes<'a>(paths: &[(&'a str, Option<u64>)]) -> Vec<Node<'a>> {
    let mut nodes: Vec<Node<'a>> = Vec::with_capacity(paths.len() + paths.len() / 8);
    // The nodes from a root down to the last file.
    let mut open: Vec<usize> = Vec::new();
    for (path, tokens) in paths {
        let (first, rest) = match path.strip_prefix('/') {
            Some(rest) => (Some("/"), rest),
            None => (None, *path),
        };
        let mut depth = 0;
        for name in first.into_iter().chain(rest.split('/')) {
            if open.get(depth).is_none_or(|at| nodes[*at].name != name) {
                open.truncate(depth);
                open.push(nodes.len());
                nodes.push(Node { name, depth, is_file: false, is_last: false, tokens: None });
            }
            depth += 1;
        }
        open.truncate(depth);
        if let Some(at) = open.last() {
            nodes[*at].is_file = true;
            nodes[*at].tokens = *tokens;
        }
    }
    nodes
}

/// Marks the last of all siblings and adds up tokens, from the last node to the first.
fn finish(nodes: &mut [Node<'_>]) {
    // For each depth: whether a sibling follows, and the tokens below a parent that is still to come.
    let mut later: Vec<(bool, Option<u64>)> = Vec::new();
    for node in nodes.iter_mut().rev() {
        later.resize(later.len().max(node.depth + 2), (false, None));
        let (_, below) = std::mem::take(&mut later[node.depth + 1]);
        if let Some(below) = below {
            *node.tokens.get_or_insert(0) += below;
        }
        let (follows, total) = &mut later[node.depth];
        node.is_last = !std::mem::replace(follows, true);
        if let Some(tokens) = node.tokens {
            *total.get_or_insert(0) += tokens;
        }
    }
}

fn draw(nodes: &[Node<'_>]) -> String {
    let mut drawing = String::with_capacity(nodes.len() * 32);
    let mut indent = String::new();
    // The length of the indent at each depth.
    let mut lengths = vec![0, 0];
    for node in nodes {
        if node.depth > 0 {
            lengths.truncate(node.depth + 1);
            indent.truncate(lengths[node.depth]);
            drawing.push_str(&indent);
            drawing.push_str(if node.is_last { "└── " } else { "├── " });
            indent.push_str(if node.is_last { "    " } else { "│   " });
            lengths.push(indent.len());
        }
        drawing.push_str(&one_line(node.name));
        if !node.is_file && node.name != "/" {
            drawing.push('/');
        }
        if let Some(tokens) = node.tokens {
            let _ = write!(drawing, " ({tokens} tokens)");
        }
        drawing.push('\n');
    }
    drawing
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
    fn any_order_gives_the_same_drawing() {
        let mut paths = ["a/b/c", "a/b/d", "a/e", "a-b", "f/g/h/i", "f/j", "a/b.txt"];
        let drawing = tree(paths.iter().map(|path| (*path, Some(1))));
        paths.reverse();
        assert_eq!(tree(paths.iter().map(|path| (*path, Some(1)))), drawing);
        insta::assert_snapshot!(drawing, @r"
        a/ (4 tokens)
        ├── b/ (2 tokens)
        │   ├── c (1 tokens)
        │   └── d (1 tokens)
        ├── b.txt (1 tokens)
        └── e (1 tokens)
        a-b (1 tokens)
        f/ (2 tokens)
        ├── g/ (1 tokens)
        │   └── h/ (1 tokens)
        │       └── i (1 tokens)
        └── j (1 tokens)
        ");
    }

    #[test]
    fn tokens_add_up() {
        let drawing = tree([("a/x", Some(2)), ("a/y", Some(3))].into_iter());
        assert_eq!(drawing, "a/ (5 tokens)\n├── x (2 tokens)\n└── y (3 tokens)\n");
        assert_eq!(tree(std::iter::empty()), "(no files)\n");
    }
}
