import { Worker } from 'node:worker_threads'
import { engineError, toEngineError } from './errors.ts'
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
      if (!over) await ask(worker, { order: 'cancel' }).catch(() => undefined)
      idle.push(worker)
    }
  }

  return { run }
}

function startWorker(path: string): Worker {
  const worker = new Worker(new URL('./stream-worker-entry.mjs', import.meta.url), { workerData: { path } })
  worker.unref()
  return worker
}

function ask(worker: Worker, control: StreamControl): Promise<StreamNews> {
  return new Promise((resolve, reject) => {
    const hear = (news: StreamNews) => {
      worker.off('error', fail)
      resolve(news)
    }
    const fail = (error: Error) => {
      worker.off('message', hear)
      reject(engineError('unknown', error.message))
    }
    worker.once('message', hear)
    worker.once('error', fail)
    worker.postMessage(control)
  })
}
