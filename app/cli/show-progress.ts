/** A line on stderr that tells how far a command is. */
export interface Progress {
  /** @param done of the total, in any unit; `note` says what is being done. */
  update(done: number, note: string): void
  /** Leaves the line as it stands. */
  end(): void
}

const terminalMilliseconds = 100
const plainMilliseconds = 5_000
const barWidth = 24

/**
 * Shows progress: a bar that is drawn over and over on a terminal, and elsewhere a line every five seconds.
 * @param total undefined when it is not known; there is then no bar.
 */
export function showProgress(stream: NodeJS.WriteStream, total: number | undefined, now = Date.now): Progress {
  const started = now()
  const every = stream.isTTY ? terminalMilliseconds : plainMilliseconds
  let shown = stream.isTTY ? Number.NEGATIVE_INFINITY : started
  let last = ''
  let drawn = ''
  const draw = () => {
    if (last === drawn) return
    stream.write(stream.isTTY ? `\r\u001b[K${last.slice(0, (stream.columns || 80) - 1)}` : `${last}\n`)
    drawn = last
  }
  return {
    update(done, note) {
      last = describeProgress({ done, total, milliseconds: now() - started, note })
      if (now() - shown < every) return
      shown = now()
      draw()
    },
    end() {
      if (stream.isTTY && last !== '') {
        draw()
        stream.write('\n')
      }
    },
  }
}

/** Shows the progress of a task, and ends its line when the task is over, so that an error has one of its own. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream,
  total: number | undefined,
  task: (update: Progress['update']) => Promise<Result>,
): Promise<Result> {
  const progress = showProgress(stream, total)
  try {
    return await task(progress.update)
  } finally {
    progress.end()
  }
}

/** One line: bar, percent, note and time left where the total is known; else the note and the time taken. */
export function describeProgress(state: {
  readonly done: number
  readonly total: number | undefined
  readonly milliseconds: number
  readonly note: string
}): string {
  const { done, total, milliseconds, note } = state
  if (!total) return `${note}, ${duration(milliseconds)}`
  const part = Math.min(1, done / total)
  const filled = Math.round(part * barWidth)
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const left = part > 0 && part < 1 ? `, ${duration((milliseconds * (1 - part)) / part)} left` : ''
  return `${bar} ${Math.floor(part * 100)} %  ${note}${left}`
}

/** How much of a number of steps is done, from 0 to 1; no steps are all done. */
export function share(done: number, total: number): number {
  return total === 0 ? 1 : done / total
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
