import { idOfPolicy } from '../../schema/rules/csp/merge-csp-policies.ts'
import { queryDetails } from '../groups/select-groups.ts'
import type { Reader } from '../sql/query.ts'
import {
  type CspPolicyFilter,
  cspPolicySlices,
  findPolicyKeys,
  listCspPolicies,
  listCspPolicyTexts,
  policyMeasures,
  type QuotedCspPolicy,
  quotedPolicyRow,
} from './csp-policies.ts'

/** Distinct policies of one read, before any are merged (Rule 52). */
const maxPolicies = 200

export interface QuotedText extends QuotedCspPolicy {
  /** Text of the latest quote. */
  readonly text: string
}

export interface QuotedTexts {
  /** Last quoted first, without those whose last report is gone. */
  readonly policies: readonly QuotedText[]
  /** True if more were quoted than one read returns. */
  readonly truncated: boolean
}

/** Quoted policies of one request, each read at most once. */
export interface QuotedPolicyReads {
  list(): Promise<QuotedTexts>
  /** Every quoted policy with one of the ids, independent of the number of others. */
  find(ids: readonly string[]): Promise<QuotedTexts>
}

export function openQuotedPolicies(reader: Reader, filter: CspPolicyFilter): QuotedPolicyReads {
  const quoted = once(() => reader.read(listCspPolicies(filter, maxPolicies + 1)))
  const list = once(async () => {
    const all = await quoted()
    const policies = await withTexts(reader, filter, all.slice(0, maxPolicies))
    return { policies, truncated: all.length > maxPolicies }
  })
  return {
    list,
    async find(ids) {
      if ((await quoted()).length > maxPolicies) return findAmongAll(reader, filter, ids)
      const { policies } = await list()
      const found = policies.filter(({ disposition, text }) => ids.includes(idOfPolicy(disposition, text)))
      return { policies: found, truncated: false }
    },
  }
}

export const readQuotedPolicies = (reader: Reader, filter: CspPolicyFilter): Promise<QuotedTexts> =>
  openQuotedPolicies(reader, filter).list()

function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= read()
    return result
  }
}

async function findAmongAll(reader: Reader, filter: CspPolicyFilter, ids: readonly string[]): Promise<QuotedTexts> {
  const keys = await reader.read(findPolicyKeys(filter, ids))
  const query = { name: 'listQuotedPolicies', measures: policyMeasures, row: quotedPolicyRow }
  const quoted = await reader.readAll(queryDetails(query, cspPolicySlices(filter), keys))
  const lastFirst = quoted.toSorted((a, b) => (a.lastSeen < b.lastSeen ? 1 : -1))
  return { policies: await withTexts(reader, filter, lastFirst), truncated: false }
}

async function withTexts({ readAll }: Reader, filter: CspPolicyFilter, quoted: QuotedCspPolicy[]) {
  const texts = await readAll(listCspPolicyTexts(filter, quoted))
  const textOf = new Map(texts.map(({ key, policy }) => [key, policy]))
  return quoted.flatMap((policy): QuotedText[] => {
    const text = textOf.get(policy.key)
    return text === undefined ? [] : [{ ...policy, text }]
  })
}
