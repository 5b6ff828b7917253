/** Runs tasks one after the other while their maker goes on. */
export interface InTurn {
  /** Starts a task once the one before is done. Throws that one's error. */
  next(task: () => Promise<void>): Promise<void>
  /** Waits for the last task. Throws its error. */
  end(): Promise<void>
}

/** One task runs and its maker prepares one more, so that memory holds two. */
export function inTurn(): InTurn {
  let running: Promise<void> = Promise.resolve()
  return {
    async next(task) {
      await running
      running = task()
      // Heard by the next caller; without this it would end the process meanwhile.
      running.catch(() => {})
    },
    end: () => running,
  }
}
