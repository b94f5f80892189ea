import Domain
import Foundation
import Sodium
import Storage
import StoreTestKit
import TestKit

/// Values that the tests of Storage share.
enum Make {
    static let key = ProductKey(trusted: String(repeating: "a", count: 32))
    static let did = DeviceID(trusted: "d-0000000000001")
    static let uid = UserID(trusted: "u-0000000000001")
    static let app = AppID(trusted: "demo")
    static let terminal = TerminalID(trusted: String(repeating: "f", count: 32))
    static let now = Instant(milliseconds: 1_700_000_000_000)

    static func at(_ seconds: Int64) -> Instant { now.adding(seconds: seconds) }

    static func message(_ topic: String = "t", _ payload: String = "p") -> OutboundMessage {
        OutboundMessage(topic, Array(payload.utf8))
    }

    static let product = Product(key: key, name: "Lamp", dataPoints: [DataPoint("level", .int)])
}

/// A store for one test, in a directory of its own.
struct World {
    let directory: TemporaryDirectory
    let store: Store

    init(_ directory: TemporaryDirectory? = nil, migrates: Bool = true) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        store = try TestStore.open(directory, migrates: migrates)
    }

    /// Adds a product, and one device of the product.
    func fill() throws {
        try store.arrange(at: Make.now) { (tx) throws in
            try tx.products.save(Make.product, secret: "product-secret")
            try tx.devices.create(Make.did, product: Make.key, mac: MAC(trusted: "0123456789ab"))
        }
    }

    /// Returns whether a text occurs anywhere in the store.
    ///
    /// With PostgreSQL, the function searches the database. With SQLite, it searches all files of the directory.
    func holds(_ text: String) throws -> Bool {
        if TestStore.isPostgres { return try TestDatabase.holds(text, store) }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return try names.contains { name in
            try Data(contentsOf: directory.url.appending(path: name)).range(of: Data(text.utf8)) != nil
        }
    }
}

extension Store {
    /// Runs a transaction that holds all locks, for tests that are about tables rather than locks.
    func arrange<Value>(at now: Instant, _ body: (Transaction) throws -> Value) throws -> Value {
        try batch(at: now) { tx in
            try tx.lockAll()
            return try body(tx)
        }
    }
}

/// The package's root folder.
let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
