/** @module Table of all settings, generated from config.ts for "doctor --settings" and settings.md. */

import { type Config, variables } from './config.ts'

/** Meaning of each variable. Variables that only a platform sets have no entry. */
const meanings: Readonly<Record<Exclude<keyof Config, 'NODE_ENV' | 'KUBERNETES_SERVICE_HOST'>, string>> = {
  PORT: 'Port of the API',
  HOST: 'Address on which the API and the collector listen',
  DATA_DIR: 'Folder of the embedded ClickHouse, log of the collector, script copies, passwords and demo keys',
  COLLECTOR_PORT: 'Port of the collector',
  COLLECTOR_URL: 'Public URL of the collector, for the headers of a site',
  SITE_POSTS_PER_MINUTE: 'Posts per minute that the collector accepts for one site',
  COLLECTOR_LOG_BYTES: 'Bytes of reports that may wait in the log of the collector, a quarter of them for one site',
  METRICS_PORT: 'Separate port for the metrics of the API',
  COLLECTOR_METRICS_PORT: 'Separate port for the metrics of the collector',
  WORKER_METRICS_PORT: 'Port for the metrics and health of the worker',
  METRICS_HOST: 'Address of the metrics ports',
  DRAIN_SECONDS: 'Seconds of serving after SIGTERM while /readyz is 503 (10 in the image)',
  KEEP_ALIVE_SECONDS: 'Seconds until an idle connection is closed (620 in the image)',
  SCAN_EVERY_HOURS: 'Hours between scans of a monitored page',
  SCAN_USER_AGENT: 'User-Agent of scans and of requests to LIBRARY_SOURCES, which ask for a contact in it',
  LIBRARY_SOURCES:
    'Library databases to query; they receive names and versions of public libraries, but no URLs or hashes',
  LIBRARY_PROXY_URL: 'HTTP proxy to these sources; certificates are still checked',
  OUTBOUND_ALLOWED: 'Private hosts that the worker may contact',
  SECRETS_KEY: 'Keys that encrypt the addresses of alert destinations (default: DATA_DIR/secrets.key)',
  SMTP_URL: 'Mail server for alerts',
  MAIL_FROM: 'Sender of alert mails',
  PUBLIC_URL: 'Origin of the explorer for links in alerts',
  DIGEST_HOUR: 'Hour at which daily digests are sent',
  CLICKHOUSE_PORT: 'Port of the embedded ClickHouse',
  CLICKHOUSE_URL: 'ClickHouse server or cluster to use instead of the embedded engine',
  CLICKHOUSE_CLUSTER: 'Whether CLICKHOUSE_URL is a cluster',
  CLICKHOUSE_QUORUM: 'Number of replicas that must confirm a write on a cluster',
  CORS_ORIGINS: 'Origins whose pages may call the API',
  API_KEY: 'API key for commands with --api',
  REDIS_URL: 'Redis for request budgets shared by all processes (default: memory of each process)',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'OpenTelemetry collector for traces (default: no traces)',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'Protocol of the trace exporter',
  OTEL_TRACES_SAMPLER: 'Sampler of traces',
  OTEL_TRACES_SAMPLER_ARG: 'Argument of a ratio sampler',
  LOG_LEVEL: 'Lowest level that is logged',
  AWS_ACCESS_KEY_ID: 'Credentials for backups with --s3',
  AWS_SECRET_ACCESS_KEY: 'Credentials for backups with --s3',
}

/** Markdown table with one row per setting. */
export function settingsTable(): string {
  const defaults: Readonly<Record<string, unknown>> = { ...variables.parse({}), DATA_DIR: '.data' }
  const shapes: Readonly<Record<string, { readonly description?: string | undefined }>> = variables.shape
  const rows = Object.entries(meanings).map(([name, meaning]) => {
    const fallback = String(defaults[name] ?? '')
    const values = shapes[name]?.description?.replace(/^must be /, '') ?? ''
    return `| \`${name}\` | ${fallback} | ${meaning} | ${values} |`
  })
  return ['| variable | default | meaning | values |', '|---|---|---|---|', ...rows, ''].join('\n')
}
