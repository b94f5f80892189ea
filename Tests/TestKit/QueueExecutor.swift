import Dispatch

/// Runs a task on a queue of its own, so that it goes on while tests block the threads that tasks share.
package final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "a task of a test")

    /// Makes a queue.
    package init() {}

    /// Runs a part of a task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
