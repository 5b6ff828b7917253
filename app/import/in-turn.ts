type Task = () => Promise<void>

/** Runs tasks one after the other while their maker goes on. */
export interface InTurn {
  /** Starts a task once all before it are done, and returns then. Throws the error of one that failed. */
  start(task: Task): Promise<void>
  /** Queues a task that holds little memory, and returns at once. A task that failed ends the queue. */
  queue(task: Task): void
  /** Waits for the last task. Throws the error of one that failed. */
  end(): Promise<void>
}

/** One task runs while its maker prepares the next, so that memory holds two. */
export function inTurn(): InTurn {
  let last: Promise<void> = Promise.resolve()
  function run(next: Promise<void>): void {
    last = next
    // Heard by the next caller; without this it would end the process meanwhile.
    last.catch(() => {})
  }
  return {
    async start(task) {
      await last
      run(task())
    },
    queue: (task) => run(last.then(task)),
    end: () => last,
  }
}
