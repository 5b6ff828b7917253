import { z } from 'zod'
import type { VolumePosition } from '../../../queries/groups/group-pages.ts'
import type { SortKey } from '../../pipeline/page.ts'

const largest = 2n ** 64n - 1n

export const uint64Text = z
  .string()
  .regex(/^\d{1,20}$/, { abort: true })
  .refine((digits) => BigInt(digits) <= largest)

export const volumePosition: SortKey<{ readonly weight: bigint; readonly key: bigint }, VolumePosition> = {
  schema: z.object({ weight: uint64Text, key: uint64Text }),
  from: ({ weight, key }) => ({ weight: String(weight), key: String(key) }),
}
