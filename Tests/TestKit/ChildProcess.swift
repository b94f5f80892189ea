import Foundation
import Glibc
import Synchronization

/// A test's child process, which always ends with the test's own process.
///
/// A shell runs the command and reads from a pipe. The test's own process keeps the other end of the pipe open. When
/// the test's process ends for any reason, the pipe closes, and the shell kills the command. The first line of output
/// is the command's process id, which the shell writes.
package final class ChildProcess: Sendable {
    private let guardian: pid_t
    private let leash: FileHandle
    private let lines: Mutex<LineReader>
    private let status = Mutex<Int32?>(nil)
    /// The process id of the command, not of the shell.
    package let pid: Int32

    private static let script = """
        exec 3<&0
        /bin/sh -c 'echo $$; exec "$0" "$@" </dev/null 3<&-' "$@" & child=$!
        { read -r line <&3; kill -9 $child; } >/dev/null 2>&1 &
        leash=$!
        wait $child; code=$?
        kill $leash
        exit $code
        """

    /// Starts a command; `nextLine()` returns its standard output, and its standard error is discarded.
    ///
    /// - Throws: `ChildProcessError`.
    package init(_ executable: String, _ arguments: [String]) throws {
        let input = Pipe()
        let output = Pipe()
        // Without close-on-exec, other tests' child processes would inherit these ends of the pipes. The pipes would
        // then stay open.
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        guardian = try spawn(
            ["/bin/sh", "-c", Self.script, "sh", executable] + arguments,
            input: input.fileHandleForReading.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor
        )
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        leash = input.fileHandleForWriting
        var reader = LineReader(output.fileHandleForReading)
        guard let line = reader.next(), let number = Int32(line) else { throw ChildProcessError(command: executable) }
        pid = number
        lines = Mutex(reader)
    }

    deinit { stop(SIGKILL) }

    /// Returns the next line of the command's standard output, or nil at its end.
    ///
    /// The function blocks until a line is available.
    package func nextLine() -> String? { lines.withLock { $0.next() } }

    /// Whether the command is still running.
    package var isRunning: Bool { reap(WNOHANG) == nil }

    /// Sends a signal to the command, but not to the shell that guards it.
    package func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Ends the command with a signal and waits for its exit.
    @discardableResult
    package func stop(_ number: Int32 = SIGTERM) -> Int32 {
        signal(number)
        return wait()
    }

    /// Waits for the command to end; returns its exit code, or 128 plus the killing signal's number.
    @discardableResult
    package func wait() -> Int32 { reap(0) ?? -1 }

    private func reap(_ options: Int32) -> Int32? {
        status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            guard waitpid(guardian, &raw, options) == guardian else { return nil }
            status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
            return status
        }
    }
}

/// The error thrown when a command can't be started.
package struct ChildProcessError: Error {
    /// The path of the program that could not be started.
    package let command: String
}

/// Starts a program in which no signals are blocked.
///
/// The threads of tests block signals. A program started by such a thread would inherit the blocked signals.
func spawn(_ command: [String], input: Int32, output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = command.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, command[0], &actions, &attributes, words, environ) == 0 else {
        throw ChildProcessError(command: command[0])
    }
    return pid
}

/// A reader that divides the bytes from a pipe into lines.
struct LineReader {
    private let handle: FileHandle
    private var rest = Data()

    init(_ handle: FileHandle) { self.handle = handle }

    mutating func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = handle.availableData
            if more.isEmpty { return nil }
            rest.append(more)
        }
    }
}
