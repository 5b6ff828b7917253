/** @module Counts for a list of scripts, with every state present. */

import type { z } from 'zod'
import type { Script } from '../../../schema/responses/script.ts'
import type { coverageSummary, scriptCounts } from '../../../schema/responses/script-inventory.ts'
import { advisoryStates, coverageStates, identificationStates } from '../../../schema/scripts.ts'
import type { uninventoriedScripts } from './read-inventory.ts'

function countBy<State extends string>(
  states: readonly State[],
  scripts: readonly Script[],
  stateOf: (script: Script) => State,
): Record<State, number> {
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>
  for (const script of scripts) counts[stateOf(script)]++
  return counts
}

export const countStates = (scripts: readonly Script[]): z.input<typeof scriptCounts> => ({
  identification: countBy(identificationStates, scripts, ({ identification }) => identification.state),
  advisories: countBy(advisoryStates, scripts, ({ advisories }) => advisories.state),
})

export const summariseCoverage = (
  scripts: readonly Script[],
  reporting: boolean,
  uninventoried: ReturnType<typeof uninventoriedScripts>,
): z.input<typeof coverageSummary> => ({
  reporting,
  ...countBy(coverageStates, scripts, ({ coverage }) => coverage.state),
  uninventoried: uninventoried.listed.map(({ url, mode }) => ({ url, disposition: mode })),
  uninventoriedCount: uninventoried.total,
})
