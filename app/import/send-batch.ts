import { insertToken, type PassPlan } from './batch-passes.ts'
import type { ImportLedger, ReportWriter } from './import-ledger.ts'
import type { InTurn } from './in-turn.ts'
import type { PassPart } from './parse-batch.ts'

/** Where batches go. */
export interface BatchDestination {
  readonly ledger: ImportLedger
  readonly writer: ReportWriter
  /** One insert at a time, because the engine has no more to give. */
  readonly writing: InTurn
  /** Records of what is done, in order and beside the inserts. */
  readonly recording: InTurn
  /** Repeats a step while the store is away. */
  readonly retried: (task: () => Promise<void>) => Promise<void>
}

/** Sends one batch. */
export interface BatchSender {
  /** Returns when everything before it is stored and its own sending has begun. */
  part(part: PassPart): Promise<void>
  /** After the last part; returns at once. `reports` is how many the batch has. */
  end(reports: number): void
}

/** Sends what the passes that are not done have, and keeps the ledger. */
export function sendBatch({ passes }: PassPlan, destination: BatchDestination): BatchSender {
  const { ledger, writer, writing, recording, retried } = destination
  const sent = passes.map((pass) => ({ pass, parts: 0, rows: 0, begun: Promise.resolve() }))

  function begin(progress: (typeof sent)[number]): void {
    progress.begun = retried(() => ledger.start(progress.pass))
    // Heard by the first insert, which waits for it.
    progress.begun.catch(() => {})
  }

  // A first pass without rows is recorded too, because it ends the batch where a longer file would not.
  const [first] = sent
  if (first && !first.pass.done) begin(first)

  return {
    async part(part) {
      const progress = sent[part.pass]
      if (!progress) throw new Error(`No pass ${part.pass}`)
      if (part.pass > 0 && progress.parts === 0) begin(progress)
      const token = insertToken(progress.pass, progress.parts++)
      progress.rows += part.rows
      await writing.start(async () => {
        await progress.begun
        await retried(() => writer.write(part.chunks, token))
        part.release()
      })
    },
    end(reports) {
      const ending = sent.filter(({ pass, parts }, index) => !pass.done && (parts > 0 || index === 0))
      const written = writing.end()
      recording.queue(async () => {
        await written
        for (const { pass, rows, begun } of ending) {
          await begun
          await retried(() => ledger.finish(pass, { reports, stored: rows }))
        }
      })
    },
  }
}
