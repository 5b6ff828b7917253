// A ClickHouse HTTP server in this process, until its stdin ends. Plain JavaScript: it starts without a loader.
import { libchdbPath } from 'chdb/libchdb'
import { DataType, load, open } from 'ffi-rs'

const args = ['clickhouse', ...process.argv.slice(2), '--structure=line String', '--input-format=LineAsString']
const listeners = args.some((arg) => arg.startsWith('--tcp_port=')) ? ['HTTP', 'TCP'] : ['HTTP']
// The source of `table` is stdin, so the last statement runs for as long as the parent holds the pipe.
const statements = [...listeners.map((name) => `SYSTEM START LISTEN ${name}`), 'SELECT * FROM table FORMAT Null']
args.push('--query', statements.join('; '))

// The log quotes failed statements with the values bound to them.
process.umask(0o077)
open({ library: 'chdb', path: libchdbPath() })
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
})
