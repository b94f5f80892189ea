extension [Double] {
    /// The median, since machines vary; 0 for no values.
    var median: Double {
        let sorted = sorted()
        let middle = count / 2
        guard !isEmpty else { return 0 }
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the value below which a share of the values lies; 0 if there are none.
    func quantile(_ share: Double) -> Double { isEmpty ? 0 : sorted()[Int(Double(count - 1) * share)] }
}

extension Double {
    /// The number with two decimals, or without decimals from a hundred on.
    var short: String {
        guard isFinite else { return "?" }
        let hundredths = (self * 100).rounded() / 100
        return hundredths >= 100 ? "\(Int(hundredths))" : "\(hundredths)"
    }
}
