/** @module jsDelivr's package API and OSV's query API, in their documented formats: facts, without any of their texts. */

import { createHash } from 'node:crypto'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll } from 'vitest'

export const hashOf = (bytes: string) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`

/** Files of versions: bytes by path, by `name@version`. */
export type PlayedPackages = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A response of GET /v1/packages/npm/{package}@{version}?structure=flat. */
export function packageFiles(release: string, files: Readonly<Record<string, string>>) {
  const [, name, version] = /^(.+)@([^@]+)$/.exec(release) ?? []
  const listed = Object.entries(files).map(([path, bytes]) => ({
    name: `/${path}`,
    hash: createHash('sha256').update(bytes).digest('base64'),
    size: Buffer.byteLength(bytes),
  }))
  const stats = `https://data.jsdelivr.com/v1/stats/packages/npm/${release}`
  return { type: 'npm', name, version, default: '/dist/jquery.min.js', files: listed, links: { stats } }
}

type Event = Readonly<Partial<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string>>>

interface Vulnerability {
  readonly id: string
  readonly aliases?: readonly string[]
  readonly package?: string
  readonly ecosystem?: string
  readonly events?: readonly Event[]
  readonly versions?: readonly string[]
  readonly rating?: string
  readonly vector?: string
  readonly withdrawn?: string
}

/** An element of `vulns` of a response of POST /v1/query. */
export function vulnerability(given: Vulnerability) {
  const { id, aliases, events = [], versions, rating, vector, withdrawn } = given
  return {
    id,
    summary: 'A summary',
    details: 'Details',
    modified: '2026-03-04T05:06:07.123456Z',
    published: '2020-04-29T22:18:55Z',
    ...(aliases && { aliases }),
    ...(withdrawn && { withdrawn }),
    ...(rating && { database_specific: { severity: rating, cwe_ids: ['CWE-79'] } }),
    ...(vector && { severity: [{ type: vector.startsWith('CVSS:4') ? 'CVSS_V4' : 'CVSS_V3', score: vector }] }),
    references: [{ type: 'WEB', url: 'https://example.test' }],
    affected: [
      {
        package: { ecosystem: given.ecosystem ?? 'npm', name: given.package ?? 'jquery', purl: 'pkg:npm/jquery' },
        ...(events.length > 0 && { ranges: [{ type: 'SEMVER', events }] }),
        ...(versions && { versions }),
      },
    ],
    schema_version: '1.7.3',
  }
}

export const vulnerabilities = {
  jquery: [
    vulnerability({
      id: 'GHSA-gxr4-xjj5-5px2',
      aliases: ['CVE-2020-11022'],
      events: [{ introduced: '1.2.0' }, { fixed: '3.5.0' }],
      rating: 'MODERATE',
      vector: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:C/C:H/I:L/A:N',
    }),
    vulnerability({
      id: 'GHSA-6c3j-c64m-qhgq',
      aliases: ['CVE-2019-11358'],
      events: [{ introduced: '1.1.4' }, { fixed: '3.4.0' }],
      vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
    }),
    vulnerability({ id: 'GHSA-0000-0000-0000', events: [{ introduced: '0' }], withdrawn: '2024-01-02T03:04:05Z' }),
  ],
}

export interface LibraryRequest {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly userAgent: string | null
}

/** Plays both services for the tests of a file. Every request of the process is in `requests`. */
export function playLibrarySources() {
  const played = {
    requests: [] as LibraryRequest[],
    packages: {} as PlayedPackages,
    vulnerabilities: vulnerabilities as Readonly<Record<string, readonly object[]>>,
    /** Response of either service instead of its own. */
    fault: undefined as (() => Response) | undefined,
  }
  const note = async (request: Request) => {
    const { method, url, headers } = request
    const body = await request.clone().text()
    played.requests.push({ method, url, body, userAgent: headers.get('user-agent') })
  }
  const server = setupServer(
    http.get('https://data.jsdelivr.com/v1/packages/npm/*', async ({ request }) => {
      await note(request)
      if (played.fault) return played.fault()
      const release = decodeURIComponent(new URL(request.url).pathname.slice('/v1/packages/npm/'.length))
      const files = played.packages[release]
      if (files) return HttpResponse.json(packageFiles(release, files))
      return HttpResponse.json({ status: 404, message: `Couldn't find ${release}.` }, { status: 404 })
    }),
    http.post('https://api.osv.dev/v1/query', async ({ request }) => {
      await note(request)
      if (played.fault) return played.fault()
      const { package: of } = JSON.parse(played.requests.at(-1)?.body ?? '')
      const vulns = played.vulnerabilities[of.name]
      return HttpResponse.json(vulns ? { vulns } : {})
    }),
  )
  beforeAll(() =>
    server.listen({
      onUnhandledRequest(request) {
        if (!request.url.startsWith('http://127.0.0.1:')) void note(request)
      },
    }),
  )
  afterAll(() => server.close())
  return played
}
