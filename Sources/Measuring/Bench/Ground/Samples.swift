extension [Double] {
    /// The median of the values, or 0 if there are none; if a machine's speed varies, the median changes less than the
    /// mean does.
    var median: Double {
        let sorted = sorted()
        let middle = count / 2
        guard !isEmpty else { return 0 }
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the value below which the given share of all values lies; 0 if there are no values.
    func quantile(_ share: Double) -> Double { isEmpty ? 0 : sorted()[Int(Double(count - 1) * share)] }
}

extension Double {
    /// The number as text, with up to two decimals, or without decimals if the number is at least 100.
    var short: String {
        guard isFinite else { return "?" }
        let hundredths = (self * 100).rounded() / 100
        return hundredths >= 100 ? "\(Int(hundredths))" : "\(hundredths)"
    }
}
