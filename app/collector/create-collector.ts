import { hash, randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { findDiskSpace, hasRoom } from '../../clickhouse/disk-space.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { ClientDisconnected } from '../../queries/clickhouse/with-timeout.ts'
import { Problem, problems } from '../../schema/problems.ts'
import { headLength } from '../http/head-length.ts'
import { mountHealth } from '../http/health.ts'
import { observe } from '../http/observe.ts'
import { mountMetrics } from '../http/serve-metrics.ts'
import { reportIds } from '../import/reports/report-id.ts'
import { clientClosedRequest, respondJson } from '../pipeline/json-response.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { reasonOf } from '../program/log-outage.ts'
import { type AdmissionServices, createAdmission } from './admission.ts'
import { CollectorError } from './collector-error.ts'
import { type CollectorMetrics, reportOperation } from './collector-metrics.ts'
import type { LogSender } from './log-sender.ts'
import { maxBodyBytes, readBody, requireCoding, tooLarge } from './read-body.ts'
import { type Outcome, readElements, readReports } from './read-reports.ts'
import { type BodyQuotas, createBodyQuotas, receiveBody } from './receive-body.ts'
import { createReportShares, type ReportShares } from './report-shares.ts'
import { tokensOfReports } from './site-budget.ts'
import type { Sites } from './sites.ts'

export interface CollectorServices extends AdmissionServices {
  readonly sites: Pick<Sites, 'find' | 'isKnown'>
  readonly store: Pick<LogSender, 'store'>
  /** Whether posts can be written to the log. */
  readonly isLogWritable: () => Promise<boolean>
  /** Description of the log in `/readyz`. */
  readonly describeLog?: () => Readonly<Record<string, unknown>>
  readonly metrics: CollectorMetrics
  readonly log: Logger
  readonly isStopping?: () => boolean
  /** Whether ClickHouse can read its parts, for /readyz. */
  readonly arePartsSound?: () => boolean
  /** Metrics are not served here then. */
  readonly hasOwnMetricsPort?: boolean
  readonly bodyQuotas?: BodyQuotas
  readonly shares?: Pick<ReportShares, 'take'>
  readonly now?: () => number
  readonly random?: () => number
}

/** Media types of the Reporting API, report-uri, scripts and old browsers. */
const mediaTypes = ['application/reports+json', 'application/csp-report', 'application/json', 'text/plain']

/**
 * Any origin may send reports (Reporting API, 3.5.2). Beacons have credentials, for which CORS does not allow `*`
 * (Fetch, 4.10).
 */
const allowOrigin = (origin: string | undefined) => ({
  'Access-Control-Allow-Origin': origin ?? '*',
  ...(origin !== undefined && { 'Access-Control-Allow-Credentials': 'true' }),
  Vary: 'Origin',
})
const preflight = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Content-Type, Content-Encoding',
  'Access-Control-Max-Age': '86400',
}

/** Outcomes of reports from the site's pages, stored or not. */
const outcomesOfSite: ReadonlySet<Outcome> = new Set(['accepted', 'sampled_out', 'over_budget'])

function requireMediaType(contentType = ''): void {
  if (mediaTypes.includes(contentType.split(';')[0]?.trim().toLowerCase() ?? '')) return
  throw new CollectorError(415, 'unsupported_media_type', `Content-Type must be one of ${mediaTypes.join(', ')}`)
}

/** `POST /r/{siteToken}`: 204 when the log has the reports, synced. */
export function createCollector(services: CollectorServices): Hono<ApiEnv> {
  const {
    database,
    budgets,
    sites,
    store,
    metrics,
    log,
    isStopping = () => false,
    arePartsSound = () => true,
    hasOwnMetricsPort = false,
    bodyQuotas = createBodyQuotas(),
    shares = createReportShares(),
    now = Date.now,
    random = Math.random,
  } = services
  // Proxies and templates end the address with a slash.
  const app = new Hono<ApiEnv>({ strict: false })
  const { requireSite, admit, charge, chargeUnstored } = createAdmission(services)
  const ids = reportIds(randomBytes(32).toString('hex'))
  let ordinal = 0
  const makeId = (receivedAt: number) => ids(ordinal++, receivedAt)

  // A line has 330 bytes: 28 GB per day at 1,000 posts per second, which the metrics count anyway.
  app.use(observe(metrics, log, { successLevel: 'debug' }))
  app.use(headLength)
  mountHealth(app, database, budgets, {
    isStopping,
    furtherChecks: { disk: () => hasDiskRoom(database), parts: arePartsSound },
    ownChecks: { log: services.isLogWritable, sites: sites.isKnown },
    details: () => ({ log: services.describeLog?.() }),
  })
  if (!hasOwnMetricsPort) mountMetrics(app, metrics.registry)

  const route = '/r/:token'
  app.use(route, async (c, next) => {
    const request = c.get('request')
    request.operation = reportOperation
    request.route = '/r/{token}'
    Object.assign(request.responseHeaders, allowOrigin(c.req.header('Origin')))
    await next()
  })
  app.options(route, (c) => c.body(null, 204, { ...c.get('request').responseHeaders, ...preflight }))
  app.post(route, async (c) => {
    if (Number(c.req.header('Content-Length') ?? 0) > maxBodyBytes) throw tooLarge()
    requireMediaType(c.req.header('Content-Type'))
    const encoding = c.req.header('Content-Encoding')
    requireCoding(encoding)
    const admitted = admit(c)
    const siteId = admitted.then(({ id }) => id)
    const read = async (bytes: Buffer) => readElements(await readBody(bytes, encoding))
    const elements = await receiveBody(c, siteId, bodyQuotas, read).catch(async (error) => {
      await chargeUnstored(await admitted, c.get('request'), 1)
      throw error
    })
    const site = await admitted
    const userAgent = c.req.header('User-Agent') ?? ''
    const tokens = tokensOfReports(elements.length)
    if (tokens > 0) await charge(site, c.get('request'), tokens)
    let isOfSite = false
    const onOutcome = (type: string, outcome: Outcome) => {
      isOfSite ||= outcomesOfSite.has(outcome)
      metrics.countReport(type, outcome)
    }
    // A body takes up to 10 s, and the site can be deleted in that time.
    const token = c.req.param('token')
    const latest = await requireSite(token)
    const context = { site: latest, receivedAt: now(), userAgent, makeId, shares, random, onOutcome }
    const reports = readReports(elements, context)
    if (reports.length > 0) await store.store(reports, hash('sha256', token))
    else if (!isOfSite) await chargeUnstored(site, c.get('request'), 1 + tokens)
    return c.body(null, 204, c.get('request').responseHeaders)
  })
  app.all(route, () => {
    throw new CollectorError(405, 'method_not_allowed', 'Send reports with POST')
  })
  app.notFound((c) =>
    respondError(c, new CollectorError(404, 'not_found', 'There is no such path; send reports to /r/TOKEN')),
  )
  app.onError((error, c) => {
    if (error instanceof ClientDisconnected) return c.body(null, clientClosedRequest)
    const status = statusOf(error)
    const { requestId } = c.get('request')
    if (status === 500) log.error({ requestId, err: error, cause: error.cause }, 'request failed')
    else if (status >= 500) log.error({ requestId, status, reason: reasonOf(error) }, 'request failed')
    return respondError(c, error)
  })
  return app
}

/** True while ClickHouse does not respond, which is a separate check. */
const hasDiskRoom = (database: Pick<Database, 'read'>): Promise<boolean> =>
  database.read(findDiskSpace).then(
    (found) => found.every(hasRoom),
    () => true,
  )

const statusOf = (error: Error) => {
  if (error instanceof CollectorError) return error.status
  return error instanceof Problem ? problems[error.code].status : 500
}

function respondError(c: Context<ApiEnv>, error: Error): Response {
  const { requestId, responseHeaders } = c.get('request')
  const isOurs = error instanceof CollectorError || error instanceof Problem
  const { code, message } = isOurs ? error : new Problem('internal_error')
  const retryAfterSeconds = isOurs ? error.retryAfterSeconds : undefined
  if (retryAfterSeconds !== undefined) responseHeaders['Retry-After'] = String(retryAfterSeconds)
  // The rest of the body is not read, so the connection ends.
  if (code === 'payload_too_large' || code === 'overloaded') responseHeaders.Connection = 'close'
  if (code === 'method_not_allowed') responseHeaders.Allow = error instanceof Problem ? 'GET, HEAD' : 'POST, OPTIONS'
  return respondJson(c, statusOf(error), { error: { code, message, requestId } })
}
