import { z } from 'zod'
import type { VolumePosition } from '../../queries/groups/largest-first.ts'

const largest = 2n ** 64n - 1n

/** An unsigned 64-bit integer in decimal digits. */
export const uint64Text = z
  .string()
  .regex(/^\d{1,20}$/, { abort: true })
  .refine((digits) => BigInt(digits) <= largest)

/** A group's sort key as a cursor carries it: its estimated volume, then its own key. */
export const volumePosition: z.ZodType<VolumePosition> = z.object({ weight: uint64Text, key: uint64Text })

export const positionOfVolume = ({
  weight,
  key,
}: {
  readonly weight: bigint
  readonly key: bigint
}): VolumePosition => ({
  weight: String(weight),
  key: String(key),
})
