import { insertToken, type PassPlan } from './batch-passes.ts'
import type { ImportLedger, ReportWriter } from './import-ledger.ts'
import type { InTurn } from './in-turn.ts'
import type { PassPart } from './parse-batch.ts'

/** Where a batch goes. */
export interface BatchDestination {
  readonly ledger: ImportLedger
  readonly writer: ReportWriter
  /** Every step waits for the one before, so that a pass is done only when all of it is stored. */
  readonly sending: InTurn
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

/** Records each pass in the ledger before its first rows go out and after its last are stored. */
export function sendBatch({ passes }: PassPlan, { ledger, writer, sending, retried }: BatchDestination): BatchSender {
  const sent = passes.map((pass) => ({ pass, parts: 0, rows: 0 }))
  return {
    async part(part) {
      const progress = sent[part.pass]
      if (!progress) throw new Error(`No pass ${part.pass}`)
      const { pass } = progress
      const number = progress.parts++
      progress.rows += part.rows
      await sending.start(async () => {
        if (number === 0) await retried(() => ledger.start(pass))
        await retried(() => writer.write(part.chunks, insertToken(pass, number)))
        part.release()
      })
    },
    end(reports) {
      // A first pass without rows is recorded too, because it ends the batch where a longer file would not.
      const ending = sent.filter(({ pass, parts }, index) => !pass.done && (parts > 0 || index === 0))
      sending.queue(async () => {
        for (const { pass, parts, rows } of ending) {
          if (parts === 0) await retried(() => ledger.start(pass))
          await retried(() => ledger.finish(pass, { reports, stored: rows }))
        }
      })
    },
  }
}
