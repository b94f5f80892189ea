import Foundation
import Synchronization
import Testing

@testable import Credentials

@Suite("Writing the credentials file")
struct CredentialsFileTests {
    @Test("Other processes read appended records in order")
    func append() throws {
        let folder = try Folder()
        var file = try CredentialsFile(path: folder.file)

        try file.append(Array(Make.everyKind.prefix(4)))
        try file.append(Array(Make.everyKind.dropFirst(4)))

        #expect(try Make.parse(folder.bytes()).records == Make.everyKind)
        let counts = (file.totalCount, file.liveCount)
        #expect(counts == (15, 11))
    }

    @Test("Two writers take turns, and each follows the other's rewrite")
    func writers() throws {
        let folder = try Folder()
        var first = try CredentialsFile(path: folder.file)
        var second = try CredentialsFile(path: folder.file)

        try first.append([Make.everyKind[0]])
        try second.append([Make.everyKind[1]])
        try first.rewrite([Make.everyKind[2]])
        try second.append([Make.everyKind[3]])

        let records = [Make.everyKind[2], Make.everyKind[3]]
        #expect(try Make.parse(folder.bytes()).records == records)
        let counts = (second.totalCount, second.liveCount)
        #expect(counts == (2, 2))
    }

    @Test("An incomplete record of a dead writer is cut off before the next record")
    func torn() throws {
        let folder = try Folder()
        var file = try CredentialsFile(path: folder.file)
        try file.append([Make.everyKind[0]])
        try folder.append(Array(Make.everyKind[1].encoded().dropLast(3)))

        try file.append([Make.everyKind[2]])

        let read = try Make.parse(folder.bytes())
        #expect(read.records == [Make.everyKind[0], Make.everyKind[2]])
        #expect(!read.isDamaged)
    }

    @Test("A damaged file accepts no records until it is rewritten")
    func damaged() throws {
        let folder = try Folder()
        try folder.append([UInt8](repeating: 7, count: 100))
        var file = try CredentialsFile(path: folder.file)
        let isDamagedAtFirst = file.isDamaged
        var refused = false
        do { try file.append([Make.everyKind[0]]) } catch { refused = error == .damaged }

        try file.rewrite([Make.everyKind[0]])
        try file.append([Make.everyKind[1]])

        let isDamagedAfterwards = file.isDamaged
        #expect(isDamagedAtFirst && refused && !isDamagedAfterwards)
        #expect(try Make.parse(folder.bytes()).records == Array(Make.everyKind.prefix(2)))
    }

    @Test("An append that doesn't fit leaves the file unchanged")
    func full() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            var file = try CredentialsFile(path: folder.file)
            try file.append([Make.everyKind[0]])
            let before = try folder.bytes()
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: rlim_t(before.count + 30), rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(1), &limit)

            var failed = false
            do { try file.append(Array(Make.everyKind.dropFirst())) } catch { failed = true }

            let after = try folder.bytes()
            let isSound = failed && after == before && !file.isDamaged
            folder.remove()
            exit(isSound ? 0 : 1)
        }
    }

    @Test("Only its owner and the broker's group can read the file")
    func mode() throws {
        let folder = try Folder()
        _ = try CredentialsFile(path: folder.file)

        var status = stat()
        #expect(stat(folder.file, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    @Test("The turn of a silent writer is taken over, and that writer can write no more in it") func silent() throws {
        let folder = try Folder()
        var frozen = try CredentialsFile(path: folder.file)
        var other = try CredentialsFile(path: folder.file)
        try frozen.hold()

        other.hold(try CredentialsLock.take(of: folder.file, patience: 30))

        // The frozen writer may have committed changes to the store without writing them to the file.
        #expect(throws: CredentialsError.damaged) { try other.append([Make.everyKind[0]]) }
        try other.rewrite([Make.everyKind[1]])
        #expect(throws: CredentialsError.lostTurn) { try frozen.append([Make.everyKind[2]]) }
        #expect(throws: CredentialsError.lostTurn) { try frozen.rewrite([Make.everyKind[2]]) }
        let isDamaged = frozen.isDamaged
        #expect(isDamaged)
        #expect(try Make.parse(folder.bytes()).records == [Make.everyKind[1]])

        frozen.release()
        other.release()
        try frozen.rewrite([Make.everyKind[2]])
        try other.append([Make.everyKind[3]])
        #expect(try Make.parse(folder.bytes()).records == [Make.everyKind[2], Make.everyKind[3]])
    }

    @Test("Of two writers waiting for a silent one, one takes the turn and the other waits for it")

    func silentForTwo() async throws {
        let folder = try Folder()
        var frozen = try CredentialsFile(path: folder.file)
        try frozen.hold()
        let path = folder.file

        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let lock = try CredentialsLock.take(of: path, patience: 30)
                    if lock.isOwed { try lock.settle() }
                    return lock.isOwed
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(Set(taken) == [true, false])
        withExtendedLifetime(folder) {}
    }

    @Test("A promise remains until the file is written or the commit has failed")
    func promises() throws {
        let folder = try Folder()
        var file = try CredentialsFile(path: folder.file)
        func isOwed() throws -> Bool { try CredentialsLock.take(of: folder.file).isOwed }
        func hold() throws {
            let lock = try CredentialsLock.take(of: folder.file)
            try lock.promise()
            file.hold(lock)
        }

        try hold()
        try file.append([Make.everyKind[0]])
        file.release()
        #expect(try !isOwed())

        try hold()
        file.release(withdrawing: true)
        #expect(try !isOwed())

        // The writer makes a promise, but releases the file without writing, as if its process had been killed.
        try hold()
        file.release()
        #expect(try isOwed())
        #expect(try CredentialsLock.isPromised(of: folder.file))
        var other = try CredentialsFile(path: folder.file)
        let isDamaged = other.isDamaged
        #expect(isDamaged)

        // If a writer withdraws its own promise, an earlier promise that wasn't kept stays in force.
        try hold()
        file.release(withdrawing: true)
        #expect(try isOwed())

        try other.rewrite([Make.everyKind[1]])
        #expect(try !isOwed())
        try other.append([Make.everyKind[2]])
    }

    @Test("A writer that waits too long for its turn gets the error busy")
    func busy() throws {
        let folder = try Folder()
        var file = try CredentialsFile(path: folder.file)
        try file.hold()
        #expect(throws: CredentialsError.busy) { _ = try CredentialsLock.take(of: folder.file, longest: 30) }
        file.release()
        _ = try CredentialsLock.take(of: folder.file, longest: 30)
    }

    @Test("The turn of a writer that reports progress is not taken over")
    func slow() throws {
        let folder = try Folder()
        let lock = try CredentialsLock.take(of: folder.file)
        let path = folder.file
        let isTaken = Mutex<Bool?>(nil)
        let waiter = Thread {
            guard let lock = try? CredentialsLock.take(of: path, patience: 200) else { return }
            let taken = lock.isOwed
            isTaken.withLock { $0 = taken }
        }
        waiter.start()
        for _ in 0..<10 {
            usleep(50_000)
            try lock.keep()
        }
        #expect(isTaken.withLock(\.self) == nil)
    }
}

/// A folder for one test, removed when this object is released.
private final class Folder {
    let path: String
    var file: String { "\(path)/credentials" }

    init() throws {
        path = "\(P_tmpdir)/lamplighter-credentials-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(path, 0o700) == 0)
    }

    deinit { remove() }

    func remove() {
        for name in [
            "credentials", "credentials.lock", "credentials.new", "credentials.lock.replace",
            "credentials.lock.new",
        ] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    func bytes() throws -> [UInt8] {
        try Descriptor(file, O_RDONLY).read(from: 0, count: 1 << 20)
    }

    func append(_ bytes: [UInt8]) throws {
        try Descriptor(file, O_WRONLY | O_CREAT | O_APPEND, mode: 0o640).writeOnce(bytes)
    }
}
