//! The words a tool is known by, each impossible to build wrongly.
//!
//! ```text
//! ServerKey ─┐                       Scheme
//!            ├─► ToolId (identity) ───────────► ExposedName
//! WireName ──┘
//! ```
//!
//! A [`ServerKey`] is what the user wrote in their configuration, a [`WireName`] what the server advertises and the only
//! name it is ever sent. Both may hold any non-empty Unicode text: the protocol allows more than the model providers do,
//! and servers do worse. Whether a text is fit to be shown to a model is decided by a [scheme](crate::scheme), which is
//! the only place an [`ExposedName`] can come from.

mod exposed_name;
mod nearest;
mod server_key;
mod tool_id;
mod wire_name;

pub use exposed_name::ExposedName;
pub use nearest::nearest;
pub use server_key::ServerKey;
pub use tool_id::ToolId;
pub use wire_name::WireName;

/// The text given for a server key or a wire name was empty.
///
/// An empty part would make the exposed name ambiguous (`mcp__s__`), so it is refused where it enters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {what} must not be empty")]
pub struct EmptyName {
    /// What was to be built: "server key" or "wire name".
    pub what: &'static str,
}

/// The conversions every checked text type has; all of them end in `$type::new`.
macro_rules! checked_text {
    ($type:ident) => {
        impl std::str::FromStr for $type {
            type Err = $crate::name::EmptyName;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl TryFrom<&str> for $type {
            type Error = $crate::name::EmptyName;
            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = $crate::name::EmptyName;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }

        $crate::name::text_access!($type);
    };
}

/// Reading access that every text type of this module gives.
macro_rules! text_access {
    ($type:ident) => {
        impl $type {
            /// The text, exactly as it was given.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::ops::Deref for $type {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&*self.0, f)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}

pub(crate) use {checked_text, text_access};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t10_empty_key_and_empty_wire_name_are_refused() {
        assert_eq!(ServerKey::new("").unwrap_err().what, "server key");
        assert_eq!(WireName::new("").unwrap_err().what, "wire name");
        assert!(serde_json::from_str::<WireName>("\"\"").is_err());
        assert!("".parse::<ServerKey>().is_err());
    }

    #[test]
    fn nothing_is_trimmed_or_folded() {
        let text = " A\u{301}\n";
        assert_eq!(WireName::new(text).unwrap().as_str(), text);
        assert_eq!(ServerKey::new(text).unwrap().as_str(), text);
    }
}
