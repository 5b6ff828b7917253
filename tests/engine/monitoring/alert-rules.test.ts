/** @module Each alert rule on series made by hand, of our jobs and of jobs that other programs have. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { ensureInstalled } from '../../support/ensure-installed.ts'

interface Rule {
  readonly alert: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const rulesFile = fileURLToPath(new URL('../../../clickhouse/monitoring/alerts.yaml', import.meta.url))
const rules: Rule[] = parse(readFileSync(rulesFile, 'utf8')).groups[0].rules

const folder = mkdtempSync(join(tmpdir(), 'alert-rules-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Values in promtool's notation, of a sample per step. */
type Samples = Readonly<Record<string, string>>

/** A test of promtool: the alert fires at the step with exactly these labels, beside the rule's own. */
function alertTest(alert: string, step: number, samples: Samples, labels: readonly object[], minutes = 1): object {
  const rule = rules.find((candidate) => candidate.alert === alert)
  const expected = labels.map((own) => ({
    exp_labels: { ...rule?.labels, ...own },
    exp_annotations: rule?.annotations,
  }))
  return {
    interval: `${minutes}m`,
    input_series: Object.entries(samples).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: `${step * minutes}m`, alertname: alert, exp_alerts: expected }],
  }
}

/** Throws what promtool prints of a test that fails. */
function expectPassed(tests: readonly object[], minutes = 1): void {
  const file = join(folder, 'test.yaml')
  writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: `${minutes}m`, tests }))
  expect(execFileSync(ensureInstalled('promtool'), ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS')
}

/** Buckets of a histogram of whose observations all are above 2 s. */
const slow = (name: string, job: string, label: string): Samples => ({
  [`${name}_bucket{job="${job}",${label},le="2"}`]: '0x30',
  [`${name}_bucket{job="${job}",${label},le="5"}`]: '0+60x30',
  [`${name}_bucket{job="${job}",${label},le="+Inf"}`]: '0+60x30',
})

interface Case {
  readonly samples: (job: string) => Samples
  readonly labels: Readonly<Record<string, string>>
}

const route = 'route="/v1/reports"'

const diskOf = (job: string, freePercent: number) => ({
  [`clickhouse_disk_free_bytes{job="${job}",instance="a"}`]: `${freePercent}x30`,
  [`clickhouse_disk_size_bytes{job="${job}",instance="a"}`]: '100x30',
})

/** For each alert, samples of one job at which it fires within half an hour, and its labels beside the job. */
const cases: Readonly<Record<string, Case>> = {
  ClickHouseDoesNotRespond: {
    samples: (job) => ({ [`clickhouse_faults_total{job="${job}",kind="timeout"}`]: '0+10x30' }),
    labels: {},
  },
  RedisDoesNotRespond: {
    samples: (job) => ({ [`redis_faults_total{job="${job}",kind="timeout"}`]: '0+10x30' }),
    labels: {},
  },
  InstanceDown: { samples: (job) => ({ [`up{job="${job}",instance="a"}`]: '0x30' }), labels: { instance: 'a' } },
  RequestsFail: {
    samples: (job) => ({
      [`http_request_duration_seconds_count{job="${job}",${route},status="200"}`]: '0+90x30',
      [`http_request_duration_seconds_count{job="${job}",${route},status="503"}`]: '0+10x30',
    }),
    labels: {},
  },
  RequestsSlow: { samples: (job) => slow('http_request_duration_seconds', job, route), labels: {} },
  QueryPoolFull: {
    samples: (job) => slow('clickhouse_pool_wait_seconds', job, 'pool="query"'),
    labels: { pool: 'query' },
  },
  LogFills: {
    samples: (job) => ({ [`collector_waiting_bytes{job="${job}",instance="a"}`]: '3000000000x30' }),
    labels: { instance: 'a' },
  },
  BlocksSetAside: {
    samples: (job) => ({ [`collector_blocks_set_aside{job="${job}",instance="a"}`]: '1x30' }),
    labels: { instance: 'a' },
  },
  BlockNotStored: {
    samples: (job) => ({ [`collector_oldest_block_seconds{job="${job}",instance="a"}`]: '310+60x30' }),
    labels: { instance: 'a' },
  },
  NoReports: {
    samples: (job) => ({ [`newest_report_age_seconds{job="${job}",instance="a",tenant="t",site="s"}`]: '9900+60x30' }),
    labels: { tenant: 't', site: 's' },
  },
  NoWorkerScans: { samples: (job) => ({ [`worker_lease_held{job="${job}",instance="a"}`]: '0x30' }), labels: {} },
  AlertsWait: {
    samples: (job) => ({ [`worker_oldest_unsent_alert_seconds{job="${job}",instance="a"}`]: '3660+60x30' }),
    labels: {},
  },
  DiskFills: { samples: (job) => diskOf(job, 14), labels: {} },
  DiskFull: { samples: (job) => diskOf(job, 4), labels: {} },
  EngineRestarts: {
    samples: (job) => ({ [`engine_restarts_total{job="${job}",instance="a"}`]: '0x20 1x10' }),
    labels: { instance: 'a' },
  },
  EventLoopBusy: {
    samples: (job) => ({ [`nodejs_eventloop_lag_p99_seconds{job="${job}",instance="a"}`]: '0.8x30' }),
    labels: { instance: 'a' },
  },
}

/** Alerts whose expression leaves no job. */
const withoutJob = ['NoReports']

/** Alerts of a program that is not scraped, with a metric that it always has. */
const absences: Readonly<Record<string, (job: string) => string>> = {
  NoApi: (job) => `budget_refusals_total{job="${job}",budget="key"}`,
  NoCollector: (job) => `collector_waiting_bytes{job="${job}"}`,
  NoWorker: (job) => `worker_lease_held{job="${job}"}`,
}

test.each(Object.entries(absences))('%s fires where only other programs have its metric', (alert, series) => {
  const others = { [series('shop')]: '0x30' }
  const ours = { [series('security-reporting-api')]: '0x30' }
  expectPassed([alertTest(alert, 25, others, [{}]), alertTest(alert, 25, { ...others, ...ours }, [])])
})

const ofSeries = rules.filter(({ alert }) => !(alert in absences))

test.each(ofSeries)('$alert fires for our jobs, and for no job of another program with equal metrics', ({ alert }) => {
  const { samples, labels } = cases[alert] as Case
  const expected = (job: string) => ({ ...labels, ...(!withoutJob.includes(alert) && { job }) })
  const ours = ['security-reporting-api', 'security-reporting/collector'].map((job) =>
    alertTest(alert, 25, { ...samples(job), ...samples('shop') }, [expected(job)]),
  )
  const others = ['shop', 'node', 'my-security-reporting'].map((job) => alertTest(alert, 25, samples(job), []))
  expectPassed([...ours, ...others])
})

/** Age of a site's newest report, by two instances of the API. */
const ageOf = (site: string, values: string) => ({
  [`newest_report_age_seconds{job="security-reporting-api",instance="a",tenant="t",site="${site}"}`]: values,
  [`newest_report_age_seconds{job="security-reporting-api",instance="b",tenant="t",site="${site}"}`]: values,
})

test('NoReports is of each site, from the third hour without reports until it has one', () => {
  const dayHours = 24
  const samples = {
    ...ageOf('silent', `0+3600x${10 * dayHours}`),
    ...ageOf('reporting', `30x${10 * dayHours}`),
    ...ageOf('back', `0+3600x${8 * dayHours} 30x${2 * dayHours}`),
  }
  const atHour = (hour: number, ...sites: string[]) => {
    const labels = sites.map((site) => ({ tenant: 't', site }))
    return alertTest('NoReports', hour, samples, labels, 60)
  }
  const later = [atHour(8 * dayHours, 'back', 'silent'), atHour(9 * dayHours, 'silent')]
  expectPassed([atHour(3), atHour(4, 'back', 'silent'), ...later], 60)
})
