import type { z } from 'zod'
import { addition } from './additions.ts'
import { oneOf } from './params.ts'

/** Rule 41. */
export const noiseParam = addition(
  oneOf(
    ['exclude', 'only'],
    'Without the reports that extensions, browsers and injecting products cause, or these alone',
  ).meta({ examples: ['exclude'] }),
)

/** Whether only noise counts, or only what is none. */
export const isNoise = (noise: z.output<typeof noiseParam>) => (noise === undefined ? undefined : noise === 'only')
