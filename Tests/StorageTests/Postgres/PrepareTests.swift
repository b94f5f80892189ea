import CPostgreSQL
import Domain
import Foundation
import StoreTestKit
import TestKit
import Testing

@testable import PostgreSQL
@testable import Storage

@Suite("Statements on PostgreSQL", .enabled(if: PostgresServer.isInstalled))
struct PrepareTests {
    /// The described tables, by the names of their row types.
    private static let tables: [String: DescribedTable] = [
        "AccountRow": .init(AccountRow.table), "AnnouncedDevice": .init(AnnouncedDevice.table),
        "AppRow": .init(AppRow.table),
        "AuditRow": .init(AuditRow.table), "AvatarRow": .init(AvatarRow.table),
        "Binding": .init(Binding.table), "CodeRow": .init(CodeRow.table),
        "CancellationTable.Entry": .init(CancellationTable.Entry.table),
        "Entry": .init(CancellationTable.Entry.table),
        "Command": .init(Command.table), "DeadLetter": .init(DeadLetter.table),
        "DeviceRecord": .init(DeviceRecord.table),
        "DispatchRequest": .init(DispatchRequest.table), "EventRow": .init(EventRow.table),
        "EventSubscription": .init(EventSubscription.table),
        "HistoryBufferRow": .init(HistoryBufferRow.table),
        "HistoryChunk": .init(HistoryChunk.table), "HistoryDayRow": .init(HistoryDayRow.table),
        "Home": .init(Home.table),
        "IdentityRow": .init(IdentityRow.table), "KeyRow": .init(KeyRow.table),
        "LinkRow": .init(LinkRow.table),
        "MessageRecordRow": .init(MessageRecordRow.table),
        "MessageRow": .init(MessageRow.table), "OutboxRow": .init(OutboxRow.table),
        "OAuthClient": .init(OAuthClient.table), "OAuthToken": .init(OAuthToken.table),
        "Domain.Notification": .init(Domain.Notification.table),
        "NotificationSettings": .init(NotificationSettings.table), "PushAddress": .init(PushAddress.table),
        "Operator": .init(Operator.table),
        "OperatorSessionRow": .init(OperatorSessionRow.table),
        "OperatorTokenRow": .init(OperatorTokenRow.table),
        "ProductRow": .init(ProductRow.table), "RequestRow": .init(RequestRow.table),
        "ScheduleRow": .init(ScheduleRow.table), "ScheduleRun": .init(ScheduleRun.table),
        "SessionRow": .init(SessionRow.table), "SharingRow": .init(SharingRow.table),
        "StatusRecord": .init(StatusRecord.table), "TicketRow": .init(TicketRow.table),
        "WaiterRow": .init(WaiterRow.table),
    ]

    /// The SQL statements that the code builds from lists of values.
    private static var listed: [String] {
        let logs = [EventTable.log.text, CommandTable.log.text]
        let rows: [ExpiringRows] = [
            .inbox, .attempt, .code, .ticket, .link, .scheduleRun, .session, .apiKey, .oauthToken, .notice, .logoutCode,
            .messageRecord, .notification, .hiddenNotification, .endedInvitation, .audit, .command, .invitation, .guest,
            .cancellation,
        ]
        let expiring = rows.flatMap { [$0.deletion(besideOthers: true), $0.counting] }
        let whole = StoredTable.all().flatMap { table in
            [table.page(isBehind: false), table.page(isBehind: true), table.last, table.insert]
        }
        return logs + expiring + whole + PersonalData.sections.map(\.query)
    }

    /// The ids of the PostgreSQL types that the service can read from a column.
    private static let readable: Set<UInt32> = [16, 17, 20, 21, 23, 25, 701]

    @Test("Each statement in the sources can be prepared, and its columns have types that are read") func all() throws {
        let folder = packageRoot.appending(path: "Sources/Storage")
        var all = try SourceStatements(folder, tables: Self.tables)
        #expect(all.unknown.isEmpty, "say in SourceStatements what these stand for")
        #expect(all.described.subtracting(Self.tables.keys).isEmpty, "add these rows")
        all.add(Self.listed + Self.tables.values.flatMap(\.statements))
        let connection = try TestStore.connection(TestStore.makeDatabase())

        for statement in all.statements.sorted() {
            do {
                let types = try prepare(statement, on: connection)
                #expect(types.allSatisfy(Self.readable.contains), "\(types): \(statement)")
            } catch {
                Issue.record("\(error): \(statement)")
            }
        }

        #expect(all.statements.count > 300)
    }

    /// Prepares a statement, and returns the types of its result columns.
    ///
    /// The service tells the server the types of the parameters. The test doesn't know these types. If the server can't
    /// infer a parameter's type, the function tries one type after another.
    private func prepare(
        _ statement: String,
        on connection: PostgresConnection,
        parameters: [UInt32] = []
    ) throws -> [UInt32] {
        do {
            return try connection.columnTypes(statement, parameters: parameters)
        } catch {
            guard let name = error.message.firstMatch(of: /type of parameter \$(\d+)/)?.1,
                let number = Int(name)
            else { throw error }
            let missing = max(0, number - parameters.count)
            for type in [PostgresType.text, .integer, .bytes] {
                var tried = parameters + [UInt32](repeating: 0, count: missing)
                tried[number - 1] = type.rawValue
                if let types = try? prepare(statement, on: connection, parameters: tried) { return types }
            }
            throw error
        }
    }
}

extension PostgresConnection {
    /// Returns the types of a statement's result columns without running the statement, by means of
    /// `PQdescribePrepared`.
    fileprivate func columnTypes(_ sql: String, parameters types: [UInt32]) throws(PostgresError) -> [UInt32] {
        _ = try check(PQprepare(handle, "", sql, Int32(types.count), types))
        let result = try check(PQdescribePrepared(handle, ""))
        return (0..<PQnfields(result.handle)).map { PQftype(result.handle, $0) }
    }
}
