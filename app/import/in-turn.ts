type Task = () => Promise<void>

/** Runs tasks one after the other while their maker goes on. A task that fails is the last. */
export interface InTurn {
  /** Starts a task once all before it are done, and returns then. Throws the error of one that failed. */
  start(task: Task): Promise<void>
  /** Puts a task behind the others, and gives its end; nobody need wait for it. */
  queue(task: Task): Promise<void>
  /** Waits for the last task. Throws the error of one that failed. */
  end(): Promise<void>
}

export function inTurn(): InTurn {
  let last: Promise<void> = Promise.resolve()
  function run(next: Promise<void>): Promise<void> {
    last = next
    // Heard by whoever waits for it; without this it would end the process before.
    last.catch(() => {})
    return last
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
