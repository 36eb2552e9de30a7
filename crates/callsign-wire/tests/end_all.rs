//! Alone in its file: it ends whatever the test process has started.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use callsign_wire::process::{Process, Program, end_all};

#[tokio::test]
async fn all_groups_are_killed_though_nothing_is_dropped() {
    let program = Program {
        command: "/bin/sleep".into(),
        arguments: vec!["600".into()],
        environment: Vec::new(),
        directory: None,
    };
    let mut running = vec![Process::start(&program).unwrap(), Process::start(&program).unwrap()];
    end_all();
    for (process, _streams) in &mut running {
        let status = process.exited(Duration::from_secs(5)).await.unwrap();
        assert_eq!(status.code(), None, "a signal ended it");
    }
}
