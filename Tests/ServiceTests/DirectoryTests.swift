import Files
import Foundation
import Problems
import Storage
import Testing

@testable import Service

@Suite struct DirectoryTests {
    @Test("Only the owner can read a new directory and its secrets")
    func modes() throws {
        let folder = try TemporaryFolder()

        let directory = try DataDirectory.prepare(folder.path + "/d")
        let secrets = try ServiceSecrets(directory)

        #expect(directory.isNew)
        #expect(TextFile.mode(directory.path) == 0o700)
        #expect(TextFile.mode(directory.serviceSecret) == 0o600)
        #expect(TextFile.mode(directory.toolsSecret) == 0o600)
        #expect(secrets.service.count == 43)
        #expect(secrets.service != secrets.tools)
    }

    @Test("Only the owner can read the database, even if others may enter the directory") func databaseModes() throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory.prepare(folder.path)
        let files = ["", "-wal", "-shm"].map { directory.database + $0 }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        do {
            let store = try StoreAccess.service(directory, .file)
            #expect(files.map(TextFile.mode) == [0o600, 0o600, 0o600])
            withExtendedLifetime(store) {}
        }
        // An older version of the service left the database with this mode.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: directory.database)

        let store = try StoreAccess.service(directory, .file)

        #expect(files.map(TextFile.mode) == [0o600, 0o600, 0o600])
        withExtendedLifetime(store) {}
    }

    @Test("A second start finds the same secrets")
    func again() throws {
        let folder = try TemporaryFolder()
        let first = try ServiceSecrets(DataDirectory.prepare(folder.path + "/d"))

        let directory = try DataDirectory.prepare(folder.path + "/d")

        #expect(!directory.isNew)
        #expect(try ServiceSecrets(directory).service == first.service)
    }

    @Test("Two data directories with the same service secret have the same tools secret")
    func shared() throws {
        let folder = try TemporaryFolder()
        let first = try ServiceSecrets(DataDirectory.prepare(folder.path + "/a"))
        let file = folder.path + "/a/service.secret"

        let second = try ServiceSecrets(DataDirectory.prepare(folder.path + "/b"), serviceFile: file)

        #expect(second.tools == first.tools && second.console == first.console)
        #expect(first.tools != first.service)
    }

    @Test("A secret that others can read is refused")
    func openSecret() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("secret\n", as: "s")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)

        let problem = #expect(throws: Problem.self) { try SecretFile.read(path) }

        #expect(problem?.code == .secretUnreadable)
        #expect(problem?.why.contains("0644") == true)
    }

    @Test("A file in place of the directory causes one clear error")
    func notADirectory() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", as: "d")

        let problem = #expect(throws: Problem.self) { try DataDirectory.prepare(path) }

        #expect(problem?.code == .dataDirectoryUnusable)
        #expect(problem?.place == path)
    }

    @Test("A file that isn't a database in the database's place is reported as such") func notADatabase() throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory.prepare(folder.path)
        _ = try folder.write("hello", as: "lamplighter.db")

        let problem = #expect(throws: Problem.self) { try StoreAccess.tool(directory, .file) }

        #expect(problem?.code == .databaseFailed)
        #expect(problem?.place == directory.database)
        #expect(TextFile.read(directory.database) == "hello")
        #expect(!TextFile.exists(directory.serverKey))
    }

    @Test("A second service in the directory is refused with the first one's process id")
    func lock() throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory.prepare(folder.path + "/d")
        let first = try DirectoryLock(directory)

        let problem = #expect(throws: Problem.self) { try DirectoryLock(directory) }

        #expect(problem?.code == .dataDirectoryInUse)
        #expect(problem?.message.contains("\(getpid())") == true)
        #expect(DirectoryLock.holder(of: directory) == getpid())
        withExtendedLifetime(first) {}
    }

    @Test("A lock is free once its holder has ended")
    func unlock() throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory.prepare(folder.path + "/d")
        _ = try DirectoryLock(directory)

        #expect(DirectoryLock.holder(of: directory) == nil)
        #expect(throws: Never.self) { try DirectoryLock(directory) }
    }

    @Test("A command for a directory without data says how to create one")
    func missing() throws {
        let folder = try TemporaryFolder()

        let problem = #expect(throws: Problem.self) { try DataDirectory.existing(folder.path, holdsStore: true) }

        #expect(problem?.code == .dataMissing)
        #expect(problem?.cures.first?.command.contains("lamplighter up") == true)
    }

    @Test("The demo's keys are created once")
    func demo() throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory.prepare(folder.path + "/d")

        let keys = try DemoKeys.readOrMake(directory)

        #expect(try DemoKeys.readOrMake(directory) == keys)
        #expect(TextFile.mode(directory.demo) == 0o600)
        #expect(keys.productKey.count == 32)
    }
}
