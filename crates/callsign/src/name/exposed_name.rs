use std::sync::Arc;

use super::text_access;

/// The name a model, a rule or a caller uses; unique in a registry.
///
/// Only a [scheme](crate::scheme::Scheme) can make one, so whoever holds one holds a legal name and need not check it.
/// There is no way back from it to an identity but asking the [registry](crate::registry): the spelling of two
/// identities can be one text. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExposedName(Arc<str>);

impl ExposedName {
    /// For schemes alone, after they have checked the text against their alphabet and limit.
    pub(crate) fn from_scheme(text: &str) -> Self {
        Self(text.into())
    }
}

text_access!(ExposedName);
