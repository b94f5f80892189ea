import Foundation
import Glibc

/// A process that a test starts and that never outlives it.
///
/// Between us and the command stands a shell that reads from a pipe we hold: when we end, however we end,
/// the pipe closes and the shell kills the command.
package final class ChildProcess: @unchecked Sendable {
    // Thread safety: the properties are set in `init` only; `Process` locks its own state.
    private let guardian = Process()
    private let leash = Pipe()
    private let output = Pipe()
    /// Of the command itself, not of the shell.
    package let pid: Int32
    private let lines: LineReader

    /// Starts a command; its standard output is read with `nextLine`, the errors go where ours go.
    package init(_ executable: String, _ arguments: [String], quiet: Bool = true) throws {
        // The command is a job of the shell; `read` returns when the pipe closes.
        let script = """
            "$@" </dev/null & child=$!
            echo $child
            { read -r line <&3; kill -9 $child; } 2>/dev/null &
            leash=$!
            wait $child; code=$?
            kill $leash 2>/dev/null
            exit $code
            """
        guardian.executableURL = URL(fileURLWithPath: "/bin/sh")
        guardian.arguments = ["-c", "exec 3<&0\n" + script, "sh", executable] + arguments
        guardian.standardInput = leash
        guardian.standardOutput = output
        if quiet { guardian.standardError = FileHandle.nullDevice }
        lines = LineReader(output.fileHandleForReading)
        try guardian.run()
        guard let line = lines.next(), let number = Int32(line) else {
            throw ChildProcessError(command: executable)
        }
        pid = number
    }

    deinit { stop(SIGKILL) }

    /// Reads the next line of the command's standard output; nil when there are no more. Blocks.
    package func nextLine() -> String? { lines.next() }

    package var isRunning: Bool { guardian.isRunning }

    /// Sends a signal to the command, and only to it.
    package func signal(_ number: Int32) {
        if guardian.isRunning { kill(pid, number) }
    }

    /// Ends the command with a signal and waits until it is gone.
    @discardableResult
    package func stop(_ number: Int32 = SIGTERM) -> Int32 {
        signal(number)
        return wait()
    }

    /// Waits for the end of the command; gives its exit code, 128 + the signal's number if it was killed.
    @discardableResult
    package func wait() -> Int32 {
        guardian.waitUntilExit()
        return guardian.terminationStatus
    }
}

/// A command that could not be started.
package struct ChildProcessError: Error {
    package let command: String
}

/// Splits what a pipe brings into lines.
private final class LineReader {
    private let handle: FileHandle
    private var rest = Data()

    init(_ handle: FileHandle) { self.handle = handle }

    func next() -> String? {
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
