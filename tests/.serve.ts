import { startEngine } from '../clickhouse/engine/supervisor.ts'
const e = await startEngine({ dataDir: '/tmp/eng/serve', port: 0, onEvent: (x) => { if (x.event !== 'query') console.log(JSON.stringify(x)) } })
import { writeFileSync } from 'node:fs'
writeFileSync('/tmp/eng/serve.env', `URL=${e.url}\nPW=${e.writer.password}\n`)
process.on('SIGTERM', async () => { await e.stop(); process.exit() })
