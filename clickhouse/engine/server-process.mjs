// A ClickHouse HTTP server in this process, until its stdin ends. Plain JavaScript: it starts without a loader.
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { libchdbPath } from 'chdb/libchdb'
import { DataType, load, open } from 'ffi-rs'
import { confineProcess } from './confine-process.mjs'

const args = ['clickhouse', ...process.argv.slice(2), '--structure=line String', '--input-format=LineAsString']
const settingOf = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(`--${name}=`.length)
const listeners = settingOf('tcp_port') ? ['HTTP', 'TCP'] : ['HTTP']
// The source of `table` is stdin, so the last statement runs for as long as the parent holds the pipe.
const statements = [...listeners.map((name) => `SYSTEM START LISTEN ${name}`), 'SELECT * FROM table FORMAT Null']
args.push('--query', statements.join('; '))

// The log quotes failed statements with the values bound to them.
process.umask(0o077)
const [data, logs] = [settingOf('path'), dirname(settingOf('logger.log'))]
for (const folder of [data, logs]) mkdirSync(folder, { recursive: true })
if (process.platform === 'linux') {
  const loaded = readFileSync('/proc/self/maps', 'utf8').match(/\/.*(?=\/[^/]+\.so)/gm)
  confineProcess({
    owns: [data],
    appends: [logs, '/dev/null'],
    reads: [
      ...[dirname(settingOf('config-file')), fileURLToPath(new URL('../server', import.meta.url))],
      ...[dirname(libchdbPath()), ...new Set(loaded), '/usr/share', '/sys', '/dev/urandom'],
      ...['hosts', 'host.conf', 'nsswitch.conf', 'resolv.conf'].map((file) => `/etc/${file}`),
      ...['cpuinfo', 'loadavg', 'meminfo', 'net', 'pressure', 'stat', 'sys', 'uptime'].map((file) => `/proc/${file}`),
      // Threads' counters; a thread's environment lies there too.
      ...['auxv', 'maps', 'stat', 'statm', 'status', 'task'].map((file) => `/proc/self/${file}`),
    ],
  })
}
open({ library: 'chdb', path: libchdbPath() })
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
})
