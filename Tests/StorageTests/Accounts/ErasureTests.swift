import Domain
import Foundation
import JSON
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("Erased users")
struct ErasureTests {
    /// Returns a user's personal details, as words that no other user's details contain.
    private func words(_ number: Int) -> [String] {
        let mark = String(1000 + number)
        return ["mail", "name", "nick", "remark", "subject", "detail"].map { "\($0)-of-\(mark)." }
    }

    private func user(_ number: Int) -> User {
        let words = words(number)
        var user = User(
            uid: UserID(trusted: "u-\(number)"),
            app: Make.app,
            region: "r",
            countryCode: "49",
            nickname: words[2] + String(repeating: "n", count: number % 60),
            isAnonymous: false,
            createdAt: Make.now
        )
        user.username = words[1]
        user.email = EmailAddress("\(words[0])x@example.com")
        user.emailClaim = .verified
        user.profile.texts["remark"] = words[3]
        return user
    }

    private func insert(_ number: Int, _ world: World) throws {
        let user = user(number)
        let words = words(number)
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.accounts.insert(user, deviceID: nil)
            try tx.identities.save("wechat", words[4], of: user, accessToken: nil)
            try tx.audit.add(
                AuditEntry(
                    kind: .codeSent,
                    uid: user.uid,
                    app: user.app,
                    actor: Actor(.user, user.uid.text),
                    detail: words[5]
                )
            )
        }
    }

    /// Returns the given words that occur in any file of the store.
    private func found(_ words: [String], _ world: World) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: world.directory.path)
        let files = try names.map { try Data(contentsOf: world.directory.url.appending(path: $0)) }
        return words.filter { word in
            files.contains { $0.range(of: Data(word.utf8)) != nil }
        }
    }

    @Test("Nothing about an erased user remains in any file", .onlyOnFile)
    func residue() throws {
        let world = try World()
        let count = 300
        for number in 0..<count { try insert(number, world) }
        // SQLite moves a row when the row grows, or when rows next to it are deleted. The row's old bytes can then stay
        // in the file.
        for number in stride(from: 0, to: count, by: 3) {
            var user = user(number)
            user.profile.texts["remark"] = words(number)[3] + String(repeating: "r", count: 240)
            try world.store.arrange(at: Make.now) { (tx) throws in try tx.accounts.save(user) }
        }
        let gone = Array(stride(from: 1, to: count, by: 5))
        #expect(try found(gone.flatMap(words), world).count == gone.count * 6)
        for number in gone {
            try world.store.arrange(at: Make.now) { (tx) throws in
                try tx.cancellations.deleteAccount(UserID(trusted: "u-\(number)"))
            }
        }
        #expect(try world.store.vacuumErased())
        #expect(try found(gone.flatMap(words), world) == [])
        #expect(try found(words(2), world).count == 6)
    }
}
