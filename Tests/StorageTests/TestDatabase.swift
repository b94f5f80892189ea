import Foundation
import PostgreSQL
import StoreTestKit
import TestKit

@testable import Storage

/// Checks of the files of a PostgreSQL database.
enum TestDatabase {
    /// Returns whether a text occurs in any file of a store's PostgreSQL database.
    static func holds(_ text: String, _ store: Store) throws -> Bool {
        guard let server = PostgresServer.shared else { return false }
        try TestStore.connection().execute("CHECKPOINT")
        let number = try store.read {
            try $0.sql.integer("SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database()")
        }
        let folder = "\(server.directory)/data/base/\(number ?? 0)"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
            let file = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            return file.range(of: Data(text.utf8)) != nil
        }
    }
}
