import CoreMetrics
import Glibc

/// Measures this process at each scrape, from `/proc/self`.
package enum ProcessSampler {
    /// Sets the `process_…` gauges of a registry at each scrape.
    package static func install(in registry: PrometheusRegistry) {
        let memory = Meter(label: "process_resident_memory_bytes", factory: registry)
        let descriptors = Meter(label: "process_open_fds", factory: registry)
        let processor = registry.sampledCounter("process_cpu_seconds_total")
        Meter(label: "process_start_time_seconds", factory: registry).set(startTime)
        registry.addSampler {
            memory.set(residentBytes())
            descriptors.set(openDescriptors())
            processor.set(processorSeconds())
        }
    }

    /// The time of this process's first measurement, within milliseconds of its start.
    private static let startTime: Int64 = Int64(time(nil))

    /// Returns the process's resident memory in bytes; 0 if `/proc` can't be read.
    package static func residentBytes() -> Int64 {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Returns the processor time used by all threads of this process, in seconds.
    private static func processorSeconds() -> Double {
        // POSIX defines that `clock` counts microseconds.
        Double(clock()) / 1e6
    }

    private static func openDescriptors() -> Int64 {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count: Int64 = 0
        while readdir(directory) != nil { count += 1 }
        // ".", ".." and the descriptor of this listing don't count.
        return max(0, count - 3)
    }
}
