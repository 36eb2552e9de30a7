use crate::scheme::{PROVIDER_LIMIT, is_provider_char};

/// Whose requests are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// OpenAI's Chat Completions and Responses, and everything that is compatible with them.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// How it is written on the command line and in reports.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The provider of that identifier.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.id() == id)
    }

    /// Whether it takes a tool of that name. For Anthropic two limits are reported, 64 (apps, tool references) and 128
    /// (what refusals of the API quote in 2026), and for Gemini two are documented, 64 and 128 (the references of its API and
    /// of Vertex AI, by release). The wider one counts here, so that nothing is said to be refused that may pass; callsign
    /// itself never makes a name longer than 64.
    ///
    /// | provider | characters | at most |
    /// |---|---|---|
    /// | OpenAI | `[A-Za-z0-9_-]` | 64 |
    /// | Anthropic | `[A-Za-z0-9_-]` | 128 |
    /// | Gemini | a letter or `_`, then `[A-Za-z0-9_.:-]` | 128 |
    #[must_use]
    pub fn accepts(self, name: &str) -> bool {
        let all = |also: &str| name.chars().all(|c| is_provider_char(c) || also.contains(c));
        !name.is_empty()
            && match self {
                Self::OpenAi => name.len() <= PROVIDER_LIMIT && all(""),
                Self::Anthropic => name.len() <= 128 && all(""),
                Self::Gemini => {
                    name.len() <= 128
                        && all(".:")
                        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                }
            }
    }
}

impl std::fmt::Display for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
        })
    }
}

/// A set of providers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Providers(u8);

impl Providers {
    pub(super) fn insert(&mut self, provider: Provider) {
        self.0 |= 1 << provider as u8;
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Provider> {
        Provider::ALL.into_iter().filter(move |provider| self.0 & (1 << *provider as u8) != 0)
    }
}
