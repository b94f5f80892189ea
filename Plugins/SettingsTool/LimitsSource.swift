/// Generates the Swift source of `Limits`.
enum LimitsSource {
    static func text(_ declarations: [Declaration]) -> String {
        let limits = declarations.filter { $0.path[0] == "Limits" }
        return """
            /// Those limits of the workers that settings or tests can change.
            package struct Limits: Sendable {
            \(properties(limits.filter { $0.path.count == 2 }))
                /// The limits for each terminal, source address, app and product.
                package var counts = Counts()

                /// The limits for each terminal, source address, app and product.
                package struct Counts: Sendable {
            \(properties(limits.filter { $0.path.count == 3 }))
                }

                /// Uses the default limits.
                package init() {}

                /// Sets the limit with this key to a number, in the setting's unit; does nothing if no limit
                /// has this key.
                package mutating func set(_ key: String, to number: Int) {
                    switch key {
            \(limits.filter { $0.takes != nil }.map(assignment).joined())
                    default: break
                    }
                }
            }

            """
    }

    private static func properties(_ limits: [Declaration]) -> String {
        limits.map { limit in
            let value =
                switch limit.type {
                case "milliseconds", "seconds": "Duration.\(limit.type ?? "")(\(limit.number))"
                case let type?: "\(type)(\(limit.number))"
                case nil: "\(limit.number)"
                }
            return "    \(limit.comment)\n    package var \(limit.path.last ?? "") = \(value)\n"
        }
        .joined()
    }

    private static func assignment(_ limit: Declaration) -> String {
        let number = limit.factor == 1 ? "number" : "number * \(limit.factor)"
        let value =
            switch limit.type {
            case "milliseconds", "seconds": ".\(limit.type ?? "")(\(number))"
            case let type?: "\(type)(clamping: \(number))"
            case nil: number
            }
        let place = limit.path.dropFirst().joined(separator: ".")
        return "        case \"\(limit.key)\": \(place) = \(value)\n"
    }
}
