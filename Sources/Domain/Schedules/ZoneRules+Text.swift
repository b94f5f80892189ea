extension ZoneRules {
    /// Returns a moment as the zone's clocks show it, such as `2026-11-21T07:00:00+01:00`.
    package func text(at seconds: Int64) -> String {
        let offset = offset(at: seconds)
        let date = date(at: seconds)
        let time = seconds + offset - date.day * 86_400
        return "\(date)T\(Self.clock(time)):\(Digits.text(time % 60, width: 2))"
            + (offset < 0 ? "-" : "+") + Self.clock(abs(offset))
            + (offset % 60 == 0 ? "" : ":\(Digits.text(abs(offset) % 60, width: 2))")
    }

    private static func clock(_ seconds: Int64) -> String {
        Digits.text(seconds / 3600, width: 2) + ":" + Digits.text(seconds / 60 % 60, width: 2)
    }
}
