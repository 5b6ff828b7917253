import { parentPort, workerData } from 'node:worker_threads'
import { type Connection, loadNative } from './native.ts'

/** Asks the worker to run one query. `setup` runs first, on the same new connection. */
export type StreamOrder = { order: 'run'; setup: readonly string[]; text: string; format: string }

/** `next` asks for one more piece, `cancel` ends the query between two pieces. */
export type StreamControl = StreamOrder | { order: 'next' } | { order: 'cancel' }

/** What the worker answers: pieces as they are asked for, then one end. */
export type StreamNews =
  | { news: 'piece'; bytes: Uint8Array; rows: number }
  | { news: 'end' }
  | { news: 'failed'; message: string }

const native = loadNative()
const path: string = workerData.path
let resume: ((control: StreamControl) => void) | undefined

function tell(news: StreamNews): void {
  parentPort?.postMessage(news)
}

function nextControl(): Promise<StreamControl> {
  return new Promise((resolve) => {
    resume = resolve
  })
}

async function run(order: StreamOrder): Promise<void> {
  const connection = native.CreateConnection(path)
  try {
    await native.QueryAsyncConnection(connection, order.setup.join('; '), 'TSV')
    await sendPieces(connection, order)
    tell({ news: 'end' })
  } catch (error) {
    tell({ news: 'failed', message: error instanceof Error ? error.message : String(error) })
  } finally {
    native.CloseConnection(connection)
  }
}

async function sendPieces(connection: Connection, order: StreamOrder): Promise<void> {
  const stream = native.StreamQuery(connection, order.text, order.format)
  for (;;) {
    const piece = await native.StreamFetch(stream)
    if (piece.done) return
    const control = nextControl()
    tell({ news: 'piece', bytes: piece.bytes, rows: piece.numRows })
    if ((await control).order === 'cancel') {
      native.StreamCancel(stream)
      return
    }
  }
}

parentPort?.on('message', (control: StreamControl) => {
  if (control.order === 'run') void run(control)
  else resume?.(control)
})
