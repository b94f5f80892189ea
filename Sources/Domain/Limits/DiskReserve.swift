/// The disk space that must stay free.
package struct DiskReserve: Sendable {
    /// The percentage of the disk that must stay free.
    ///
    /// If the percentage is 0, the free space isn't checked.
    package var percent: Int
    /// The maximum reserve, in bytes, whatever the size of the disk.
    package var bytesMax: Int64

    /// Sets the limits.
    ///
    /// The default of 5 % equals the share that Linux reserves for root. In measurements, reports took at most 2 MB of
    /// the disk per second. At that rate, 2 GiB lasts a quarter of an hour. That is enough time for an alarm to reach
    /// an operator.
    package init(percent: Int = 5, bytesMax: Int64 = 2 << 30) {
        (self.percent, self.bytesMax) = (percent, bytesMax)
    }

    /// Returns the reserve in bytes for a disk with `total` bytes.
    package func bytes(of total: Int64) -> Int64 { min(total / 100 * Int64(percent), bytesMax) }
}
