import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server for one test process, on a Unix socket in a new directory.
///
/// If this process is root, the server runs as another user, since PostgreSQL refuses to run as root. It isn't
/// protected against a loss of power. A shell waits for this process: however this process ends, the shell stops the
/// server and removes the directory.
package final class PostgresServer: Sendable {
    /// The directory of the socket and the data.
    package let directory: String
    private let leash: FileHandle
    private let count = Atomic(0)

    /// The server of this process, started at its first use; nil if none is installed or it does not start.
    package static let shared: PostgresServer? = try? PostgresServer()

    /// The folder in which Debian installs the programs.
    private static let folder = "/usr/lib/postgresql/15/bin"

    /// Whether PostgreSQL is installed.
    package static var isInstalled: Bool { access(folder + "/postgres", X_OK) == 0 }

    private static let script = """
        exec 3<&0
        folder=$1
        # Not in TMPDIR: the path of a socket has 107 bytes at most.
        directory=$(mktemp -d /tmp/lamplighter-pg-XXXXXX) || exit 1
        trap 'rm -rf "$directory"' EXIT
        as() { "$@"; }
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$directory"
            as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
        fi
        cd "$directory"
        as "$folder/initdb" -D data -U lamplighter -A trust -E UTF8 --locale=C --no-sync \
            </dev/null >initdb.log 2>&1 3<&- || exit 1
        as "$folder/postgres" -D data -k "$directory" -c listen_addresses= -c fsync=off \
            -c max_connections=300 -c shared_buffers=64MB -c max_prepared_transactions=0 \
            </dev/null >server.log 2>&1 3<&- & server=$!
        until "$folder/pg_isready" -q -h "$directory" -U lamplighter 3<&-; do
            kill -0 $server || exit 1
            sleep 0.05
        done
        echo "$directory"
        exec >/dev/null
        read -r line <&3
        kill -INT $(head -n 1 data/postmaster.pid)
        wait $server
        """

    /// Starts a server and waits until it accepts connections.
    ///
    /// - Throws: `ChildProcessError`.
    package init() throws {
        let input = Pipe()
        let output = Pipe()
        // Not inherited by the child processes of other tests, which would otherwise keep these ends open.
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        _ = try spawn(
            ["/bin/sh", "-c", Self.script, "sh", Self.folder],
            input: input.fileHandleForReading.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor
        )
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        leash = input.fileHandleForWriting
        var reader = LineReader(output.fileHandleForReading)
        guard let line = reader.next() else { throw ChildProcessError(command: "postgres") }
        directory = line
    }

    /// Returns the address of a database, without a password; `postgres` always exists.
    package func address(_ database: String = "postgres") -> String {
        "postgres://lamplighter@/\(database)?host=\(directory)"
    }

    /// Returns a name that no database of the server has yet.
    package func newName() -> String {
        "test\(count.add(1, ordering: .relaxed).newValue)"
    }
}
