import cliProgress, { type SingleBar } from 'cli-progress'

const plainLineMs = 5_000

type Update = (done: number, note: string) => void

/** Shows a bar on a terminal, elsewhere a line every five seconds. @param total undefined if it is not known. */
export async function withProgress<Result>(
  stream: NodeJS.WriteStream,
  total: number | undefined,
  task: (update: Update) => Promise<Result>,
): Promise<Result> {
  const started = Date.now()
  const describe = (done: number, note: string) =>
    describeProgress({ done, total, milliseconds: Date.now() - started, note })
  if (!stream.isTTY) return task(plainLines(stream, describe))
  // SingleBar would overwrite lines printed in between.
  const bars = new cliProgress.MultiBar({
    stream,
    linewrap: true,
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    format(options, { progress, value, maxWidth }, { note }) {
      const bar = total ? `${cliProgress.Format.BarFormat(progress, options)} ` : ''
      return `${bar}${describe(value, note)}`.slice(0, maxWidth - 1)
    },
  })
  let bar: SingleBar | undefined
  try {
    return await task((done, note) => {
      bar ??= bars.create(total ?? 0, 0)
      bar.update(done, { note })
    })
  } finally {
    if (bar) bars.stop()
  }
}

function plainLines(stream: NodeJS.WriteStream, describe: (done: number, note: string) => string): Update {
  let printed = Date.now()
  return (done, note) => {
    if (Date.now() - printed < plainLineMs) return
    printed = Date.now()
    stream.write(`${describe(done, note)}\n`)
  }
}

/** Percentage, note and remaining time if the total is known, otherwise note and elapsed time. */
export function describeProgress(state: {
  readonly done: number
  readonly total: number | undefined
  readonly milliseconds: number
  readonly note: string
}): string {
  const { done, total, milliseconds, note } = state
  if (!total) return `${note}, ${duration(milliseconds)}`
  const fraction = Math.min(1, done / total)
  const remaining = fraction > 0 && fraction < 1 ? `, ${duration((milliseconds * (1 - fraction)) / fraction)} left` : ''
  return `${Math.floor(fraction * 100)} %  ${note}${remaining}`
}

/** Progress from 0 to 1; 1 if there are no steps. */
export function share(done: number, total: number): number {
  return total === 0 ? 1 : done / total
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
