import { z } from 'zod'
import type { BrowserChangeEntry, BrowserChangePosition } from '../../queries/browser-changes/list-browser-changes.ts'
import { positionOfVolume, volumePosition } from '../groups/volume-position.ts'
import { cursorTime } from './cursor.ts'

/** A browser change's sort key as a cursor carries it: its date of removal, then its volume. */
export const browserChangePosition: z.ZodType<BrowserChangePosition> = z
  .object({
    anticipatedRemoval: cursorTime.nullable(),
  })
  .and(volumePosition)

export const positionOfBrowserChange = (entry: BrowserChangeEntry): BrowserChangePosition => ({
  anticipatedRemoval: entry.anticipatedRemoval === null ? null : Date.parse(entry.anticipatedRemoval),
  ...positionOfVolume(entry),
})
