import CoreMetrics
import Files
import Storage
import Web

/// The metrics of the store, which are read at each scrape.
enum StoreSampler {
    /// Registers gauges of the service's readiness and of the sizes of the database's files.
    static func install(in registry: PrometheusRegistry, _ context: RunContext) {
        let database = Meter(label: "lamplighter_database_bytes", factory: registry)
        let log = Meter(label: "lamplighter_wal_bytes", factory: registry)
        let ready = Meter(label: "lamplighter_ready", factory: registry)
        let path = context.directory.database
        let readiness = context.readiness
        registry.addSampler {
            database.set(TextFile.size(path) ?? 0)
            log.set(TextFile.size(path + "-wal") ?? 0)
            ready.set(readiness.isAllReady ? 1 : 0)
        }
    }

    /// Registers the metrics of database connections, of repeated transactions, and of the gate's lag.
    ///
    /// The gate lags while the gate's file lacks a change that the store has committed.
    static func install(in registry: PrometheusRegistry, _ store: Store) {
        let lag = Meter(label: "lamplighter_gate_lag_seconds", factory: registry)
        let reruns = registry.sampledCounter("lamplighter_store_reruns_total")
        let connections = Meter(label: "lamplighter_database_connections", factory: registry)
        registry.addSampler {
            lag.set(store.gateLag / .seconds(1))
            reruns.set(Double(store.rerunCount))
            connections.set(store.connectionCount)
        }
    }
}
