import Dispatch

/// A task executor with its own queue, so that a task continues while tests block the shared threads.
package final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "a task of a test")

    /// Creates the queue.
    package init() {}

    /// Runs a part of a task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
