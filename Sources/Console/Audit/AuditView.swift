import Domain
import JSON
import Storage
import Wire

/// Lines of the audit trail as the interface shows them.
enum AuditView {
    /// Returns a row (`AuditRow`), with the name of the device that it is about.
    static func named(
        _ id: Int64,
        _ entry: AuditEntry,
        in tx: Transaction
    ) throws -> JSONObject {
        var row = row(id, entry)
        let parts = (entry.subject ?? "").split(separator: " ", maxSplits: 1)
        if parts.count == 2, parts[0] == "device", let did = DeviceID(String(parts[1])) {
            row["subjectName"] = Shown.name(try tx.devices.names(of: [did])[did])
        }
        return row
    }

    /// Returns a row (`AuditRow`).
    static func row(_ id: Int64, _ entry: AuditEntry) -> JSONObject {
        let isAct = entry.kind == .operatorAct
        return [
            "id": .integer(id), "at": Shown.moment(entry.at),
            "kind": .string(entry.kind.rawValue),
            "act": isAct ? entry.detail.map { .string($0) } : nil,
            "subject": entry.subject.map { .string($0) },
            "actor": EventCodec.encode(entry.actor, for: nil),
            "uid": entry.uid.map { .string($0.text) },
            "appId": entry.app.map { .string($0.text) },
            "terminalId": entry.terminal.map { .string($0.text) },
            "detail": isAct ? nil : entry.detail.map { .string($0) }, "before": entry.before,
            "after": entry.after,
        ]
    }
}
