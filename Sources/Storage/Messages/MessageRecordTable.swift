package import Domain

/// The table that shows operators the outgoing messages, with masked addresses and without content.
package struct MessageRecordTable: TransactionTable {
    let transaction: Transaction

    /// The position directly after a message in the list, which begins with the newest.
    package struct Place: Sendable, Equatable {
        /// When the message was created.
        package var createdAt: Instant
        /// The message's id.
        package var id: String

        /// The beginning of the list.
        package static let begin = Place(createdAt: Instant(milliseconds: .max), id: "")

        /// Creates a position in the list.
        package init(createdAt: Instant, id: String) {
            (self.createdAt, self.id) = (createdAt, id)
        }
    }

    /// Stores a message's record with the full address's hash, for finding a user's records.
    package func add(_ message: OutgoingMessage, _ record: MessageRecord) throws {
        let hash = addressHash(message.fullAddress, of: message.app)
        try sql.run(MessageRecordRow.table.upsert, MessageRecordRow(record, addressHash: hash))
    }

    /// Returns a message's record, or nil if it doesn't exist.
    package func find(_ id: MessageID) throws -> MessageRecord? { try sql.find(MessageRecordRow.table, id)?.record }

    /// Returns a page of records after a position in the list, the newest message first.
    package func page(behind place: Place, limit: Int) throws -> [MessageRecord] {
        try sql.rows(
            of: MessageRecordRow.table,
            """
            WHERE (createdAt, messageId) < ($1, $2) ORDER BY createdAt DESC, messageId DESC LIMIT $3
            """,
            place.createdAt,
            place.id,
            limit
        ).map(\.record)
    }

    /// Returns the records of messages to a user's current addresses, the oldest first.
    func records(of user: User) throws -> [MessageRecord] {
        try user.messageAddresses.flatMap { address in
            try sql.rows(of: MessageRecordRow.table, "WHERE addressHash = $1", addressHash(address, of: user.app)).map(
                \.record
            )
        }.sorted { ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text) }
    }

    /// Deletes the records of messages to a user's current addresses.
    func forget(_ user: User) throws {
        try sql.run("DELETE FROM messageRecord WHERE addressHash = $1", each: user.messageAddresses) {
            addressHash($0, of: user.app)
        }
    }

    private func addressHash(_ address: String, of app: AppID) -> [UInt8] {
        transaction.hash("\(app.text) \(address)", boundTo: "messageRecord")
    }
}

/// A message's record, with the hash of the message's address.
struct MessageRecordRow: TableRow {
    var record: MessageRecord
    var addressHash: [UInt8]

    init(_ record: MessageRecord, addressHash: [UInt8]) {
        (self.record, self.addressHash) = (record, addressHash)
    }

    static let table = Table<MessageRecordRow>("messageRecord")

    static func map(_ column: inout ColumnMapper<MessageRecordRow>) -> MessageRecordRow {
        let id = column("messageId", \.record.id, as: .key)
        let channel = column("channel", \.record.channel)
        let address = column("address", \.record.address)
        let addressHash = column("addressHash", \.addressHash)
        return MessageRecordRow(
            MessageRecord(
                id: id,
                channel: channel,
                address: address,
                template: column("template", \.record.template),
                app: column("appId", \.record.app),
                provider: column("provider", \.record.provider),
                state: column("state", \.record.state),
                tries: column("tries", \.record.tries),
                error: column("error", \.record.error),
                createdAt: column("createdAt", \.record.createdAt),
                endedAt: column("endedAt", \.record.endedAt)
            ),
            addressHash: addressHash
        )
    }
}

extension User {
    /// The user's addresses for messages, including addresses that aren't verified yet.
    var messageAddresses: [String] {
        Set([email?.text, pendingEmail?.text, phone?.text, pendingPhone?.text].compactMap(\.self)).sorted()
    }
}
