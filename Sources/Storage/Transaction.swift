package import Domain
import Sodium

/// One transaction, with a property for each table or group of tables.
///
/// It lives inside the closure that `Store.batch` or `Store.read` runs, and nowhere else.
package struct Transaction {
    /// The engine.
    package let sql: SQL
    /// The moment of the transaction, the same for everything in it.
    ///
    /// In `Store.read` it is 1970 by default.
    package let now: Instant
    let key: ServerKey
    let sequence: SequenceSource
    let gate: GateChanges
    /// Whether the changes are written to the gate's file after the commit.
    var hasGateFile = true
    var writerCache: WriterCache?
    /// The locks of this transaction; nil if none are recorded.
    let record: LockRecord?

    /// Installation-wide facts.
    package var meta: MetaTable { MetaTable(sql: sql, cache: writerCache) }
    /// Products and their listed MACs.
    package var products: ProductTable { ProductTable(transaction: self) }
    /// Apps.
    package var apps: AppTable { AppTable(transaction: self) }
    /// Service principals.
    package var services: ServiceTable { ServiceTable(transaction: self) }
    /// Devices and their identities.
    package var devices: DeviceTable { DeviceTable(transaction: self) }
    /// The current statuses of devices.
    package var statuses: StatusTable { StatusTable(transaction: self) }
    /// The history of devices' reports.
    package var history: HistoryTable { HistoryTable(transaction: self) }
    /// The events of devices.
    package var events: EventTable { EventTable(transaction: self) }
    /// The event log.
    package var eventLog: EventLogTable { EventLogTable(transaction: self) }
    /// Readers of the event log.
    package var eventSubscriptions: EventSubscriptionTable { EventSubscriptionTable(transaction: self) }
    /// The bindings of users and devices.
    package var bindings: BindingTable { BindingTable(transaction: self) }
    /// Invitations to devices.
    package var sharings: SharingTable { SharingTable(transaction: self) }
    /// Users' homes and the devices in them.
    package var homes: HomeTable { HomeTable(transaction: self) }
    /// Users.
    package var accounts: AccountTable { AccountTable(transaction: self) }
    /// The transfer of an anonymous user's possessions to an account.
    package var adoptions: AdoptionTable { AdoptionTable(transaction: self) }
    /// Users' identities at providers.
    package var identities: IdentityTable { IdentityTable(transaction: self) }
    /// Sent codes, and the tickets issued for some of them.
    package var codes: CodeTable { CodeTable(transaction: self) }
    /// Users' pictures.
    package var avatars: AvatarTable { AvatarTable(transaction: self) }
    /// Sessions and the terminals that they are on.
    package var sessions: SessionTable { SessionTable(transaction: self) }
    /// Commands and their waiters.
    package var commands: CommandTable { CommandTable(transaction: self) }
    /// The ids of reports that took effect.
    package var inbox: InboxTable { InboxTable(transaction: self) }
    /// The ids of requests that took effect, with their answers.
    package var requests: RequestTable { RequestTable(transaction: self) }
    /// Messages to be published.
    package var outbox: OutboxTable { OutboxTable(transaction: self) }
    /// Retained statuses to publish again.
    package var refreshes: RefreshTable { RefreshTable(transaction: self) }
    /// Dead letters.
    package var deadLetters: DeadLetterTable { DeadLetterTable(transaction: self) }
    /// The numbers of stored reports and kept refusals in each ten minutes of the last day.
    package var load: LoadTable { LoadTable(sql: sql) }
    /// The gate's refusals.
    package var refusals: RefusalTable { RefusalTable(transaction: self) }
    /// Codes with which users end their other sessions.
    package var logoutCodes: LogoutCodeTable { LogoutCodeTable(transaction: self) }
    /// The API keys of makers' servers.
    package var keys: KeyTable { KeyTable(transaction: self) }
    /// Outgoing messages.
    package var outgoingMessages: OutgoingMessageTable { OutgoingMessageTable(transaction: self) }
    /// Records of outgoing messages.
    package var messageRecords: MessageRecordTable { MessageRecordTable(transaction: self) }
    /// When providers last worked and last failed.
    package var providerUses: ProviderUseTable { ProviderUseTable(transaction: self) }
    /// Links in messages.
    package var links: LinkTable { LinkTable(transaction: self) }
    /// Accounts that will be erased, or are being erased.
    package var cancellations: CancellationTable { CancellationTable(transaction: self) }
    /// Rows past their retention.
    package var retention: RetentionTable { RetentionTable(transaction: self) }
    /// The audit trail.
    package var audit: AuditTable { AuditTable(transaction: self) }
    /// Schedules: commands that are sent at certain times.
    package var schedules: ScheduleTable { ScheduleTable(transaction: self) }
    /// The runs of schedules.
    package var runs: ScheduleRunTable { ScheduleRunTable(transaction: self) }
    /// Zone data, and the schedules to plan again.
    package var replans: ReplanTable { ReplanTable(transaction: self) }
    /// The leases of lanes, if several processes share the work.
    package var leases: LeaseTable { LeaseTable(sql: sql) }
    /// Operators of the console and their credentials.
    package var operators: OperatorTable { OperatorTable(transaction: self) }
    /// The progress of a new installation.
    package var guide: GuideTable { GuideTable(transaction: self) }
    /// Counters of tries.
    package var attempts: AttemptTable { AttemptTable(transaction: self) }

    /// Runs a piece of work so that its failure undoes that piece alone.
    package func isolated<Value>(_ body: () throws -> Value) throws -> Value {
        let before = gate.records.count
        let ledger = record?.ledger
        do {
            return try sql.savepoint(body)
        } catch {
            gate.records.removeSubrange(before...)
            if let ledger { record?.restore(ledger) }
            writerCache?.clear()
            throw error
        }
    }

    /// This process's slot among those that write to the database.
    package var slot: NodeSlot { sequence.slot }

    /// Runs an action after the commit, such as counting in a metric, because the transaction itself can be undone and
    /// run again.
    ///
    /// The action runs on the committing thread, and must not block or write.
    package func afterCommit(_ action: @escaping () -> Void) {
        gate.afterCommit.append(action)
    }

    /// Hashes a short secret with the server's key, bound to its subject.
    package func hash(_ secret: String, boundTo subject: String) -> [UInt8] { key.hash(secret, boundTo: subject) }
}

/// The access of one transaction to a table or a group of tables.
protocol TransactionTable {
    /// The transaction.
    var transaction: Transaction { get }
}

extension TransactionTable {
    /// The engine.
    var sql: SQL { transaction.sql }
}
