import Domain
import Storage

/// A search for devices, with a filter for the store, and terms that are checked row by row.
struct DeviceSearch {
    private(set) var filter = DeviceFilter()
    /// The terms that the store's filter can't check.
    private var rest: [SearchTerms.Term] = []

    static let keys = ["product", "online", "alert", "fault", "owner", "seen", "registered", "name", "tag"]

    /// Parses a search, in which the term `product` takes a product's key or name, or a part of one of them.
    ///
    /// - Throws: `Refused` if a term can't be understood.
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
            case "name" where !term.isNegated && !term.isExact && filter.name == nil:
                filter.name = term.value.lowercased()
            case "tag" where !term.isNegated && filter.tag == nil:
                (filter.tag, filter.tagValue) = Self.parts(ofTag: term)
            case "name", "tag": rest.append(term)
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

    /// Returns the name and value of the tag that a term names.
    ///
    /// The value is nil if the term contains no value, as in `tag:floor`. Such a term matches the tag with any value.
    private static func parts(ofTag term: SearchTerms.Term) -> (name: String, value: String?) {
        let parts = term.value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Parses a term such as `seen:>1d` or `seen:<1h`.
    ///
    /// `seen:>1d` finds devices that last connected or disconnected more than a day ago. `seen:<1h` finds devices that
    /// connected or disconnected within the last hour.
    private mutating func take(seen term: SearchTerms.Term, at now: Instant) throws {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let sign = term.value.first, "<>".contains(sign), let unit = term.value.last.flatMap({ units[$0] }),
            let count = Int64(term.value.dropFirst().dropLast()), (0...100_000).contains(count)
        else { throw Refused.invalid("query", "seen: takes >1d, <2h, >30m or the like.") }
        let moment = now.adding(seconds: -count * unit)
        if (sign == ">") != term.isNegated { filter.seenBefore = moment } else { filter.seenAfter = moment }
    }

    /// Whether the store's filter checks all terms of the search.
    var isWhole: Bool { rest.isEmpty }

    /// Returns whether a device matches the terms that the store's filter can't check.
    func fits(_ listing: DeviceListing, in tx: Transaction) throws -> Bool {
        guard !isWhole else { return true }
        let device = listing.device
        let owner = try tx.devices.owners(of: [device.did])[device.did]
        let tags = try tx.devices.tags(of: [device.did])[device.did] ?? []
        return rest.allSatisfy { term in
            let isFound =
                switch term.key {
                case "alert": Self.isOn(.alert, term, of: listing)
                case "fault": Self.isOn(.fault, term, of: listing)
                case "owner": term.finds(anyOf: [owner?.uid.text])
                case "name": term.finds(device.name)
                case "tag": Self.has(term, among: tags)
                default:
                    term.finds(anyOf: [device.did.text, device.mac.text, device.name, owner?.alias] + tags.map(\.text))
                }
            return isFound != term.isNegated
        }
    }

    private static func has(_ term: SearchTerms.Term, among tags: [DeviceTag]) -> Bool {
        let (name, value) = parts(ofTag: term)
        return tags.contains { $0.name == name && (value ?? $0.value) == $0.value }
    }

    private static func isOn(_ kind: ConditionKind, _ term: SearchTerms.Term, of listing: DeviceListing) -> Bool {
        listing.status.status.open.contains { $0.kind == kind && (term.value == "any" || term.finds($0.name)) }
    }
}

/// A page of the devices that match a search, in the order of their ids.
struct FoundDevices {
    /// The devices of the page.
    var found: [DeviceListing] = []
    /// The id after which the next page begins, or nil on the last page.
    var next: DeviceID?

    /// The maximum number of rows that a search examines for one page.
    static let scanMax = 200_000

    /// Finds one page of devices, which begins after the device id `did`.
    init(
        _ search: DeviceSearch,
        after did: String,
        limit: Int,
        scanMax: Int = FoundDevices.scanMax,
        in tx: Transaction
    ) throws {
        var (looked, last) = (0, DeviceID?.none)
        try tx.devices.search(search.filter, after: did) {
            guard found.count < limit, looked < scanMax else {
                next = last
                return false
            }
            looked += 1
            last = $0.device.did
            if try search.fits($0, in: tx) { found.append($0) }
            return true
        }
    }
}
