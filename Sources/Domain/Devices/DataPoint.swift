package import JSON

/// An attribute that a product declares, with its access and its valid values.
package struct DataPoint: Sendable, Equatable {
    /// The access to a data point.
    package enum Access: String, Sendable, CaseIterable {
        /// Apps set the attribute, and the device reports it.
        case readWrite = "rw"
        /// The device reports the attribute, and apps can't set it.
        case readOnly = "ro"
        /// Apps set the attribute, but its value is never reported or shown. An example is a lock's PIN.
        case writeOnly = "wo"
    }

    /// The kind of a data point's values.
    package enum Kind: String, Sendable, CaseIterable {
        case bool, int, float, `enum`, string, raw

        /// Whether values of this kind are strings.
        package var isText: Bool {
            switch self {
            case .enum, .string, .raw: true
            case .bool, .int, .float: false
            }
        }
    }

    /// The attribute's name, unique in its product.
    package var name: String
    /// The display name.
    package var displayName: String?
    /// The access of apps and devices to the attribute.
    package var access: Access
    /// The kind of the attribute's values.
    package var kind: Kind
    /// The smallest valid number.
    package var min: Double?
    /// The largest valid number.
    package var max: Double?
    /// The step between valid numbers, counted from `min`, or from 0 if `min` is nil.
    package var step: Double?
    /// The unit of a number, for display.
    package var unit: String?
    /// The valid values of an enum.
    package var values: [String]
    /// The maximum length of a string in characters, or of a raw value in bytes.
    package var maxLength: Int?

    /// Declares a data point.
    package init(
        _ name: String,
        _ kind: Kind,
        access: Access = .readWrite,
        displayName: String? = nil,
        min: Double? = nil,
        max: Double? = nil,
        step: Double? = nil,
        unit: String? = nil,
        values: [String] = [],
        maxLength: Int? = nil
    ) {
        self.name = name
        self.kind = kind
        self.access = access
        self.displayName = displayName
        self.min = min
        self.max = max
        self.step = step
        self.unit = unit
        self.values = values
        self.maxLength = maxLength
    }

    /// Returns the problem with a value, or nil if the value is valid.
    package func problem(with value: JSONValue) -> String? {
        switch kind {
        case .bool: value.boolValue == nil ? "must be true or false" : nil
        case .int: problem(withInteger: value)
        case .float: value.doubleValue.map { problem(withNumber: $0) } ?? "must be a number"
        case .enum: problem(withWord: value)
        case .string: problem(withText: value)
        case .raw: problem(withRaw: value)
        }
    }

    private func problem(withInteger value: JSONValue) -> String? {
        guard let number = value.intValue else { return "must be an integer" }
        return problem(withNumber: Double(number))
    }

    private func problem(withNumber number: Double) -> String? {
        if let min, number < min { return "must be at least \(Self.plain(min))" }
        if let max, number > max { return "must be at most \(Self.plain(max))" }
        guard let step, step > 0 else { return nil }
        let steps = (number - (min ?? 0)) / step
        // A double can't represent a decimal step such as 0.1 exactly. An error of a millionth of a step is therefore
        // tolerated.
        let isOnStep = (steps - steps.rounded()).magnitude <= 1e-6
        return isOnStep ? nil : "must lie on a step of \(Self.plain(step))"
    }

    private func problem(withWord value: JSONValue) -> String? {
        guard let word = value.stringValue, values.contains(word) else {
            return "must be one of \(values.joined(separator: ", "))"
        }
        return nil
    }

    private func problem(withText value: JSONValue) -> String? {
        guard let text = value.stringValue else { return "must be a string" }
        if let maxLength, text.unicodeScalars.count > maxLength { return "must have at most \(maxLength) characters" }
        return nil
    }

    private func problem(withRaw value: JSONValue) -> String? {
        guard let text = value.stringValue, let count = Base64Form.byteCount(text) else { return "must be base64 text" }
        if let maxLength, count > maxLength { return "must have at most \(maxLength) bytes" }
        return nil
    }

    private static func plain(_ number: Double) -> String {
        Int64(exactly: number).map { String($0) } ?? number.description
    }
}

/// A check of whether a string is standard base64 with padding.
///
/// The check doesn't decode the string.
package enum Base64Form {
    /// Returns how many bytes a base64 string encodes, or nil if the string isn't base64.
    package static func byteCount(_ text: String) -> Int? {
        let utf8 = text.utf8
        guard utf8.count % 4 == 0 else { return nil }
        var padding = 0
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "="): padding += 1
            case UInt8(ascii: "+"), UInt8(ascii: "/"),
                _ where byte.isLetterOrDigit:
                guard padding == 0 else { return nil }
            default: return nil
            }
        }
        return padding <= 2 ? utf8.count / 4 * 3 - padding : nil
    }
}
