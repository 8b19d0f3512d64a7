//! The plain interface of the real program, over pipes and in terminals that cannot move the cursor.

mod pipes;
mod reach;
mod terminals;
