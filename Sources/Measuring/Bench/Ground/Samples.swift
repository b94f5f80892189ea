extension [Double] {
    /// The median of the values, or 0 if there are no values.
    ///
    /// If a machine's speed varies, the median changes less than the mean.
    var median: Double {
        let sorted = sorted()
        let middle = count / 2
        guard !isEmpty else { return 0 }
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the value below which the given share of all values lies, or 0 if there are no values.
    func quantile(_ share: Double) -> Double { isEmpty ? 0 : sorted()[Int(Double(count - 1) * share)] }
}

extension Double {
    /// The number with up to two decimals, or without decimals if it is at least 100.
    var short: String {
        guard isFinite else { return "?" }
        let hundredths = (self * 100).rounded() / 100
        return hundredths >= 100 ? "\(Int(hundredths))" : "\(hundredths)"
    }
}
