/** @module Endpoints that a page's headers declare and name. As in browsers, a header that does not parse is ignored. */

import { parseDictionary, parseList, serializeDictionary } from 'structured-headers'
import { z } from 'zod'

/** Values by lower-case name; lines of a repeated header are joined by a comma. */
export type SentHeaders = ReadonlyMap<string, string>

function parsedOr<Value>(absent: Value, parse: () => Value): Value {
  try {
    return parse()
  } catch {
    return absent
  }
}

const dictionaryOf = (value = '') =>
  parsedOr<ReturnType<typeof parseDictionary>>(new Map(), () => parseDictionary(value))

const reportingEndpoints = (sent: SentHeaders) => dictionaryOf(sent.get('reporting-endpoints'))

/** The page's Reporting-Endpoints, with `url` for each name. */
export function withEndpoints(sent: SentHeaders, names: readonly string[], url: string): string {
  const declared = new Map(reportingEndpoints(sent))
  for (const name of names) declared.set(name, [url, new Map()])
  return serializeDictionary(declared)
}

const group = z.object({
  group: z.string().default('default'),
  endpoints: z.array(z.object({ url: z.string() })).min(1),
})

/** JSON values of Report-To or NEL, which commas separate. */
const jsonList = (value = ''): unknown[] => parsedOr([], () => JSON.parse(`[${value}]`))

/** First URLs by group. */
export const reportToGroups = (sent: SentHeaders): ReadonlyMap<string, string> =>
  new Map(
    jsonList(sent.get('report-to')).flatMap((value) => {
      const { data } = group.safeParse(value)
      return data ? [[data.group, data.endpoints[0]?.url ?? ''] as const] : []
    }),
  )

/** URLs by endpoint. Chromium prefers Reporting-Endpoints to a group of Report-To. */
export const declaredEndpoints = (sent: SentHeaders): ReadonlyMap<string, string> =>
  new Map([
    ...reportToGroups(sent),
    ...[...reportingEndpoints(sent)].map(([name, [url]]) => [name, String(url)] as const),
  ])

const nel = z.object({ report_to: z.string() })

/** Endpoints that NEL names, or a policy: by `report-to` of an item, or by `endpoints`. */
export function namedEndpoints(header: string, value: string): string[] {
  if (header === 'nel') return jsonList(value).flatMap((one) => nel.safeParse(one).data?.report_to ?? [])
  const dictionary = dictionaryOf(value)
  const items = dictionary.size > 0 ? [...dictionary.values()] : parsedOr([], () => parseList(value))
  const [endpoints] = dictionary.get('endpoints') ?? []
  return [
    ...(Array.isArray(endpoints) ? endpoints.map(([name]) => String(name)) : []),
    ...items.flatMap(([, parameters]) => parameters.get('report-to') ?? []).map(String),
  ]
}
