//! Test harness of Briefing.
