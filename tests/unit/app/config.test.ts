import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../app/config.ts'

describe('the environment', () => {
  test('has a default for everything that the embedded engine needs', () => {
    expect(readConfig({})).toEqual({
      PORT: 8787,
      COLLECTOR_PORT: 8788,
      COLLECTOR_LOG_BYTES: 4 * 1024 ** 3,
      SITE_POSTS_PER_MINUTE: 600_000,
      HOST: '127.0.0.1',
      DATA_DIR: resolve('.data'),
      METRICS_HOST: '127.0.0.1',
      DRAIN_SECONDS: 0,
      KEEP_ALIVE_SECONDS: 75,
      SCAN_EVERY_HOURS: 24,
      SCAN_USER_AGENT: 'SecurityReporting-Scan/1',
      LIBRARY_SOURCES: ['jsdelivr', 'osv'],
      OUTBOUND_ALLOWED: [],
      DIGEST_HOUR: 8,
      CLICKHOUSE_PORT: 8123,
      CORS_ORIGINS: [],
      LOG_LEVEL: 'info',
    })
  })

  test('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', REDIS_URL: '' }).PORT).toBe(8787)
  })

  test('ignores what Kubernetes sets for Services of the names of our programs, with a warning for each of ours', () => {
    const services = ['clickhouse', 'redis', 'collector', 'metrics', 'collector-metrics', 'worker-metrics', 'api']
    const links = services.flatMap((service) => {
      const name = service.toUpperCase().replaceAll('-', '_')
      const address = 'tcp://10.96.0.7:8123'
      return [
        [`${name}_SERVICE_HOST`, '10.96.0.7'],
        [`${name}_SERVICE_PORT`, '8123'],
        [`${name}_PORT`, address],
        [`${name}_PORT_8123_TCP`, address],
        [`${name}_PORT_8123_TCP_ADDR`, '10.96.0.7'],
      ]
    })
    const warnings: string[] = []
    expect(readConfig(Object.fromEntries(links), (line) => warnings.push(line))).toEqual(readConfig({}))
    expect(warnings.map((line) => line.split(' ')[0])).toEqual([
      'CLICKHOUSE_PORT',
      'COLLECTOR_PORT',
      'METRICS_PORT',
      'COLLECTOR_METRICS_PORT',
      'WORKER_METRICS_PORT',
    ])
  })

  test.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['CLICKHOUSE_PORT', '81 23'],
    ['COLLECTOR_PORT', '70000'],
    ['METRICS_PORT', '65536'],
    ['COLLECTOR_METRICS_PORT', 'none'],
    ['WORKER_METRICS_PORT', '-1'],
    ['SECRETS_KEY', 'short'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['MAIL_FROM', 'alerts@example.com,other@example.com'],
    ['PUBLIC_URL', 'https://reports.example.com/explorer'],
    ['DIGEST_HOUR', '24'],
    ['SCAN_EVERY_HOURS', '169'],
    ['SCAN_EVERY_HOURS', '0.5'],
    ['SCAN_USER_AGENT', 'Scanner\n'],
    ['SCAN_USER_AGENT', ' Scanner'],
    ['OUTBOUND_ALLOWED', 'https://shop.lan'],
    ['OUTBOUND_ALLOWED', 'shop.lan:99999'],
    ['OUTBOUND_ALLOWED', 'shop.lan, pay.lan'],
    ['OUTBOUND_ALLOWED', ',,'],
    ['CORS_ORIGINS', 'https://a.example,'],
    ['DRAIN_SECONDS', '601'],
    ['DRAIN_SECONDS', '10s'],
    ['KEEP_ALIVE_SECONDS', '0'],
    ['KEEP_ALIVE_SECONDS', '3601'],
    ['COLLECTOR_URL', 'reports.example.com'],
    ['SITE_POSTS_PER_MINUTE', '0'],
    ['CORS_ORIGINS', 'https://dash.example/'],
    ['CORS_ORIGINS', 'https://a.example,*'],
    ['LOG_LEVEL', 'loud'],
    ['REDIS_URL', 'localhost:6379'],
    ['CLICKHOUSE_URL', 'ftp://host'],
    ['CLICKHOUSE_URL', 'http://a:8123,/reports'],
    ['CLICKHOUSE_CLUSTER', 'true'],
    ['CLICKHOUSE_QUORUM', '2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('names %s when it is %j, in one line', (variable, value) => {
    expect(() => readConfig({ [variable]: value })).toThrow(new RegExp(`^${variable} must be .*$`))
  })

  test.each(['169.254.169.254', 'shop.lan,[fd00:ec2::254]:80', 'metadata.google.internal', 'Instance-Data:*'])(
    'OUTBOUND_ALLOWED cannot open %s',
    (OUTBOUND_ALLOWED) => {
      expect(() => readConfig({ OUTBOUND_ALLOWED })).toThrow(
        /^OUTBOUND_ALLOWED must not contain \S+: link-local addresses and metadata services cannot be allowed, not ".*"$/,
      )
    },
  )

  test('names the nodes of a cluster in one URL, and says that they are one', () => {
    const CLICKHOUSE_URL = 'http://writer:pw@a:8123,b:8123/reports'
    expect(readConfig({ CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: '1' })).toMatchObject({
      CLICKHOUSE_URL,
      CLICKHOUSE_CLUSTER: true,
    })
    expect(() => readConfig({ CLICKHOUSE_URL })).toThrow(/^CLICKHOUSE_URL names several hosts: .*$/)
    expect(() => readConfig({ CLICKHOUSE_CLUSTER: '1' })).toThrow(/^CLICKHOUSE_CLUSTER requires CLICKHOUSE_URL .*$/)
    expect(() => readConfig({ CLICKHOUSE_QUORUM: 'auto' })).toThrow(
      /^CLICKHOUSE_QUORUM requires CLICKHOUSE_CLUSTER=1.*$/,
    )
  })

  test('does not quote a URL in an error, because it can hold a password, nor a key', () => {
    for (const variable of ['CLICKHOUSE_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'SECRETS_KEY']) {
      expect(() => readConfig({ [variable]: 'tcp://u:secret@host' })).toThrow(/^(?!.*secret).*$/)
    }
  })
})
