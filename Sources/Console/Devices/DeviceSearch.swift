import Domain
import Storage

/// The search of the list of devices: what the store narrows by, and what is looked at row by row.
struct DeviceSearch {
    private(set) var filter = DeviceFilter()
    /// Terms that the store does not know.
    private var rest: [SearchTerms.Term] = []

    static let keys = ["product", "online", "alert", "fault", "owner", "seen", "registered"]

    /// Reads a search; products are found by key or part of their name.
    ///
    /// - Throws: `Refused` for a term that can't be understood.
    init(_ terms: SearchTerms, products: [Product], at now: Instant) throws {
        try terms.requireKeys(Self.keys)
        for term in terms.terms {
            switch term.key {
            case "product":
                let found = products.filter { term.finds(anyOf: [$0.key.text, $0.name]) }.map(\.key)
                if term.isNegated {
                    filter.otherThan += found
                } else {
                    filter.products = filter.products.map { $0.filter(found.contains) } ?? found
                }
            case "online": filter.isOnline = try term.flag() != term.isNegated
            case "registered": filter.isRegistered = try term.flag() != term.isNegated
            case "seen": try take(seen: term, at: now)
            case "owner":
                guard !term.isNegated, let uid = UserID(term.value) else {
                    rest.append(term)
                    continue
                }
                filter.owner = uid
            case "alert", "fault":
                if !term.isNegated { filter.hasCondition = true }
                rest.append(term)
            default:
                guard !term.isNegated, !term.isExact, filter.part == nil else {
                    rest.append(term)
                    continue
                }
                filter.part = term.value.lowercased()
                filter.namedProducts =
                    products.filter { term.finds(anyOf: [$0.key.text, $0.name]) }.map(\.key)
            }
        }
    }

    /// `seen:>1d`: it came or went longer ago than a day; `seen:<1h`: within the hour.
    private mutating func take(seen term: SearchTerms.Term, at now: Instant) throws {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let sign = term.value.first, "<>".contains(sign),
            let unit = term.value.last.flatMap({ units[$0] }),
            let count = Int64(term.value.dropFirst().dropLast()), (0...100_000).contains(count)
        else { throw Refused.invalid("query", "seen: takes >1d, <2h, >30m or the like.") }
        let moment = now.adding(seconds: -count * unit)
        if (sign == ">") != term.isNegated {
            filter.seenBefore = moment
        } else {
            filter.seenAfter = moment
        }
    }

    /// Whether the store narrows by all terms.
    var isWhole: Bool { rest.isEmpty }

    /// Tells whether a device fits the terms that the store does not know.
    func fits(_ listing: DeviceListing, owner: (uid: UserID, alias: String)?) -> Bool {
        rest.allSatisfy { term in
            let isFound =
                switch term.key {
                case "alert": Self.isOn(.alert, term, of: listing)
                case "fault": Self.isOn(.fault, term, of: listing)
                case "owner": term.finds(anyOf: [owner?.uid.text])
                default:
                    term.finds(anyOf: [
                        listing.device.did.text, listing.device.mac.text, owner?.alias,
                    ])
                }
            return isFound != term.isNegated
        }
    }

    private static func isOn(
        _ kind: ConditionKind,
        _ term: SearchTerms.Term,
        of listing: DeviceListing
    ) -> Bool {
        listing.status.status.open.contains {
            $0.kind == kind && (term.value == "any" || term.finds($0.name))
        }
    }
}
