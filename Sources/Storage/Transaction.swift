package import Domain
import Sodium

/// One transaction, with a property for each table or group of tables.
///
/// A transaction must not be used outside the closure to which `Store.batch` or `Store.read` passes it.
package struct Transaction {
    /// The database connection on which the transaction runs.
    package let sql: SQL
    /// The transaction's time, which is the beginning of 1970 if `Store.read` gets no time.
    package let now: Instant
    let key: ServerKey
    let sequence: SequenceSource
    let gate: GateChanges
    /// Whether this process updates the gate's file after the commit if the transaction changes credentials.
    var hasGateFile = true
    var writerCache: WriterCache?
    /// The locks that this transaction has taken, or nil if locks aren't recorded.
    let record: LockRecord?

    /// Facts about the installation as a whole.
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
    /// Subscriptions to the event log.
    package var eventSubscriptions: EventSubscriptionTable { EventSubscriptionTable(transaction: self) }
    /// Users' notifications and notification settings.
    package var notifications: NotificationTable { NotificationTable(transaction: self) }
    /// The addresses at which push services reach terminals.
    package var pushAddresses: PushAddressTable { PushAddressTable(transaction: self) }
    /// The bindings between users and devices.
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
    /// Commands, and the requests that wait for their results.
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
    /// The numbers of stored reports and recorded refusals in each ten-minute period of the last day.
    package var load: LoadTable { LoadTable(sql: sql) }
    /// The gate's refusals.
    package var refusals: RefusalTable { RefusalTable(transaction: self) }
    /// Codes with which users end their other sessions.
    package var logoutCodes: LogoutCodeTable { LogoutCodeTable(transaction: self) }
    /// The API keys of makers' servers.
    package var keys: KeyTable { KeyTable(transaction: self) }
    /// OAuth clients, and the tokens of linked services.
    package var oauth: OAuthTable { OAuthTable(transaction: self) }
    /// The devices that were announced to users' Home Assistants.
    package var homeAssistant: HomeAssistantTable { HomeAssistantTable(transaction: self) }
    /// Outgoing messages.
    package var outgoingMessages: OutgoingMessageTable { OutgoingMessageTable(transaction: self) }
    /// Records of outgoing messages.
    package var messageRecords: MessageRecordTable { MessageRecordTable(transaction: self) }
    /// The times when providers last worked and last failed.
    package var providerUses: ProviderUseTable { ProviderUseTable(transaction: self) }
    /// Links that were sent in messages.
    package var links: LinkTable { LinkTable(transaction: self) }
    /// Accounts that will be erased, or are being erased.
    package var cancellations: CancellationTable { CancellationTable(transaction: self) }
    /// Rows whose retention time is over.
    package var retention: RetentionTable { RetentionTable(transaction: self) }
    /// The audit trail.
    package var audit: AuditTable { AuditTable(transaction: self) }
    /// Schedules: commands that are sent at certain times.
    package var schedules: ScheduleTable { ScheduleTable(transaction: self) }
    /// The runs of schedules.
    package var runs: ScheduleRunTable { ScheduleRunTable(transaction: self) }
    /// The time zone data in use, and the schedules whose next occurrences must be computed again.
    package var replans: ReplanTable { ReplanTable(transaction: self) }
    /// The lanes' leases, used only if several processes share the work.
    package var leases: LeaseTable { LeaseTable(sql: sql) }
    /// Operators of the console and their credentials.
    package var operators: OperatorTable { OperatorTable(transaction: self) }
    /// The progress of a new installation.
    package var guide: GuideTable { GuideTable(transaction: self) }
    /// Counters of attempts, such as wrong passcodes.
    package var attempts: AttemptTable { AttemptTable(transaction: self) }

    /// Runs a part of the transaction, and undoes only this part after an error.
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

    /// The slot of this process among the processes that write to the database.
    package var slot: NodeSlot { sequence.slot }

    /// Registers an action to run after the commit, such as counting in a metric.
    ///
    /// Code in the transaction must not perform such an action directly. The transaction can be undone and run again.
    /// The action runs on the thread that commits. The action must not block or write to the store.
    package func afterCommit(_ action: @escaping () -> Void) {
        gate.afterCommit.append(action)
    }

    /// Hashes a short secret and its subject with the server's key.
    package func hash(_ secret: String, boundTo subject: String) -> [UInt8] { key.hash(secret, boundTo: subject) }
}

/// The access of one transaction to a table or a group of tables.
protocol TransactionTable {
    /// The transaction.
    var transaction: Transaction { get }
}

extension TransactionTable {
    /// The database connection on which the transaction runs.
    var sql: SQL { transaction.sql }
    /// The time of the transaction.
    var now: Instant { transaction.now }
}
