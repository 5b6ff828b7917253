import { hash } from 'node:crypto'
import { truncate } from '../../import/normalise/truncate.ts'

/** UTF-16 units of a sample. */
const maxSampleLength = 80

/** A script without a source. */
export interface InlineScript {
  /** sha256-<base64> of the text, as in a policy. */
  readonly hash: string
  /** Start of the text. */
  readonly sample: string
  readonly count: number
}

/** Scripts of a page with its frames, each text once. */
export function createInlineScripts() {
  const found = new Map<string, InlineScript>()
  let open: string | undefined
  return {
    start(): void {
      open = ''
    },
    text(text: string): void {
      if (open !== undefined) open += text
    },
    /** Adds the open script. Returns the length that it adds to the list. */
    end(): number {
      const [text, key] = [open ?? '', `sha256-${hash('sha256', open ?? '', 'base64')}`]
      open = undefined
      if (text === '') return 0
      const before = found.get(key)
      const sample = truncate(text, maxSampleLength)
      found.set(key, { hash: key, sample, count: (before?.count ?? 0) + 1 })
      return before ? 0 : key.length + sample.length
    },
    /** Forgets a script that has no end, which browsers do not run. */
    reset(): void {
      open = undefined
    },
    list: (): InlineScript[] => [...found.values()],
  }
}
