/// Generates names, shortest first.
struct ShortNames {
    private static let first = Array("etanirosclhdpumfgbwvykxjqzETANIROSCLHDPUMFGBWVYKXJQZ$_")
    private static let others = first + Array("0123456789")
    private let taken: Set<String>
    private var count = 0

    init(without taken: Set<String>) { self.taken = taken }

    mutating func next() -> String {
        while true {
            var rest = count
            count += 1
            var name = String(Self.first[rest % Self.first.count])
            rest /= Self.first.count
            while rest > 0 {
                name.append(Self.others[(rest - 1) % Self.others.count])
                rest = (rest - 1) / Self.others.count
            }
            if !taken.contains(name), !Parser.isOfLanguage(name) { return name }
        }
    }
}
