/// The room of a disk that must stay free.
package struct DiskReserve: Sendable {
    /// The part of the disk, in percent; 0 to watch nothing.
    package var percent: Int
    /// The bytes that are enough for a disk of any size.
    package var bytesMax: Int64

    /// Sets the limits.
    ///
    /// 5 % is what Linux keeps for root on a disk; 2 GiB are a quarter of an hour of reports at the fastest
    /// that was measured (2 MB a second), time enough for an alarm and a human.
    package init(percent: Int = 5, bytesMax: Int64 = 2 << 30) {
        self.percent = percent
        self.bytesMax = bytesMax
    }

    /// Returns the reserve for a disk of a size, in bytes.
    package func bytes(of total: Int64) -> Int64 { min(total / 100 * Int64(percent), bytesMax) }
}
