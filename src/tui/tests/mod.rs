//! Tests of the screen as a whole.
