//! A template and its values to text (BEHAVIOUR §6).

/// What a rendering gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// What somebody should look at, one sentence each.
    pub warnings: Vec<String>,
}

/// Why a template gave no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderError {
    /// What is wrong: `undefined variable 'clazz_name' at line 12 (did you mean 'class_name'?)`.
    pub message: String,
    /// Line within the template's file, from 1.
    pub line: Option<usize>,
}
