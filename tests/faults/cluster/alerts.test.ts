import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { startTestCollector } from '../../support/collector.ts'
import { ensureInstalled } from '../../support/ensure-installed.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
}

const rulesFile = fileURLToPath(new URL('../../../clickhouse/monitoring/cluster-alerts.yaml', import.meta.url))
const rules: Rule[] = parse(readFileSync(rulesFile, 'utf8')).groups[0].rules
const folder = mkdtempSync(join(tmpdir(), 'cluster-alerts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const promtool = (...args: string[]) => execFileSync(ensureInstalled('promtool'), args, { encoding: 'utf8' })

test('promtool takes the rules', () => {
  expect(promtool('check', 'rules', rulesFile)).toContain(`SUCCESS: ${rules.length} rules found`)
})

test('every metric of a rule is of our jobs, and one that a scrape of the collector has', async () => {
  const collector = await startTestCollector({ CLICKHOUSE_URL: inject('servers').writeUrl, CLICKHOUSE_CLUSTER: '1' })
  const scraped = await (await fetch(`${collector.url}/metrics`)).text()
  await collector.close()
  const families = [...scraped.matchAll(/^# TYPE (\S+) \S+$/gm)].map(([, name]) => name)
  for (const { expr } of rules) {
    const selected = [...expr.matchAll(/\b(up|[a-z]+(?:_[a-z]+)+)\b(?!\()(.*)/g)]
    expect(selected.length, expr).toBeGreaterThan(0)
    for (const [, metric, rest] of selected) {
      expect(rest, metric).toMatch(/^\{job=~"security-reporting(-keeper)?\.\*"/)
      if (metric !== 'up') expect(families).toContain(metric)
    }
  }
  // Of the two shards here, each with a node.
  expect([...scraped.matchAll(/^clickhouse_node_up\{node=.*\} 1$/gm)]).toHaveLength(2)
  expect([...scraped.matchAll(/^clickhouse_missing_replicas\{node=.*\} 0$/gm)]).toHaveLength(2)
})

const nodes = ['http://a:8123', 'http://b:8123']
const keepers = ['1', '2', '3']

/** Series of a sound cluster, an hour long. */
const sound: Readonly<Record<string, string>> = Object.fromEntries([
  ...nodes.flatMap((node) => [
    [`clickhouse_node_up{job="security-reporting-collector",node="${node}"}`, '1'],
    [`clickhouse_replica_delay_seconds{job="security-reporting-collector",node="${node}"}`, '3'],
    [`clickhouse_oldest_insert_seconds{job="security-reporting-collector",node="${node}"}`, '9'],
    ...['readonly_tables', 'missing_replicas', 'late_quorums'].map((name) => [
      `clickhouse_${name}{job="security-reporting-collector",node="${node}"}`,
      '0',
    ]),
  ]),
  ['collector_insert_quorum{job="security-reporting-collector",instance="c"}', '2'],
  ...keepers.map((instance) => [`up{job="security-reporting-keeper",instance="${instance}"}`, '1']),
])

const ofSecond = (name: string) => `clickhouse_${name}{job="security-reporting-collector",node="http://b:8123"}`
const ofKeeper = (instance: string) => `up{job="security-reporting-keeper",instance="${instance}"}`
const second = { node: 'http://b:8123' }
const ofJob = { job: 'security-reporting-keeper' }

/** Each fault, and the alerts that it turns on with their labels; every other stays off. */
const faults: readonly (readonly [name: string, Record<string, string>, Record<string, Record<string, string>[]>])[] = [
  ['none', {}, {}],
  ['a server that does not respond', { [ofSecond('node_up')]: '0' }, { ServerDown: [second] }],
  ['tables that are read-only', { [ofSecond('readonly_tables')]: '37' }, { TablesReadOnly: [second] }],
  ['a replica that is behind', { [ofSecond('replica_delay_seconds')]: '61' }, { ReplicaBehind: [second] }],
  ['a replica that is missing', { [ofSecond('missing_replicas')]: '1' }, { ReplicasMissing: [second] }],
  [
    'a collector that knows no quorum',
    { 'collector_insert_quorum{job="security-reporting-collector",instance="c"}': '0' },
    { QuorumUnknown: [{ instance: 'c' }] },
  ],
  ['an insert that hangs', { [ofSecond('oldest_insert_seconds')]: '61' }, { InsertsHang: [second] }],
  ['a quorum that never comes', { [ofSecond('late_quorums')]: '1' }, { QuorumsLate: [second] }],
  ['one Keeper down', { [ofKeeper('3')]: '0' }, { KeeperDown: [{ ...ofJob, instance: '3' }] }],
  [
    'two Keepers down',
    { [ofKeeper('2')]: '0', [ofKeeper('3')]: '0' },
    { KeeperDown: ['2', '3'].map((instance) => ({ ...ofJob, instance })), KeepersLost: [ofJob] },
  ],
]

test.each(faults)('%s turns its alerts on, and no other', (name, changed, expected) => {
  const series = Object.entries({ ...sound, ...changed }).map(([series, value]) => ({ series, values: `${value}x60` }))
  const alert_rule_test = rules.map(({ alert, labels, annotations }) => ({
    eval_time: '10m',
    alertname: alert,
    exp_alerts: (expected[alert] ?? []).map((own) => ({
      exp_labels: { ...labels, ...own },
      exp_annotations: annotations,
    })),
  }))
  const tests = [{ interval: '30s', input_series: series, alert_rule_test }]
  const file = join(folder, `${name.replaceAll(' ', '-')}.yaml`)
  writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: '30s', tests }))
  expect(promtool('test', 'rules', file)).toContain('SUCCESS')
})

test('each alert is turned on by a fault', () => {
  const named = new Set(faults.flatMap(([, , expected]) => Object.keys(expected)))
  expect(named).toEqual(new Set(rules.map(({ alert }) => alert)))
})
