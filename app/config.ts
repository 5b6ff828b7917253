import { resolve } from 'node:path'
import { z } from 'zod'
import { nodeUrls } from '../queries/clickhouse/nodes.ts'
import { outboundHost } from './worker/fetch/outbound-hosts.ts'

const anyPort = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.int().max(65_535))
const portValues = 'must be a port from 0 to 65535; 0 is any free port'

const port = (fallback: number) => anyPort.default(fallback).describe(portValues)
const optionalPort = anyPort.optional().describe(portValues)

const url = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols }).optional().describe(`must be a URL such as ${example}`)

const listOf = (text: string): string[] => (text === '' ? [] : text.split(','))

/** 32 bytes in base64. */
const secretsKey = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)

/** An origin in the form of the Origin header. */
export const webOrigin = z.url({ protocol: /^https?$/, abort: true }).refine((text) => new URL(text).origin === text)

/** Without characters that would end it in a header, or in the configuration of a web server. */
export const collectorAddress = z.url({ protocol: /^https?$/, abort: true }).regex(/^[\w.~:/[\]%-]+$/)

/** A host and a database at most. */
const databaseUrl = z.url({ protocol: /^https?$/ }).regex(/^\w+:\/\/[^/]+(\/[^/]*)?$/)

/** Environment variables that the programs read. */
export const variables = z.object({
  PORT: port(8787),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z
    .string()
    .default('.data')
    .transform((path) => resolve(path)),
  COLLECTOR_PORT: port(8788),
  COLLECTOR_URL: collectorAddress.optional().describe('must be a URL such as https://reports.example.com'),
  SITE_POSTS_PER_MINUTE: z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(1_000_000))
    .default(600_000)
    .describe('must be a whole number from 1 to 1000000'),
  COLLECTOR_LOG_BYTES: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(1_000_000))
    .default(4 * 1024 ** 3)
    .describe('must be whole bytes, at least 1000000'),
  METRICS_PORT: optionalPort,
  COLLECTOR_METRICS_PORT: optionalPort,
  WORKER_METRICS_PORT: optionalPort,
  METRICS_HOST: z.string().default('127.0.0.1'),
  DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().max(600))
    .default(0)
    .describe('must be whole seconds from 0 to 600'),
  KEEP_ALIVE_SECONDS: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(3_600))
    .default(75)
    .describe('must be whole seconds from 1 to 3600, longer than the idle timeout of the proxy in front'),
  SCAN_EVERY_HOURS: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().max(168))
    .default(24)
    .describe('must be whole hours from 1 to 168, or 0 to disable scans'),
  SCAN_USER_AGENT: z
    .string()
    .regex(/^[!-~][ -~]{0,198}[!-~]$/)
    .default('SecurityReporting-Scan/1')
    .describe('must be 2 to 200 ASCII characters without leading or trailing spaces'),
  LIBRARY_SOURCES: z
    .string()
    .default('jsdelivr,osv')
    .transform(listOf)
    .pipe(z.array(z.enum(['jsdelivr', 'osv'])))
    .describe('must be jsdelivr, osv, both separated by a comma, or empty to look nothing up'),
  LIBRARY_PROXY_URL: url(/^https?$/, 'http://proxy.example.com:3128'),
  OUTBOUND_ALLOWED: z
    .string()
    .default('')
    .transform(listOf)
    .pipe(z.array(outboundHost))
    .describe(
      'must be hosts separated by commas, each with a port, :* or neither, such as shop.corp.example.com,*.lan:8443,127.0.0.1:*',
    ),
  SECRETS_KEY: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(secretsKey).max(5))
    .optional()
    .describe(
      'must be one or more keys from "openssl rand -base64 32", separated by commas: the first encrypts, all decrypt',
    ),
  SMTP_URL: url(/^smtps?$/, 'smtps://user:password@mail.example.com'),
  MAIL_FROM: z.email().optional().describe('must be one e-mail address, such as alerts@example.com'),
  PUBLIC_URL: webOrigin.optional().describe('must be an origin such as https://reports.example.com'),
  DIGEST_HOUR: z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.int().max(23))
    .default(8)
    .describe('must be an hour of the day in UTC, from 0 to 23'),
  CLICKHOUSE_PORT: port(8123),
  CLICKHOUSE_URL: z
    .string()
    .refine((urls) => nodeUrls(urls).every((node) => databaseUrl.safeParse(node).success))
    .optional()
    .describe(
      'must be a URL such as http://user:password@host:8123/database; for a cluster, list the hosts: a:8123,b:8123',
    ),
  CLICKHOUSE_CLUSTER: z
    .literal('1')
    .transform(() => true)
    .optional()
    .describe('must be 1 if CLICKHOUSE_URL lists the nodes of a cluster, or unset'),
  CLICKHOUSE_QUORUM: z
    .literal('auto')
    .optional()
    .describe(
      'must be auto, to wait for more than half of the replicas of a shard on each write, or unset, to wait for all',
    ),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .pipe(z.array(webOrigin))
    .describe('must be origins separated by commas, such as https://dash.example.com,https://ops.example.com'),
  API_KEY: z.string().optional(),
  REDIS_URL: url(/^rediss?$/, 'redis://host:6379'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, 'http://collector:4318'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf')
    .optional()
    .describe("must be http/protobuf, and OTEL_EXPORTER_OTLP_ENDPOINT the collector's HTTP port, usually 4318"),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .optional()
    .describe('must be always_on, always_off or traceidratio, optionally with the prefix parentbased_'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|[01]?\.\d+)$/)
    .transform(Number)
    .pipe(z.number().max(1))
    .optional()
    .describe('must be the ratio of traces from 0 to 1, such as 0.1'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('must be fatal, error, warn, info, debug, trace or silent'),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  NODE_ENV: z.string().optional(),
  KUBERNETES_SERVICE_HOST: z.string().optional(),
})

export type Config = Readonly<z.infer<typeof variables>>

/**
 * Public URL of the collector. Undefined if it is unknown: with CLICKHOUSE_URL the collector is rarely on this machine.
 */
export const collectorUrl = ({ COLLECTOR_URL, COLLECTOR_PORT, CLICKHOUSE_URL }: Config): string | undefined =>
  COLLECTOR_URL ?? (CLICKHOUSE_URL === undefined ? `http://127.0.0.1:${COLLECTOR_PORT}` : undefined)

/** Kubernetes' Service links: a Service named clickhouse sets CLICKHOUSE_PORT=tcp://10.0.0.1:8123 in every pod. */
const isServiceLink = (name: string, value: string) => name.endsWith('_PORT') && value.startsWith('tcp://')

const warnOnStderr = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Throws an Error of one line that names the variable and its values. An empty variable but
 * LIBRARY_SOURCES counts as unset, and so does a Service link of Kubernetes, with a warning.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  warn: (line: string) => void = warnOnStderr,
): Config {
  const set: Record<string, string> = {}
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!isServiceLink(name, value)) {
      if (value !== '' || name === 'LIBRARY_SOURCES') set[name] = value
    } else if (name in variables.shape) {
      warn(`${name} is ignored: ${value} is a Kubernetes Service link; set enableServiceLinks: false in the pod`)
    }
  }
  const parsed = variables.safeParse(set)
  if (parsed.success) return consistent(parsed.data)
  const [issue] = parsed.error.issues
  const variable = String(issue?.path[0]) as keyof typeof variables.shape
  const expected = issue?.message.startsWith('must ') ? issue.message : variables.shape[variable].description
  // A URL can contain a password, so the message quotes neither a URL nor a key.
  const quoted = /_(URL|ENDPOINT|KEY)$/.test(variable) ? '' : `, not ${JSON.stringify(set[variable])}`
  throw new Error(`${variable} ${expected}${quoted}`)
}

function consistent(config: Config): Config {
  const { CLICKHOUSE_URL = '', CLICKHOUSE_CLUSTER, CLICKHOUSE_QUORUM } = config
  if (CLICKHOUSE_CLUSTER && CLICKHOUSE_URL === '') {
    throw new Error('CLICKHOUSE_CLUSTER requires CLICKHOUSE_URL with the nodes of the cluster')
  }
  if (!CLICKHOUSE_CLUSTER && nodeUrls(CLICKHOUSE_URL).length > 1) {
    throw new Error('CLICKHOUSE_URL names several hosts: if they are a cluster, set CLICKHOUSE_CLUSTER=1')
  }
  if (CLICKHOUSE_QUORUM && !CLICKHOUSE_CLUSTER) {
    throw new Error('CLICKHOUSE_QUORUM requires CLICKHOUSE_CLUSTER=1: it counts replicas')
  }
  return config
}
