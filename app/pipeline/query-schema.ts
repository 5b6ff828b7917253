import type { z } from 'zod'
import { addition } from '../../schema/additions.ts'
import { cursorText, dateTime, duration, integer } from '../../schema/params.ts'
import type { Endpoint } from './endpoint.ts'

export function querySchema({ query, window, page }: Endpoint): Record<string, z.ZodType> {
  return {
    ...query,
    ...(typeof window === 'object' && {
      from: dateTime(`Start of the window, inclusive; by default ${window.defaultDays} days before \`to\``).optional(),
      to: dateTime(
        `End of the window, exclusive; by default the next whole 10 s, at most ${window.maxDays} days after \`from\``,
      ).optional(),
      last: addition(
        duration(
          window.maxDays,
          `Length of a window that ends at the next whole 10 s, at most ${window.maxDays} days; replaces \`from\` and \`to\``,
        ),
      ),
    }),
    ...(page && {
      limit: integer(1, page.maxLimit, 'Maximum number of items on the page').default(page.defaultLimit),
      cursor: cursorText.optional(),
    }),
  }
}
