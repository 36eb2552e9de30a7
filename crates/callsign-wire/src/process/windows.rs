use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use tokio::process::{Child, Command};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};

use super::{Program, groups};

/// Keeps Ctrl-C of the console from reaching the program before we have closed its stdin.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
/// No console window flashes up when we have none ourselves.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// A job object: whatever the program starts is in it, and the system ends them all when its last handle closes, so
/// also when we are killed.
#[derive(Debug)]
pub(super) struct Group {
    job: OwnedHandle,
    id: u32,
}

/// The jobs alive, for [`kill_group`]; closing a handle ends its job.
static JOBS: Mutex<Option<HashMap<u32, OwnedHandle>>> = Mutex::new(None);

/// Starts the command and puts it into a new job.
///
/// A process that the program starts before it is put into the job would escape; nothing but creating it suspended
/// closes that gap of microseconds, and the standard library can't resume such a process.
pub(super) fn start(command: &mut Command) -> io::Result<(Child, Group)> {
    let job = new_job()?;
    let child = command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW).spawn()?;
    let (Some(process), Some(id)) = (child.raw_handle(), child.id()) else {
        return Err(io::Error::other("the program ended before it had a handle"));
    };
    // SAFETY: both handles are open: the job is ours, the process is held by `child`.
    if unsafe { AssignProcessToJobObject(job.as_raw_handle() as HANDLE, process as HANDLE) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let second = job.try_clone()?;
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.get_or_insert_with(HashMap::new).insert(id, second);
    groups::remember(id);
    Ok((child, Group { job, id }))
}

fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name; the result is checked before it is owned.
    let job = unsafe {
        let raw = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if raw.is_null() {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(raw as _)
    };
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let size = u32::try_from(size_of_val(&limits)).map_err(io::Error::other)?;
    // SAFETY: the pointer and the size describe `limits`, which outlives the call.
    let done = unsafe {
        SetInformationJobObject(
            job.as_raw_handle() as HANDLE,
            JobObjectExtendedLimitInformation,
            std::ptr::from_ref(&limits).cast(),
            size,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
}

/// The file a command name means, by `PATH` and `PATHEXT` of the program's environment.
///
/// `CreateProcess` finds `.exe` files only, while launchers such as `npx` are `.cmd` files.
pub(super) fn resolve(program: &Program) -> OsString {
    let variable = |name: &str| {
        let found = program.environment.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    };
    let extensions = variable("PATHEXT").unwrap_or_else(|| ".COM;.EXE;.BAT;.CMD".into());
    let extensions: Vec<String> =
        extensions.to_string_lossy().split(';').map(str::to_owned).collect();
    let named = Path::new(&program.command);
    if named.components().count() > 1 {
        let whole = program.directory.as_ref().map_or(named.into(), |from| from.join(named));
        return with_extension(&whole, &extensions).map_or(named.into(), PathBuf::into_os_string);
    }
    let path = variable("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .find_map(|directory| with_extension(&directory.join(named), &extensions))
        .map_or_else(|| OsStr::to_owned(&program.command), PathBuf::into_os_string)
}

fn with_extension(file: &Path, extensions: &[String]) -> Option<PathBuf> {
    if file.extension().is_some() && file.is_file() {
        return Some(file.to_owned());
    }
    extensions.iter().find_map(|extension| {
        let mut name = file.as_os_str().to_owned();
        name.push(extension);
        Some(PathBuf::from(name)).filter(|file| file.is_file())
    })
}

impl Group {
    /// How the program ended, if it has.
    pub(super) fn status(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        child.try_wait()
    }

    /// A job is held by its handle and can't become somebody else's, so there is nothing to give up.
    pub(super) fn release(&mut self) {}

    pub(super) fn is_alive(&self) -> bool {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        let Ok(size) = u32::try_from(size_of_val(&counts)) else { return false };
        // SAFETY: the pointer and the size describe `counts`, which outlives the call.
        let done = unsafe {
            QueryInformationJobObject(
                self.job.as_raw_handle() as HANDLE,
                JobObjectBasicAccountingInformation,
                std::ptr::from_mut(&mut counts).cast(),
                size,
                std::ptr::null_mut(),
            )
        };
        done != 0 && counts.ActiveProcesses > 0
    }

    /// Windows has no gentle signal that reaches programs without a console: closing stdin was the request to leave.
    #[allow(clippy::unused_self)]
    pub(super) fn terminate(&self) {}

    pub(super) fn kill(&self) {
        // SAFETY: the handle is open and ours.
        unsafe { TerminateJobObject(self.job.as_raw_handle() as HANDLE, 1) };
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        kill_group(self.id);
        groups::forget(self.id);
    }
}

pub(super) fn kill_group(group: u32) {
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(job) = jobs.as_mut().and_then(|jobs| jobs.remove(&group)) {
        // SAFETY: the handle is open and ours.
        unsafe { TerminateJobObject(job.as_raw_handle() as HANDLE, 1) };
    }
}

/// Ends when this process is asked to stop: Ctrl-C, Ctrl-Break, the console closing, or the system shutting down.
///
/// # Errors
/// The events can't be watched.
pub async fn interrupted() -> io::Result<()> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};
    let (mut interrupt, mut stop) = (ctrl_c()?, ctrl_break()?);
    let (mut close, mut shutdown) = (ctrl_close()?, ctrl_shutdown()?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = stop.recv() => {}
        _ = close.recv() => {}
        _ = shutdown.recv() => {}
    }
    Ok(())
}
