// A ClickHouse HTTP server in this process, until its stdin ends. Plain JavaScript: it starts without a loader.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const args = ['clickhouse', ...process.argv.slice(2), '--structure=line String', '--input-format=LineAsString']
const settingOf = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(`--${name}=`.length)
const listeners = settingOf('tcp_port') ? ['HTTP', 'TCP'] : ['HTTP']
// The source of `table` is stdin, so the last statement runs as long as the parent holds the pipe.
const statements = [...listeners.map((name) => `SYSTEM START LISTEN ${name}`), 'SELECT * FROM table FORMAT Null']
args.push('--query', statements.join('; '))

// The parent reads the last line.
process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`${message.replaceAll('\n', ' ')}\n`)
  process.exit(1)
})

const { libraryPath, ffi, confineProcess } = await loadLibraries().catch(failToLoad)

// The log quotes failed statements with the values bound to them.
process.umask(0o077)
const [data, logs] = [settingOf('path'), dirname(settingOf('logger.log'))]
for (const folder of [data, logs]) mkdirSync(folder, { recursive: true })
// Landlock exists only on Linux, and the libraries to permit are read from /proc; without it a start prints a line.
if (process.platform === 'linux' && existsSync('/proc/self/maps')) {
  const loaded = readFileSync('/proc/self/maps', 'utf8').match(/\/.*(?=\/[^/]+\.so)/gm)
  confineProcess({
    owns: [data],
    appends: [logs, '/dev/null'],
    reads: [
      ...[dirname(settingOf('config-file')), fileURLToPath(new URL('../server', import.meta.url))],
      ...[dirname(libraryPath), ...new Set(loaded), '/usr/share', '/sys', '/dev/urandom'],
      ...['hosts', 'host.conf', 'nsswitch.conf', 'resolv.conf'].map((file) => `/etc/${file}`),
      ...['cpuinfo', 'loadavg', 'meminfo', 'net', 'pressure', 'stat', 'sys', 'uptime'].map((file) => `/proc/${file}`),
      // Counters of threads; the folder also has their environment.
      ...['auxv', 'maps', 'stat', 'statm', 'status', 'task'].map((file) => `/proc/self/${file}`),
    ],
  })
}
try {
  ffi.open({ library: 'chdb', path: libraryPath })
} catch (error) {
  failToLoad(error)
}
ffi.load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: ffi.DataType.External,
  paramsType: [ffi.DataType.I32, ffi.DataType.StringArray],
  paramsValue: [args.length, args],
})

/** Optional dependencies: npm omits packages without a build for the machine. */
async function loadLibraries() {
  const { libchdbPath } = await import('chdb/libchdb')
  const { default: ffi } = await import('ffi-rs')
  const { confineProcess } = await import('./confine-process.mjs')
  return { libraryPath: libchdbPath(), ffi, confineProcess }
}

/** start-engine.ts adds advice. */
function failToLoad({ message }) {
  throw new Error(`Cannot load the library: ${message}`)
}
