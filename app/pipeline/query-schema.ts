import type { z } from 'zod'
import { addition } from '../../schema/additions.ts'
import { cursorText, dateTime, duration, integer } from '../../schema/params.ts'
import type { Endpoint } from './endpoint.ts'

export function querySchema({ query, window, page }: Endpoint): Record<string, z.ZodType> {
  return {
    ...query,
    ...(typeof window === 'object' && {
      from: dateTime(`The first moment read; ${window.defaultDays} days before \`to\` by default`).optional(),
      to: dateTime(
        `The moment reading stops before; the next whole 10 s by default, at most ${window.maxDays} days after \`from\``,
      ).optional(),
      last: addition(
        duration(
          window.maxDays,
          `The window of this length that ends with the next whole 10 s, at most ${window.maxDays} days; instead of \`from\` and \`to\``,
        ),
      ),
    }),
    ...(page && {
      limit: integer(1, page.maxLimit, 'How many items the page holds').default(page.defaultLimit),
      cursor: cursorText.optional(),
    }),
  }
}
