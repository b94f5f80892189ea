import Glibc

/// A place on the earth, in degrees.
package struct Location: Hashable, Sendable {
    /// The latitude in degrees north.
    package var latitude: Double
    /// The longitude in degrees east.
    package var longitude: Double

    /// Makes a place.
    package init(latitude: Double, longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// The times of sunrise and sunset, computed with NOAA's solar equations.
///
/// At sunrise and sunset, the sun's centre is 0.833° below the horizon. Because of refraction, the sun's upper edge
/// then appears at the horizon. Between the polar circles, times are accurate to about a minute. Times are rounded to
/// whole minutes.
package enum SunRules {
    /// The two events of the sun on a day.
    package enum Event: String, Sendable, CaseIterable {
        case sunrise, sunset
    }

    /// Returns the moment of an event at a place, or why it doesn't happen.
    package static func outcome(
        _ event: Event,
        on date: CalendarDate,
        at place: Location,
        zone: ZoneRules
    ) -> ScheduleRules.DayOutcome {
        let noon = solarNoon(near: Double(zone.first(local: date.day * 86_400 + 43_200)), place)
        var outcome = ScheduleRules.DayOutcome.none
        for shift in [-86_400, 0, 86_400] as [Double] {
            let near = shift == 0 ? noon : solarNoon(near: noon + shift, place)
            let (moment, polar) = moment(of: event, noon: near, place)
            if let moment, zone.date(at: Int64(moment.rounded(.down))) == date {
                return .at(Instant(milliseconds: Int64((moment / 60).rounded()) * 60_000))
            }
            if shift == 0 { outcome = polar }
        }
        return outcome
    }

    /// Returns the Unix time of the sunrise before a solar noon, or of the sunset after it.
    ///
    /// If the sun neither rises nor sets, the result is polar day or polar night.
    private static func moment(
        of event: Event,
        noon: Double,
        _ place: Location
    ) -> (moment: Double?, polar: ScheduleRules.DayOutcome) {
        var low = event == .sunrise ? noon - 43_200 : noon + 43_200
        var high = noon
        guard isUp(high, place) else { return (nil, .polarNight) }
        guard !isUp(low, place) else { return (nil, .polarDay) }
        while abs(high - low) > 0.00001 {
            let middle = (low + high) / 2
            if isUp(middle, place) { high = middle } else { low = middle }
        }
        return (high, .none)
    }

    private static func isUp(_ seconds: Double, _ place: Location) -> Bool {
        let sun = position(seconds)
        let minutes = seconds / 60 + sun.equationOfTime + 4 * place.longitude
        let hourAngle = radians((minutes / 4).truncatingRemainder(dividingBy: 360) - 180)
        let latitude = radians(place.latitude)
        let height =
            sin(latitude) * sin(sun.declination)
            + cos(latitude) * cos(sun.declination) * cos(hourAngle)
        return height > horizon
    }

    /// The sine of the sun's elevation angle at sunrise and sunset.
    private static let horizon = sin(radians(-0.833))

    /// Returns the solar noon nearest to a moment, in seconds since the Unix epoch.
    private static func solarNoon(near seconds: Double, _ place: Location) -> Double {
        var noon = seconds
        for _ in 0..<3 {
            let minutes = noon / 60 + position(noon).equationOfTime + 4 * place.longitude
            let past = (minutes - 720).remainder(dividingBy: 1440)
            noon -= past * 60
        }
        return noon
    }

    /// Returns the sun's declination in radians, and the equation of time in minutes.
    ///
    /// The equation of time is how far a sundial is ahead of a clock.
    private static func position(_ seconds: Double) -> (declination: Double, equationOfTime: Double) {
        // The time in Julian centuries since 2000-01-01T12:00Z.
        let century = (seconds / 86_400 - 10_957.5) / 36_525
        let longitude = radians(
            (280.46646 + century * (36_000.76983 + century * 0.0003032))
                .truncatingRemainder(dividingBy: 360)
        )
        let anomaly = radians(357.52911 + century * (35_999.05029 - 0.0001537 * century))
        let eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
        let centre =
            sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century))
            + sin(2 * anomaly) * (0.019993 - 0.000101 * century) + sin(3 * anomaly) * 0.000289
        let node = radians(125.04 - 1934.136 * century)
        let apparent = longitude + radians(centre - 0.00569 - 0.00478 * sin(node))
        let seconds = 21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))
        let obliquity = radians(23 + (26 + seconds / 60) / 60 + 0.00256 * cos(node))
        let half = tan(obliquity / 2)
        let y = half * half
        let equation =
            y * sin(2 * longitude) - 2 * eccentricity * sin(anomaly)
            + 4 * eccentricity * y * sin(anomaly) * cos(2 * longitude)
            - 0.5 * y * y * sin(4 * longitude)
            - 1.25 * eccentricity * eccentricity * sin(2 * anomaly)
        return (asin(sin(obliquity) * sin(apparent)), equation * 4 * 180 / .pi)
    }

    private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
