import { startEngine } from '../../clickhouse/engine/start-engine.ts'

/** A process that owns the engine of the folder in its argument, and prints it once it runs. */
const [dataDir = ''] = process.argv.slice(2)
process.stdout.write('starting\n')
process.stdout.write(`${JSON.stringify(await startEngine({ dataDir, port: 0 }))}\n`)
