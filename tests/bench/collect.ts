import { integerOption } from './bench-options.ts'
import { createCleanup } from './cleanup.ts'
import {
  type CollectorTarget,
  type PostRate,
  type SentPosts,
  sendPosts,
  startCollectorTarget,
} from './collector-target.ts'
import { percentile } from './percentile.ts'
import { formatNumber, toTable } from './print-results.ts'
import { measuringCommand, printLine, runCommand } from './run-command.ts'
import { measureTrickle } from './trickle.ts'
import { type ProcessUsage, watchProcess } from './watch-process.ts'

/** Reports a second: 3,000 and 20,000. */
const phases: readonly PostRate[] = [
  { postsPerSecond: 3_000, reportsPerPost: 1 },
  { postsPerSecond: 1_000, reportsPerPost: 20 },
]

const collect = measuringCommand('npm run bench:collect --', {
  about: 'Send posts of CSP reports to the collector at a steady rate, beside an idle API.',
  notes: [
    'Open loop: posts are sent at their time, however long earlier ones take. First 3,000 posts a second of one report',
    'each, then 1,000 of 20. The sender, the collector, ClickHouse and the API share the machine.',
    'With --trickle at most 500 posts a second, over the demo: the processor time of ClickHouse is then that of its blocks.',
    'Exit codes: 0, 1 if a post is not 204, a rate is missed by over 2 % or memory grows by half, 2 if nothing was measured.',
  ],
  examples: ['--seconds 60', '--trickle --seconds 40'],
})
  .addOption(integerOption('--seconds <N>', [5, 3_600], 30, 'Duration of each phase'))
  .option('--trickle', 'Send 0, 0.5, 2, 10, 50 and 500 posts a second of one report instead')
  .action(async ({ seconds, trickle }) => {
    process.exitCode = (await measure(seconds, trickle ?? false)) ? 0 : 1
  })

async function measure(seconds: number, isTrickle: boolean): Promise<boolean> {
  const cleanup = createCleanup()
  try {
    const target = await startCollectorTarget(cleanup, isTrickle)
    return await (isTrickle ? measureTrickle(target, seconds) : measureRates(target, seconds))
  } finally {
    await cleanup.run()
  }
}

async function measureRates(target: CollectorTarget, seconds: number): Promise<boolean> {
  const rows: string[][] = []
  let isMet = true
  for (const phase of phases) {
    printLine(`${phase.postsPerSecond} posts a second of ${phase.reportsPerPost} for ${seconds} s`)
    const { result, usage } = await watchProcess(target.pid, () => sendPosts(target, phase, seconds))
    rows.push(toRow(phase, seconds, result, usage))
    isMet &&= judge(phase, seconds, result, usage)
  }
  const head = ['posts/s', 'reports a post', '204/s', 'others', 'p50 ms', 'p99 ms', 'CPU ms a post', 'memory', 'most']
  process.stdout.write(`${toTable([head, ...rows])}\n${isMet ? 'met' : 'MISSED'}\n`)
  return isMet
}

function toRow(
  phase: PostRate,
  seconds: number,
  { latencies, others }: SentPosts,
  { cpuMs, memory }: ProcessUsage,
): string[] {
  return [
    String(phase.postsPerSecond),
    String(phase.reportsPerPost),
    (latencies.length / seconds).toFixed(0),
    String(others),
    percentile(latencies, 0.5).toFixed(0),
    percentile(latencies, 0.99).toFixed(0),
    (cpuMs / latencies.length).toFixed(3),
    formatNumber(memory.at(-1) ?? 0),
    formatNumber(Math.max(...memory)),
  ]
}

const judge = (
  { postsPerSecond }: PostRate,
  seconds: number,
  { latencies, others }: SentPosts,
  { memory }: ProcessUsage,
) => {
  const half = memory[memory.length >> 1] ?? 0
  return others === 0 && latencies.length >= postsPerSecond * seconds * 0.98 && (memory.at(-1) ?? 0) < half * 1.5
}

await runCommand(collect)
