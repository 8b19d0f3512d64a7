//! Where a JSON pointer stands in its file.
