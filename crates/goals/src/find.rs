//! Finds goals: in this directory and its parents, then in the user's configuration. The nearest goal of a name wins.

use std::fs;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::settings::{CLAW, Places, nearest};
use briefing_core::sources::gate::CONTEXT;

use crate::bundled;
use crate::goal::{Goal, PROMPT_FILE};

/// Where a goal comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A repository. The goal runs nothing until the user trusts it.
    Project,
    /// The user's configuration.
    User,
    /// This program.
    Bundled,
}

/// A directory of goals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub path: PathBuf,
    pub level: Level,
}

/// A goal that was found, whether or not it is valid.
#[derive(Debug)]
pub struct FoundGoal {
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    pub level: Level,
    pub goal: Result<Goal, Failure>,
    /// The nearer goal of the same name that runs instead.
    pub shadowed_by: Option<PathBuf>,
}

/// Returns the directories to search for goals, nearest first, whether or not they exist.
///
/// In each directory, `.context/goals` comes before `.claw/goals`; in the configuration, `brief` comes before `claw`. Above
/// the repository, a `.claw` that belongs to the user counts, as it does for claw.
pub fn homes(places: &Places) -> Vec<Home> {
    let own: Vec<_> = places.config.iter().map(|config| config.join("brief")).chain(places.claw_users()).collect();
    let own: Vec<_> = own.into_iter().map(|directory| directory.join("goals")).collect();
    let near = places.upward().flat_map(|directory| [CONTEXT, CLAW].map(|name| directory.join(name)));
    let mut homes: Vec<Home> = Vec::new();
    for path in near.chain(places.claw_above()).map(|directory| directory.join("goals")) {
        if !own.contains(&path) && !homes.iter().any(|home| home.path == path) {
            homes.push(Home { path, level: Level::Project });
        }
    }
    homes.extend(own.into_iter().map(|path| Home { path, level: Level::User }));
    homes
}

/// Returns all goals, sorted by name. The goal that runs comes before those it shadows. Invalid goals are included.
pub fn all(places: &Places) -> Vec<FoundGoal> {
    let mut found: Vec<FoundGoal> = Vec::new();
    for home in homes(places) {
        for (name, path) in goals_in(&home.path) {
            let shadowed_by = found.iter().find(|other| other.name == name).map(|other| other.path.clone());
            let goal = Goal::read(&path);
            found.push(FoundGoal { name, path, level: home.level, goal, shadowed_by });
        }
    }
    for name in bundled::names() {
        let goal = bundled::goal(name).expect("the name is from the list of bundled goals");
        let shadowed_by = found.iter().find(|other| other.name == name).map(|other| other.path.clone());
        found.push(FoundGoal { name: name.to_owned(), path: goal.path.clone(), level: Level::Bundled, goal: Ok(goal), shadowed_by });
    }
    // The sort is stable, so nearer goals stay first.
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns the nearest goal of this name.
///
/// An invalid goal is an error even if it shadows a valid one. Silently running a goal other than the one the user
/// sees would be worse.
pub fn named(places: &Places, name: &str) -> Result<(Goal, Level), Failure> {
    if is_plain(name) {
        for home in homes(places) {
            let path = home.path.join(name);
            if path.join(PROMPT_FILE).is_file() {
                return Ok((Goal::read(&path)?, home.level));
            }
        }
    }
    if let Some(goal) = bundled::goal(name) {
        return Ok((goal, Level::Bundled));
    }
    let own = homes(places).into_iter().flat_map(|home| goals_in(&home.path)).map(|(name, _)| name);
    let names: Vec<String> = own.chain(bundled::names().map(str::to_owned)).collect();
    let failure = Failure::new(format!("there is no goal `{name}`"));
    let failure = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure,
    };
    Err(failure.hint("run `brief goals` to list all goals"))
}

/// Returns whether a name is a plain file name, so that it cannot lead out of the directories of goals.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

/// Returns name and path of the goals in a directory, sorted by name.
fn goals_in(home: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(home) else { return Vec::new() };
    let mut goals: Vec<_> = entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, path)| !name.starts_with('.') && path.join(PROMPT_FILE).is_file())
        .collect();
    goals.sort();
    goals
}

#[cfg(test)]
mod tests {
    use super::*;

    struct House(tempfile::TempDir);

    impl House {
        fn new(goals: &[&str]) -> Self {
            let house = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(house.0.path().join("home/work/.git")).unwrap();
            fs::create_dir_all(house.0.path().join("home/work/sub")).unwrap();
            for goal in goals {
                let directory = house.0.path().join("home").join(goal);
                fs::create_dir_all(&directory).unwrap();
                let text = if goal.contains("broken") { "prompt: [".to_owned() } else { format!("prompt: {goal}") };
                fs::write(directory.join(PROMPT_FILE), text).unwrap();
            }
            house
        }

        fn places(&self) -> Places {
            let home = self.0.path().join("home");
            Places { here: home.join("work/sub"), config: Some(home.join(".config")), state: None, cache: None, home: Some(home) }
        }
    }

    #[test]
    fn the_nearest_of_a_name_wins_and_all_are_listed() {
        let house = House::new(&[
            ".config/claw/goals/review",
            ".config/brief/goals/review",
            "work/.claw/goals/review",
            "work/.context/goals/review",
            "work/sub/.claw/goals/other",
            ".config/brief/goals/broken",
            "outside/.claw/goals/unseen",
        ]);
        let (goal, level) = named(&house.places(), "review").unwrap();
        assert_eq!((goal.prompt.as_str(), level), ("work/.context/goals/review", Level::Project));
        let all: Vec<_> = all(&house.places()).into_iter().filter(|found| found.level != Level::Bundled).collect();
        let names: Vec<_> =
            all.iter().map(|found| (found.name.as_str(), found.level, found.shadowed_by.is_some(), found.goal.is_ok())).collect();
        let expected = [
            ("broken", Level::User, false, false),
            ("other", Level::Project, false, true),
            ("review", Level::Project, false, true),
            ("review", Level::Project, true, true),
            ("review", Level::User, true, true),
            ("review", Level::User, true, true),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn bundled_goals_are_shadowed_by_all_others() {
        let house = House::new(&["work/.claw/goals/explain"]);
        assert_eq!(named(&house.places(), "explain").unwrap().1, Level::Project);
        assert_eq!(named(&house.places(), "write-tests").unwrap().1, Level::Bundled);
        let all = all(&house.places());
        let explain: Vec<_> = all.iter().filter(|found| found.name == "explain").map(|found| found.shadowed_by.is_some()).collect();
        assert_eq!(explain, [false, true]);
    }

    #[test]
    fn an_unknown_name_suggests_a_similar_one_and_never_leaves_the_goal_directories() {
        let house = House::new(&["work/.context/goals/review", "work/evil"]);
        let failure = named(&house.places(), "reviw").unwrap_err();
        assert_eq!(failure.hints()[0], "did you mean `review`?");
        for name in ["../../evil", "", ".", "..", "/etc"] {
            assert!(named(&house.places(), name).is_err(), "{name}");
        }
    }
}
