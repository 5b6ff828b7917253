/** @module Captured and foreign posts with visitors' secrets planted in every place that a site can mask. */

import { readFileSync } from 'node:fs'
import { capturedLines } from '../../fixtures/captured-posts.ts'
import { chunksOf } from '../../queries/sql/rows.ts'

/** URLs with the secret in their place, on the host of a URL. */
const plants: readonly ((origin: string, secret: string) => string)[] = [
  (origin, secret) => `${origin}/cart?step=2&token=${secret}`,
  (origin, secret) => `${origin}/cart?${secret}`,
  (origin, secret) => `${origin}/reset/${secret}`,
  (origin, secret) => `${origin}/account/verify-mail/12/${secret}7?next=${secret}`,
  (origin, secret) => `${origin}/invite/${secret}/team`,
  (origin, secret) => `${origin}/unsubscribe/${secret}%40mail.test`,
  (origin, secret) => `${origin}/users/${secret}@mail.test/orders`,
  (origin, secret) => `${origin}/session/eyJhbGciOiJIUzI1NiJ9.${secret}.c2ln`,
  (origin, secret) => `${origin}/cart;jsessionid=${secret}`,
  (origin, secret) => `${origin}/cart#access_token=${secret}`,
]

const url = /^https?:\/\/[^/?#]+/

/** Members whose URLs are stored as sent, and policies. */
const unmasked = /^(?:original_?policy|policy|subresourceURL|sample|script-sample|original-policy|allowlist)$/i

const isPage = /^(?:url|document-?ur[il])$/i

const ofCode = /^(?:script|style|worker)/

function plant(report: Record<string, unknown>, secret: string, number: number): object {
  const body = (report['csp-report'] ?? report.body) as Record<string, unknown>
  const directive = String(body.effectiveDirective ?? body['effective-directive'] ?? body['violated-directive'] ?? '')
  const isOfCode = ofCode.test(directive) || ofCode.test(String(body.destination ?? ''))
  const planted = (value: string, at: number) => {
    const origin = url.exec(value)?.[0]
    return origin && (plants[(number + at) % plants.length] as (typeof plants)[0])(origin, secret)
  }
  const page = String(body.documentURL ?? body['document-uri'] ?? report.url)
  const inMember = ([name, value]: [string, unknown], at: number): [string, unknown] => {
    if (typeof value !== 'string' || unmasked.test(name)) return [name, value]
    if (name === 'message' || name === 'stack') {
      return [
        name,
        `${value} at f (${planted('https://shop.example.test', at)}:10:5)\n at ${planted('https://a.test', at + 1)}`,
      ]
    }
    if (isPage.test(name)) return [name, planted(value, 0) ?? value]
    // Of an inline script.
    if (/^source-?file$/i.test(name)) return [name, value === page.replace(/[?#].*/, '') ? planted(page, 0) : value]
    if (/^blocked/i.test(name) && isOfCode) return [name, value]
    return [name, planted(value, at) ?? value]
  }
  const inMembers = (members: Record<string, unknown>) => Object.fromEntries(Object.entries(members).map(inMember))
  if (report['csp-report']) return { 'csp-report': inMembers(body) }
  const message = ['deprecation', 'intervention', 'permissions-policy-violation'].includes(String(report.type))
  const texts = { ...(message && { message: 'f' }), ...(report.type === 'crash' && { stack: 'f' }), ...body }
  return { ...inMembers({ ...report, body: undefined }), body: inMembers(texts) }
}

/** Every captured report, in bodies of up to 50. */
export async function plantedPosts(secret: string): Promise<object[][]> {
  const reports: object[] = []
  for await (const line of capturedLines()) {
    for (const report of [JSON.parse(line).body].flat()) reports.push(plant(report, secret, reports.length))
  }
  return chunksOf(reports, 50)
}

/** Lines of other collectors, as `recipes.md` has them. */
export function plantedForeignLines(secret: string): string[] {
  const recipes = readFileSync(new URL('../../app/import/recipes.md', import.meta.url), 'utf8')
  return [...recipes.matchAll(/^```json\n(.*)\n```$/gm)].map(([, line = ''], index) =>
    line.replaceAll(/https:\/\/shop\.example\.com\/(?=[\\"])/g, () =>
      (plants[index % plants.length] as (typeof plants)[0])('https://shop.example.com', secret),
    ),
  )
}
