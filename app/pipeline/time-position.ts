import { z } from 'zod'
import { byText } from '../../queries/rules/by-text.ts'
import { cursorTime } from './cursor.ts'
import type { SortKey } from './page.ts'

/** An item of a list in the order of a time; null where the time never came. */
type Timed<Time extends string> = Readonly<Record<Time, string | null>> & { readonly id: string }

/** Milliseconds since the Unix epoch, 0 for never; the id breaks ties. */
type TimePosition<Time extends string> = Readonly<Record<Time, number>> & { readonly id: string }

/** The sort key of items in the order of a time, then of their id. */
export function timePosition<const Time extends string>(
  time: Time,
  id: z.ZodType<string> = z.guid(),
): SortKey<Timed<Time>, TimePosition<Time>> {
  return {
    // A computed key loses its name in its type.
    schema: z.object({ [time]: cursorTime, id }) as unknown as z.ZodType<TimePosition<Time>>,
    of: (item) => ({ [time]: milliseconds(item[time]), id: item.id }) as TimePosition<Time>,
  }
}

const milliseconds = (time: string | null): number => (time === null ? 0 : Date.parse(time))

/** The latest first, then by id as text. */
export const latestFirst =
  <const Time extends string>(time: Time) =>
  (a: TimePosition<Time>, b: TimePosition<Time>): number =>
    b[time] - a[time] || byText(a.id, b.id)
