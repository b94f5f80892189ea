import CoreMetrics
import Glibc

/// A sampler that measures this process at each scrape, mostly from `/proc/self`.
package enum ProcessSampler {
    /// Adds the `process_…` metrics to a registry, and a sampler that sets all of them except the start time.
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

    /// The process's start time, as seconds since 1970.
    ///
    /// It is the time at which this constant is first used, shortly after the process starts.
    private static let startTime: Int64 = Int64(time(nil))

    /// Returns the resident memory of the process in bytes, or 0 if `/proc` can't be read.
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

    private static func processorSeconds() -> Double {
        // According to POSIX, `clock` counts in microseconds.
        Double(clock()) / 1e6
    }

    private static func openDescriptors() -> Int64 {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count: Int64 = 0
        while readdir(directory) != nil { count += 1 }
        // The entries ".", ".." and the descriptor that this listing itself uses aren't counted.
        return max(0, count - 3)
    }
}
