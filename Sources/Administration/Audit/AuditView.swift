package import Domain
package import JSON
package import Storage
import Wire

/// The JSON form of the audit trail's lines in the console's interface.
package enum AuditView {
    /// Returns lines as rows (`AuditRow`), each with the name of the device that the line concerns.
    package static func rows(_ lines: [(id: Int64, entry: AuditEntry)], in tx: Transaction) throws -> [JSONObject] {
        let names = try tx.devices.names(of: lines.compactMap { device(of: $0.entry) })
        return lines.map { line in
            var row = row(line.id, line.entry)
            row["subjectName"] = Shown.name(device(of: line.entry).flatMap { names[$0] })
            return row
        }
    }

    private static func device(of entry: AuditEntry) -> DeviceID? {
        let parts = (entry.subject ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0] == "device" else { return nil }
        return DeviceID(String(parts[1]))
    }

    /// Returns a line as a row (`AuditRow`).
    package static func row(_ id: Int64, _ entry: AuditEntry) -> JSONObject {
        let isAct = entry.kind == .operatorAct
        return JSONObject(showing: [
            "id": id, "at": entry.at, "kind": entry.kind.rawValue, "act": isAct ? entry.detail : nil,
            "subject": entry.subject, "actor": entry.actor, "uid": entry.uid, "appId": entry.app,
            "terminalId": entry.terminal, "detail": isAct ? nil : entry.detail, "before": entry.before,
            "after": entry.after,
        ])
    }
}
