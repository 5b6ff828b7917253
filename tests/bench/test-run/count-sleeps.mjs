// Preloaded into every Node process of a measured run: sums what is slept by `node:timers/promises`, by calling file.
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

const sleep = timers.setTimeout
const slept = new Map()

timers.setTimeout = async (ms, ...rest) => {
  const caller = new Error().stack?.split('\n').find((line, index) => index > 1 && !line.includes('node:'))
  const file = /\/((?:app|tests|queries|clickhouse)\/[^:)]*)/.exec(caller ?? '')?.[1] ?? 'elsewhere'
  const start = performance.now()
  try {
    return await sleep(ms, ...rest)
  } finally {
    slept.set(file, (slept.get(file) ?? 0) + performance.now() - start)
  }
}
syncBuiltinESMExports()

process.on('exit', () => {
  if (slept.size > 0) appendFileSync(process.env.SLEEPS_FILE, `${JSON.stringify([...slept])}\n`)
})
