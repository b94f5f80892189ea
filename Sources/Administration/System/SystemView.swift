import Backups
import Certificates
import Domain
import Files
package import JSON
import Service
import ServiceSettings
import Storage
import Web
import Workers

/// The JSON form of facts about the installation in the console's interface.
package enum SystemView {
    /// Returns the figures that the console's system page keeps up to date (`SystemGlance`).
    package static func glance(_ service: RunningService) throws -> JSONObject {
        JSONObject(showing: ["workers": workers(service), "store": try store(service)])
    }

    /// Returns the parts of this process, and figures about the workers (`Workers`).
    static func workers(_ service: RunningService) -> JSONObject {
        let run = service.run
        let (metrics, parts) = (run.metrics, run.readiness.parts)
        let lanes = { (name: String, worker: WorkerName) in
            metrics.readings(name).filter { WorkerSeries.isOf(worker, $0.labels) }
        }
        let total = { (name: String, worker: WorkerName) -> Int64? in
            let found = lanes(name, worker)
            return found.isEmpty ? nil : Int64(found.map(\.value).reduce(0, +))
        }
        let mean = { (name: String, worker: WorkerName) -> Double? in
            let lanes = lanes(name, worker)
            let count = lanes.map(\.count).reduce(0, +)
            return count > 0 ? lanes.map(\.value).reduce(0, +) / Double(count) : nil
        }
        let rows = run.settings.workers.map { worker in
            // In a process that divides the work among lanes, the part `worker cluster` represents all workers.
            let part = parts.first { ["worker \(worker.rawValue)", "worker cluster"].contains($0.name) }
            return JSONObject(showing: [
                "name": worker.rawValue, "isReady": part?.waitsFor == nil,
                "batchSize": mean("lamplighter_batch_size", worker),
                "commitMs": mean("lamplighter_commit_seconds", worker).map { $0 * 1000 },
                "unconfirmed": total("lamplighter_window_used", worker),
                "received": total("lamplighter_messages_received_total", worker),
            ])
        }
        let partRows = parts.map {
            JSONObject(showing: ["name": $0.name, "isReady": $0.waitsFor == nil, "reason": $0.waitsFor])
        }
        return JSONObject(showing: [
            "parts": partRows, "workers": rows, "gateLagSeconds": service.environment.store.gateLag / .seconds(1),
        ])
    }

    /// Returns facts about the store's size (`StoreFacts`).
    static func store(_ service: RunningService) throws -> JSONObject {
        let (run, store) = (service.run, service.environment.store)
        let path = store.path
        let rows = try store.read { tx in
            JSONObject(showing: [
                "device": try tx.devices.count(), "account": try tx.accounts.count(),
                "session": try tx.sessions.liveCount(), "deadLetter": try tx.deadLetters.count(),
                "attempt": try tx.attempts.count(), "delivery": try tx.outgoingMessages.count(),
            ])
        }
        let isLow = run.readiness.parts.contains { $0.name == "disk" && $0.waitsFor != nil }
        return JSONObject(showing: [
            "engine": path.isEmpty ? "PostgreSQL" : "SQLite", "bytes": TextFile.size(path) ?? 0,
            "logBytes": TextFile.size(path + "-wal") ?? 0, "isDiskLow": isLow, "rows": rows,
        ])
    }
}

extension SystemView {
    /// Returns the server's certificate and the authorities that sign devices' certificates (`CertificateList`).
    static func certificates(_ run: RunContext, at now: Instant) -> JSONObject {
        guard let tls = run.tls else { return Shown.page([]) }
        let concerns = tls.concerns(at: now)
        func row(_ use: String, _ facts: CertificateFacts, path: String) -> JSONObject {
            JSONObject(showing: [
                "use": use, "path": path, "names": facts.names, "from": facts.begin, "until": facts.end,
                "concerns": concerns.filter { $0.path == path }.map(\.text.json),
            ])
        }
        let server = row("server", tls.certificate, path: tls.files.certificate)
        return Shown.page([server] + tls.authorities.map { row("authority", $0, path: tls.files.authority) })
    }

    /// Returns the newest backup, and the settings for automatic backups (`Backups`).
    static func backups(_ context: OperationContext) -> JSONObject {
        let note = BackupNote(of: context.directory)
        let settings = context.settings
        return JSONObject(showing: [
            "directory": settings.backupDirectory,
            "everySeconds": settings.backupDirectory == nil ? nil : settings.backupSeconds, "lastAt": note?.madeAt,
            "lastPath": note?.path, "lastBytes": note.flatMap { TextFile.size($0.path) },
        ])
    }
}

/// The time series of a worker's metrics.
///
/// A metric has one series for the whole worker, or one series for each of the worker's lanes.
enum WorkerSeries {
    /// Returns whether a series belongs to a worker; `labels` are the series' labels on the metrics page.
    static func isOf(_ worker: WorkerName, _ labels: String) -> Bool {
        ["\"", "."].contains { labels.contains("worker=\"\(worker.rawValue)\($0)") }
    }
}
