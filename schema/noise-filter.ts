import type { z } from 'zod'
import { addition } from './additions.ts'
import { oneOf } from './params.ts'

/** Rule 41. */
export const noiseParam = addition(
  oneOf(
    ['exclude', 'only'],
    'Exclude reports caused by extensions, browsers and products that inject code, or return only these reports',
  ).meta({ examples: ['exclude'] }),
)

/** True if only noise counts, false if only other reports count. */
export const isNoise = (noise: z.output<typeof noiseParam>) => (noise === undefined ? undefined : noise === 'only')
