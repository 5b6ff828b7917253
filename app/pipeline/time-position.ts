import { z } from 'zod'
import type { TimePosition } from '../../queries/sql/query.ts'
import { byText } from '../../schema/rules/by-text.ts'
import { cursorTime } from './cursor.ts'
import type { SortKey } from './page.ts'

/** List order by time, then by id; null for a time that does not exist. */
type Timed<Time extends string> = Readonly<Record<Time, string | null>> & { readonly id: string }

export function timePosition<const Time extends string>(
  time: Time,
  id: z.ZodType<string> = z.guid(),
): SortKey<Timed<Time>, TimePosition<Time>> {
  return {
    // A computed key loses its name in its type.
    schema: z.object({ [time]: cursorTime, id }) as unknown as z.ZodType<TimePosition<Time>>,
    from: (item) => ({ [time]: milliseconds(item[time]), id: item.id }) as TimePosition<Time>,
  }
}

const milliseconds = (time: string | null): number => (time === null ? 0 : Date.parse(time))

export const latestFirst =
  <const Time extends string>(time: Time) =>
  (a: TimePosition<Time>, b: TimePosition<Time>): number =>
    b[time] - a[time] || byText(a.id, b.id)
