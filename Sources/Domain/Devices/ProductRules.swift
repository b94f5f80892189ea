package import JSON

/// The values of a device's attributes, by the attributes' names.
package typealias AttributeValues = JSONObject

/// The rules for the values of a product's attributes, and for changes of a product.
///
/// The documentation describes these rules (reference: products#data-points).
package enum ProductRules {
    /// Checks the values that a device reports, and returns nil if all are valid.
    package static func check(reported data: JSONObject, product: Product, path: String = "data") -> Rejection? {
        check(data, product: product, path: path) { point in
            point.access == .writeOnly ? "is write-only and can't be reported" : nil
        }
    }

    /// Checks the values that an app sets, and returns nil if all are valid.
    package static func check(written data: JSONObject, product: Product, path: String = "params.data") -> Rejection? {
        if product.isFreeForm, data.members.count > FreeForm.attributesMax {
            return .invalid(path, "A device has at most \(FreeForm.attributesMax) attributes.")
        }
        return check(data, product: product, path: path) { point in
            point.access == .readOnly ? "is read-only and can't be set" : nil
        }
    }

    /// Refuses binary data if the product isn't free-form, because binary data can't be checked.
    package static func refuseBinary(_ product: Product, _ field: String) -> Rejection? {
        guard !product.isFreeForm else { return nil }
        return .invalid(field, "The product has data points: its devices exchange values (data), not binary.")
    }

    private static func check(
        _ data: JSONObject,
        product: Product,
        path: String,
        access: (DataPoint) -> String?
    ) -> Rejection? {
        for member in data.members {
            if case .null = member.value { continue }
            let problem: String?
            if product.isFreeForm {
                problem = FreeForm.problem(withName: member.key)
            } else if let point = product.point(member.key) {
                problem = access(point) ?? point.problem(with: member.value)
            } else {
                problem = "is not a data point of this product"
            }
            guard let problem else { continue }
            // A long name is shortened. Otherwise, the message could become too long, and its end, which names the
            // problem, would be cut off.
            let name = Rejection.shown(member.key, upTo: FreeForm.nameBytesMax)
            return .invalid("\(path).\(name)", "\(name) \(problem).")
        }
        return nil
    }

    /// Returns data to be shown, in which the values of write-only data points are masked.
    package static func masked(_ data: JSONObject, product: Product?) -> JSONObject {
        guard let product, product.dataPoints.contains(where: { $0.access == .writeOnly }) else { return data }
        return JSONObject(
            members: data.members.map { member in
                guard product.point(member.key)?.access == .writeOnly else { return member }
                return .init(key: member.key, value: .string("***"))
            }
        )
    }

    /// Restores a write-only point's stored value if a client sent back its mask `"***"`.
    package static func unmasked(_ data: AttributeValues, stored: AttributeValues, product: Product?) -> AttributeValues
    {
        let masked = masked(stored, product: product)
        return JSONObject(
            members: data.members.map { member in
                guard member.value == "***", masked[member.key] == "***", let value = stored[member.key] else {
                    return member
                }
                return .init(key: member.key, value: value)
            }
        )
    }

    /// Returns the data points whose stored values can be invalid in the new version.
    package static func narrowed(from old: Product, to new: Product) -> [String] {
        guard !new.isFreeForm else { return [] }
        return old.dataPoints.filter { point in
            guard let next = new.point(point.name) else { return true }
            return next.kind != point.kind || isNarrower(next, than: point)
        }.map(\.name)
    }

    /// Returns whether a product's old version declares a condition that the new version doesn't declare.
    ///
    /// With the new version, devices can still clear the condition if it is open, but can't raise it again.
    package static func isLost(_ kind: ConditionKind, _ name: String, from old: Product, to new: Product) -> Bool {
        old.declares(kind, name) && !new.declares(kind, name)
    }

    private static func isNarrower(_ next: DataPoint, than old: DataPoint) -> Bool {
        (next.min ?? -.infinity) > (old.min ?? -.infinity) || (next.max ?? .infinity) < (old.max ?? .infinity)
            || (next.maxLength ?? .max) < (old.maxLength ?? .max) || (next.step != nil && next.step != old.step)
            || !Set(old.values).isSubset(of: next.values) || (next.access == .writeOnly && old.access != .writeOnly)
    }
}
