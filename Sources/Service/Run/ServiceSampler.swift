import CoreMetrics
import Domain
import Web
import Workers

/// The metric that shows the running version, and the metric that shows how far the system clock has jumped.
enum ServiceSampler {
    /// Registers both gauges.
    static func install(in registry: PrometheusRegistry) {
        let version = [("version", Version.text)]
        Meter(label: "lamplighter_build_info", dimensions: version, factory: registry).set(1)
        let steps = Meter(label: "lamplighter_clock_step_seconds", factory: registry)
        let clock = SystemClock()
        let start = (wall: clock.now, steady: clock.steady)
        registry.addSampler {
            let passed = (clock.steady - start.steady) / .seconds(1)
            let told = Double(clock.now.milliseconds - start.wall.milliseconds) / 1000
            // The wall clock and the steady clock can't be read at the same moment, so the jump is rounded.
            steps.set(((told - passed) * 100).rounded() / 100)
        }
    }
}
