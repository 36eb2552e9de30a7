use super::{Reader, Writer};

pub(super) fn input() -> Reader {
    Box::new(tokio::io::stdin())
}

pub(super) fn output() -> Writer {
    Box::new(tokio::io::stdout())
}
