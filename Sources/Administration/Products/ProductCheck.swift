import Domain
import JSON
import Service
import Storage

/// A check of what would change, and what would break, if a product's document were imported.
enum ProductCheck {
    /// Returns the result of the check (`DocumentCheck`) without changing anything.
    static func check(_ document: JSONObject, in tx: Transaction) throws -> JSONObject {
        let key = document["productKey"]?.stringValue.flatMap { ProductKey($0) }
        let before = try key.flatMap { try tx.products.find($0) }
        var problems: [JSONValue] = []
        var after: Product?
        do throws(Rejection) {
            after = try Import.checked(product: document)
        } catch {
            problems = Self.problems(error)
        }
        var (changes, breaks): ([JSONValue], [JSONValue]) = ([], [])
        if let after {
            changes = DocumentChanges.between(before.map(ProductCodec.encode) ?? [:], ProductCodec.encode(after))
            if let before {
                let counts = try tx.products.pointCounts(before.key)
                breaks = broken(from: before, to: after, counts)
            }
        }
        return JSONObject(showing: ["isNew": before == nil, "problems": problems, "changes": changes, "breaks": breaks])
    }

    /// Returns all faults for which a document is refused.
    static func problems(_ rejection: Rejection) -> [JSONValue] {
        ([rejection] + rejection.others).map { JSONObject(showing: ["field": $0.field, "message": $0.message]).shown }
    }

    private static func broken(from old: Product, to new: Product, _ counts: [String: Int64]) -> [JSONValue] {
        func row(_ path: String, _ why: String, devices: Int64?) -> JSONValue {
            JSONObject(showing: ["path": path, "why": why, "devices": devices]).shown
        }
        let narrowed = Set(ProductRules.narrowed(from: old, to: new))
        let points = old.dataPoints.compactMap { point -> JSONValue? in
            let path = "dataPoints.\(point.name)"
            let devices = counts[point.name] ?? 0
            guard let next = new.point(point.name) else {
                return new.isFreeForm ? nil : row(path, "pointRemoved", devices: devices)
            }
            if next.kind != point.kind { return row(path, "kindChanged", devices: devices) }
            if next.access == .writeOnly, point.access != .writeOnly {
                return row(path, "pointHidden", devices: devices)
            }
            if next.access == .readOnly, point.access != .readOnly { return row(path, "readOnly", devices: devices) }
            if point.kind == .enum, !Set(point.values).isSubset(of: next.values) {
                return row(path, "wordsRemoved", devices: devices)
            }
            return narrowed.contains(point.name) ? row(path, "rangeNarrowed", devices: devices) : nil
        }
        let conditions = [ConditionKind.alert, .fault].flatMap { kind in
            (kind == .alert ? old.alerts : old.faults)
                .filter { ProductRules.isLost(kind, $0, from: old, to: new) }
                .map { row("\(kind.field).\($0)", "conditionRemoved", devices: nil) }
        }
        return points + conditions
    }
}

/// The comparison of two documents, member by member.
enum DocumentChanges {
    /// Returns the differences between two documents.
    ///
    /// If a list consists of objects with names, each object is compared with the object of the same name.
    static func between(_ before: JSONObject, _ after: JSONObject, path: String = "") -> [JSONValue] {
        var names = before.members.map(\.key)
        names += after.members.map(\.key).filter { before[$0] == nil }
        return names.flatMap { name in between(before[name], after[name], path: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    private static func between(_ before: JSONValue?, _ after: JSONValue?, path: String) -> [JSONValue] {
        guard before != after else { return [] }
        if let before = before?.objectValue, let after = after?.objectValue {
            return between(before, after, path: path)
        }
        if let before = named(before), let after = named(after) {
            return between(before, after, path: path)
        }
        return [JSONObject(showing: ["path": path, "before": before, "after": after]).shown]
    }

    private static func named(_ value: JSONValue?) -> JSONObject? {
        guard let list = value?.arrayValue, !list.isEmpty else { return nil }
        var members: [JSONObject.Member] = []
        for item in list {
            guard let name = item.objectValue?["name"]?.stringValue else { return nil }
            members.append(.init(key: name, value: item))
        }
        return JSONObject(members: members)
    }
}
