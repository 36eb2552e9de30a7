//! On Windows Tokio's threads carry the standard streams: anonymous pipes can't be waited for otherwise there.

use super::{Reader, Writer};

pub(super) fn input() -> Reader {
    Box::new(tokio::io::stdin())
}

pub(super) fn output() -> Writer {
    Box::new(tokio::io::stdout())
}
