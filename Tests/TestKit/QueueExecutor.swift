import Dispatch

/// A task executor with its own queue, so tasks continue while tests block the shared threads.
package final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "a task of a test")

    /// Creates the executor and its queue.
    package init() {}

    /// Runs a job of a task on the queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
