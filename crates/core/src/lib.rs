//! The engine of Briefing.
