import { startTestEngine } from './support/engine.ts'
import { ClickHouseLogLevel } from '@clickhouse/client'
const e = await startTestEngine({ onEvent: () => {} })
await e.write.command({ query: 'create table t (tenant UInt64, a UInt64, s String) engine=MergeTree order by (tenant, a)' })
await e.write.command({ query: 'insert into t select number % 10, number, toString(number) from numbers(100000)' })
const run = async (n: number, format: any) => { const t = performance.now(); for (let i = 0; i < n; i++) { const r = await e.read.query({ query: 'select count() as c, sum(a) as s from t where tenant = {p0:UInt64} and a > {p1:UInt64}', format, query_params: { p0: 3, p1: i }, clickhouse_settings: { max_execution_time: 10, log_comment: '{"x":1}', output_format_json_quote_64bit_integers: 0 } }); await r.json() } return (performance.now() - t) / n }
await run(50, 'JSONCompact')
console.log('JSONCompact ms/query', await run(300, 'JSONCompact'))
await run(20, 'JSONCompactEachRow')
console.log('JSONCompactEachRow (worker) ms/query', await run(300, 'JSONCompactEachRow'))
const t = performance.now(); await Promise.all(Array.from({ length: 8 }, () => run(100, 'JSONCompact'))); console.log('8 parallel, ms/query', (performance.now() - t) / 800)
console.log('ping', await (async () => { const t = performance.now(); for (let i = 0; i < 300; i++) await e.read.ping(); return (performance.now() - t) / 300 })())
await e.end()
