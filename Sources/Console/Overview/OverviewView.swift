import Administration
import Domain
import JSON
import Service
import Storage
import Synchronization
import Web
import Workers

/// A summary of the installation's state, in the form of the schema's `Overview`.
final class OverviewView: Sendable {
    private struct Kept: Sendable {
        var findings: [JSONValue] = []
        var examinedAt: ContinuousClock.Instant?
        var isExamining = false
        var counts: JSONObject = [:]
        var countedAt: ContinuousClock.Instant?
        var countedFor: Duration = .zero
        var isCounting = false
        /// Whether this process has already found all steps of the guide done.
        var isGuideDone = false
    }

    private let context: ConsoleContext
    private let kept = Mutex(Kept())
    private let load = OverviewLoad()

    /// The age of the doctor's findings above which a new examination starts.
    private static let examinationMax: Duration = .seconds(30)
    /// The groups of checks that the doctor runs for the overview.
    ///
    /// Groups that connect to the broker or a listener are left out. Otherwise, the counts that the overview shows
    /// would include the connections of these checks.
    private static let groups = ["store", "secrets", "disk", "clock", "limits", "refusals", "backup"]
    /// How old the counts of devices may become before they are renewed, in multiples of the last count's duration.
    private static let countedFactor = 50
    /// If counting the devices took longer than this, the next count runs in the background.
    private static let countedQuickly: Duration = .milliseconds(20)
    /// The minimum age that the counts of devices reach before they are renewed.
    private static let countedMin: Duration = .seconds(1)
    private static let changesMax = 10

    init(_ context: ConsoleContext) { self.context = context }

    /// The operation that returns the overview.
    var operation: Operation {
        Operation("showOverview", "GET", "overview", role: .viewer) { _ in try self.json() }
    }

    /// Returns the overview with the doctor's last findings, without waiting for new ones.
    func json() throws -> JSONObject {
        examine()
        let now = context.now
        let day = now.adding(seconds: -WorkOperations.daySeconds)
        let counts = try deviceCounts()
        let waitingRows = try context.store.read { try $0.outbox.depths().values.reduce(0, +) }
        let facts = try context.store.read { tx in
            JSONObject(showing: [
                "users": try tx.accounts.count(),
                "commands": JSONObject(try tx.commands.openCounts().map { ($0.state, .integer($0.count)) }),
                "deadLettersToday": try tx.deadLetters.counts(since: day).map(\.count).reduce(0, +),
                "refusalsToday": try tx.refusals.counts(since: day).map(\.times).reduce(0, +),
                "changes": try tx.audit.page(limit: Self.changesMax).lines.map { AuditView.row($0.id, $0.entry) },
                "firstRun": try guide(in: tx),
            ])
        }
        let waiting = context.run.readiness.parts.compactMap { part in
            part.waitsFor.map { JSONObject(showing: ["part": part.name, "reason": $0]) }
        }
        let findings = kept.withLock(\.findings)
        let failing = findings.contains { $0.objectValue?["state"]?.stringValue == "fail" }
        let state = failing || !waiting.isEmpty ? "failing" : findings.isEmpty ? "ok" : "attention"
        let ages = context.run.metrics.readings("lamplighter_oldest_unanswered_seconds").map(\.value)
        let stored = context.environment.observations.storedReports
        let overview = JSONObject(showing: [
            "state": state, "needs": findings.count + waiting.count, "findings": findings,
            "notReady": waiting, "reportsPerSecond": load.perSecond(stored),
            "load": try load.day(in: context.store, until: now), "devices": counts,
            "oldestUnansweredSeconds": ages.max() ?? 0.0, "outbox": waitingRows,
            "demo": context.run.demo.map { JSONObject(showing: ["productKey": $0.productKey, "appId": $0.appID]) },
            "version": Version.text, "startedAt": context.service.startedAt, "at": now,
        ])
        return JSONObject(members: overview.members + facts.members)
    }

    /// Returns the device counts, and counts the devices again if the last counts are too old.
    ///
    /// If the last count was slow, the next count runs in the background, and this call returns the last counts.
    private func deviceCounts() throws -> JSONObject {
        let now = ContinuousClock.now
        let (known, isDue, isQuick) = kept.withLock { kept in
            let age = kept.countedAt.map { now - $0 }
            let isDue = age.map { $0 >= max(Self.countedMin, kept.countedFor * Self.countedFactor) }
            let mayCount = (isDue ?? true) && !kept.isCounting
            if mayCount { kept.isCounting = true }
            return (age == nil ? nil : kept.counts, mayCount, kept.countedFor <= Self.countedQuickly)
        }
        guard let known else { return try countDevices() }
        guard isDue else { return known }
        if isQuick { return try countDevices() }
        PlainThread.detach { _ = try? self.countDevices() }
        return known
    }

    private func countDevices() throws -> JSONObject {
        let began = ContinuousClock.now
        defer { kept.withLock { $0.isCounting = false } }
        let counts = try context.store.read { try $0.devices.counts(DeviceFilter()) }
        let shown = DeviceOperations.counts(counts)
        kept.withLock { kept in
            kept.counts = shown
            kept.countedAt = began
            kept.countedFor = .now - began
        }
        return shown
    }

    private func guide(in tx: Transaction) throws -> JSONObject {
        let names = ["product", "registered", "reported", "bound", "switched"]
        if kept.withLock(\.isGuideDone) { return JSONObject(names.map { ($0, true) }) }
        let done = try tx.guide.steps()
        if done.allSatisfy(\.self) { kept.withLock { $0.isGuideDone = true } }
        return JSONObject(zip(names, done).map { ($0, .bool($1)) })
    }

    /// If the doctor's last examination is too old, starts a new examination in the background.
    private func examine() {
        let now = ContinuousClock.now
        let isDue = kept.withLock { kept in
            guard !kept.isExamining, kept.examinedAt.map({ now - $0 > Self.examinationMax }) ?? true else {
                return false
            }
            kept.isExamining = true
            return true
        }
        guard isDue else { return }
        let (settings, directory) = (context.settings, context.run.directory)
        let doctor = Doctor(settings: settings, directory: directory, isQuick: true, store: context.store)
        PlainThread.detach {
            let findings = doctor.examineBlocking(Self.groups).filter { $0.state == .warn || $0.state == .fail }
            self.kept.withLock { kept in
                kept.findings = findings.map(\.jsonWithWords)
                kept.examinedAt = .now
                kept.isExamining = false
            }
        }
    }
}
