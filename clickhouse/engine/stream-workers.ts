import { Worker } from 'node:worker_threads'
import { toEngineError } from './errors.ts'
import type { StreamControl, StreamNews } from './stream-worker.ts'

/** One piece of a result: whole rows in the query's format. */
export type Piece = { bytes: Uint8Array; rows: number }

/** Runs queries piece by piece on threads of their own: the addon plans a streamed query on the thread that asks. */
export type StreamWorkers = {
  /** Yields pieces as the consumer asks for them; ends the query when the consumer stops. */
  run(setup: readonly string[], text: string, format: string): AsyncGenerator<Piece, void>
}

/** Makes a pool that grows to as many threads as queries run at once. Threads live as long as the process. */
export function createStreamWorkers(path: string): StreamWorkers {
  // A thread that ends takes the engine of the whole process with it (chDB), so none ever does.
  const idle: Worker[] = [startWorker(path)]

  async function* run(setup: readonly string[], text: string, format: string): AsyncGenerator<Piece, void> {
    const worker = idle.pop() ?? startWorker(path)
    let over = false
    try {
      let news = await ask(worker, { order: 'run', setup, text, format })
      for (;;) {
        if (news.news !== 'piece') {
          over = true
          if (news.news === 'failed') throw toEngineError(new Error(news.message))
          return
        }
        yield news
        news = await ask(worker, { order: 'next' })
      }
    } finally {
      if (!over) await ask(worker, { order: 'cancel' })
      idle.push(worker)
    }
  }

  return { run }
}

/** Node's loader hooks do not reach threads, so each one brings TypeScript along by itself. */
const bootstrap = `import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))}).then(({ register }) => {
  register()
  return import(${JSON.stringify(new URL('./stream-worker.ts', import.meta.url).href)})
})`

function startWorker(path: string): Worker {
  const worker = new Worker(bootstrap, { eval: true, execArgv: [], workerData: { path } })
  worker.unref()
  // Without its thread a query would wait for ever; a new process heals what a broken thread may have left behind.
  worker.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  return worker
}

function ask(worker: Worker, control: StreamControl): Promise<StreamNews> {
  return new Promise((resolve) => {
    worker.once('message', resolve)
    worker.postMessage(control)
  })
}
