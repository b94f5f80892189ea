import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server that serves one test process through a Unix socket in a new directory.
///
/// PostgreSQL refuses to run as root. If this process runs as root, the server runs as the user `postgres`. The server
/// runs without `fsync`, so a loss of power can damage its data. A shell waits for the end of this process. The shell
/// then stops the server and removes the directory.
package final class PostgresServer: Sendable {
    /// The directory that contains the server's socket and data.
    package let directory: String
    private let leash: FileHandle
    private let count = Atomic(0)

    /// This process's server, started when first used, or nil if PostgreSQL can't be started.
    package static let shared: PostgresServer? = try? PostgresServer()

    /// The folder in which Debian installs the server's programs.
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
        // Without close-on-exec, other tests' child processes would inherit these ends of the pipes. The pipes would
        // then stay open.
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

    /// Returns the address of a database of the server, by default of `postgres`, which always exists.
    package func address(_ database: String = "postgres") -> String {
        "postgres://lamplighter@/\(database)?host=\(directory)"
    }

    /// Returns a new name that no database of the server has.
    package func newName() -> String {
        "test\(count.add(1, ordering: .relaxed).newValue)"
    }
}
