import type { z } from 'zod'
import type { ScriptViolation } from '../../../queries/scripts/list-script-violations.ts'
import type { Script } from '../../../schema/responses/script.ts'
import type { coverageSummary, scriptCounts } from '../../../schema/responses/script-inventory.ts'
import { advisoryStates, coverageStates, identificationStates } from '../../../schema/scripts.ts'

function countBy<State extends string>(states: readonly State[], found: readonly State[]): Record<State, number> {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>
  for (const state of found) counts[state]++
  return counts
}

export function countStates(scripts: readonly Script[]): z.input<typeof scriptCounts> {
  return {
    identification: countBy(
      identificationStates,
      scripts.map(({ identification }) => identification.state),
    ),
    advisories: countBy(
      advisoryStates,
      scripts.map(({ advisories }) => advisories.state),
    ),
  }
}

export function summariseCoverage(
  scripts: readonly Script[],
  reporting: boolean,
  uninventoried: readonly ScriptViolation[],
): z.input<typeof coverageSummary> {
  const counts = countBy(
    coverageStates,
    scripts.map(({ coverage }) => coverage.state),
  )
  return { reporting, ...counts, uninventoried: uninventoried.map(({ url, mode }) => ({ url, disposition: mode })) }
}
