//! Fields nobody has defined, and numbers no 64-bit type holds: texts that a faithful receiver passes on byte for byte.

/// Written into a tool, its schema, results, capabilities, content blocks and the message itself. The keys are out of
/// alphabetical order on purpose.
pub const UNKNOWN_FIELDS: &str =
    r#""x-zulu":{"kept":[1,{"z":null,"a":"\u00e9"}]},"x-alpha":"kept as it is""#;

/// Written where [`UNKNOWN_FIELDS`] are, and into a tool's schema as limits.
pub const BIG_NUMBERS: &str = r#""x-numbers":[18446744073709551616,-9223372036854775809,123456789012345678901234567890,0.10000000000000000555,1e400,1.0,-0]"#;
