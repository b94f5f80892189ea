import CLinux
import Foundation
import Glibc
import Synchronization
import Workers

/// A child process; callers can wait for its end.
///
/// One thread starts the child and waits for its end. The kernel sends the parent-death signal when the *thread* that
/// started the child ends. That thread must therefore exist as long as the child.
package final class ChildProcess: Sendable {
    /// How a child process ended.
    package enum Exit: Sendable, Equatable {
        case code(Int32)
        case signal(Int32)
    }

    private enum State {
        case running
        case exited(Exit)
    }

    /// The child's process id.
    package let pid: Int32
    private let state = Mutex(State.running)
    private let waiters = Mutex<[CheckedContinuation<Exit, Never>]>([])

    private init(pid: pid_t) { self.pid = pid }

    /// Starts a program; if `setpriv` is installed, the kernel kills the program when this process dies.
    ///
    /// The program's output is appended to the file `output`.
    /// - Throws: `SpawnError` with the system's error number if the program can't be started.
    package static func launch(_ program: String, _ arguments: [String], output: String) async throws -> ChildProcess {
        var words = [program] + arguments
        // `posix_spawn` can't set a parent-death signal, but `setpriv` of util-linux can, and doesn't change the pid.
        if let setpriv = Executables.find("setpriv") { words = [setpriv, "--pdeathsig", "KILL", "--"] + words }
        let command = words
        return try await withCheckedThrowingContinuation { continuation in
            PlainThread.detach {
                switch spawn(command, output) {
                case .failure(let error): continuation.resume(throwing: error)
                case .success(let pid):
                    let child = ChildProcess(pid: pid)
                    continuation.resume(returning: child)
                    child.watch()
                }
            }
        }
    }

    /// Sends a signal, unless the child has ended.
    package func send(_ signal: Int32) {
        state.withLock { state in
            // While the lock is held, the child isn't reaped, so the pid still belongs to the child.
            if case .running = state { kill(pid, signal) }
        }
    }

    /// Makes the kernel limit the child's memory to a number of bytes.
    package func limitMemory(to bytes: Int) {
        state.withLock { state in
            guard case .running = state else { return }
            _ = limit_data(pid, UInt(bytes))
        }
    }

    /// How the child ended; nil while the child is still running.
    package var exit: Exit? { state.withLock { if case .exited(let exit) = $0 { exit } else { nil } } }

    /// Waits for the end of the child.
    package func waitForExit() async -> Exit {
        await withCheckedContinuation { continuation in
            let exit = state.withLock { state -> Exit? in
                if case .exited(let exit) = state { return exit }
                waiters.withLock { $0.append(continuation) }
                return nil
            }
            if let exit { continuation.resume(returning: exit) }
        }
    }

    private func watch() {
        var info = siginfo_t()
        // With WNOWAIT, the child's pid can't be reused before `state` shows that the child has ended.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let exit = state.withLock { state in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            let signal = status & 0x7f
            let exit = signal == 0 ? Exit.code((status >> 8) & 0xff) : Exit.signal(signal)
            state = .exited(exit)
            return exit
        }
        let waiting = waiters.withLock { waiters in
            defer { waiters.removeAll() }
            return waiters
        }
        for waiter in waiting { waiter.resume(returning: exit) }
    }

    private static func spawn(_ words: [String], _ output: String) -> Result<pid_t, SpawnError> {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ctrl-C must reach only this process, because this process ends the child itself, after everything else. The
        // child therefore has a separate process group.
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK)
        )
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &files,
            1,
            output,
            O_WRONLY | O_CREAT | O_APPEND,
            0o600
        )
        posix_spawn_file_actions_adddup2(&files, 1, 2)
        // Without systemd's variables, Debian's Mosquitto can't report to systemd that it is ready. Such a report would
        // count as this service's report.
        var variables = inherited(leavingOut: SystemdSocket.variables)
        defer { for variable in variables { free(variable) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &files, &attributes, &arguments, &variables)
        return code == 0 ? .success(pid) : .failure(SpawnError(number: code))
    }

    /// Returns the environment without the given variables, as C strings that the caller must free.
    private static func inherited(leavingOut names: [String]) -> [UnsafeMutablePointer<CChar>?] {
        ProcessInfo.processInfo.environment
            .filter { !names.contains($0.key) }
            .map { strdup("\($0.key)=\($0.value)") } + [nil]
    }
}

/// The reason why a program could not be started.
package struct SpawnError: Error, CustomStringConvertible {
    let number: Int32

    /// The system's error message.
    package var description: String { String(cString: strerror(number)) }
}
