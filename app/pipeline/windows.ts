import type { WindowPolicy } from '../../schema/rules/time/window.ts'

/** Rule 20. */
export const windows = {
  week: { defaultDays: 7, maxDays: 7 },
  weekByDefault: { defaultDays: 7, maxDays: 31 },
  month: { defaultDays: 31, maxDays: 31 },
} as const satisfies Record<string, WindowPolicy>
