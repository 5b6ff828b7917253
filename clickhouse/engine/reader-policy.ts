import { readerConstants, readerLimits } from './access.ts'
import type { Connections } from './connections.ts'
import { EngineError, engineError } from './errors.ts'
import { tokens } from './lexer.ts'

/**
 * What the engine's own access control leaves open to the reader in chDB: the scalar function file() reads any file,
 * expressions hide in strings (column structures, some settings), and SETTINGS of a subquery pass no constraint.
 */
export type ReaderPolicy = {
  /** Throws for a setting the reader may not send. The limits may be sent: the engine refuses to raise them. */
  checkSetting(name: string): void
  /** Throws for a text, given as the engine's own formatter prints it: no comments, no escapes in names. */
  checkText(canonical: string): void
}

/** One setting or table function that the engine knows. */
export type PolicyRow = { kind: 'setting' | 'table function'; name: string; type: string }

/** Lists the settings and table functions of this engine. */
export async function listPolicy(connections: Connections): Promise<PolicyRow[]> {
  const text = `SELECT 'setting', name, type FROM system.settings
    UNION ALL SELECT 'table function', name, '' FROM system.table_functions`
  const listed = await connections.run([text], 'TSVRaw')
  const lines = listed.bytes.toString('utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [kind, name, type] = line.split('\t')
    return { kind, name, type } as PolicyRow
  })
}

const safeTextSettings = new Set([
  'bool_false_representation',
  'bool_true_representation',
  'count_distinct_implementation',
  'force_data_skipping_indices',
  'force_optimize_projection_name',
  'format_csv_null_representation',
  'format_tsv_null_representation',
  'ignore_data_skipping_indices',
  'insert_deduplication_token',
  'log_comment',
  'output_format_pretty_grid_charset',
  'preferred_optimize_projection_name',
  'query_cache_tag',
])
const textTypes = new Set(['String', 'URI', 'Map', 'Dialect'])
const looseningName =
  /^(allow_|implicit_|query_profiler_|memory_profiler_|trace_|jemalloc_|send_logs_|opentelemetry_)|(?<!de)fault_|fuzz|untracked_memory|^(readonly|profile)$/
const safeTableFunctions = new Set(
  (
    'numbers numbers_mt zeros zeros_mt primes generateSeries generate_series merge view dictionary ' +
    'mergeTreeIndex mergeTreeProjection mergeTreeTextIndex'
  ).split(' '),
)
/** `format` is a scalar function too; as a table function the engine refuses it to the reader by itself. */
const alsoHarmless = new Set(['format'])
const leavingFunctions = new Set([
  'file',
  'catboostevaluate',
  'aiclassify',
  'aigenerate',
  'aiembed',
  'aiextract',
  'aitranslate',
])

/** Builds the policy from what this engine lists, so that what a later version adds is refused until it is known. */
export function readerPolicy(rows: readonly PolicyRow[]): ReaderPolicy {
  const refused = new Set(['profile', 'readonly', 'role'])
  const tableFunctions = new Set<string>()
  for (const { kind, name, type } of rows) {
    if (kind === 'table function') {
      if (!safeTableFunctions.has(name) && !alsoHarmless.has(name)) tableFunctions.add(name.toLowerCase())
    } else if (looseningName.test(name) || (textTypes.has(type) && !safeTextSettings.has(name))) refused.add(name)
  }
  const refusedInText = new Set([...refused, ...Object.keys(readerLimits), ...Object.keys(readerConstants)])

  return {
    checkSetting(name) {
      if (refused.has(name)) throw settingRefused(name)
    },
    checkText(canonical) {
      const all = [...tokens(canonical)]
      for (const [at, token] of all.entries()) {
        if (token.kind !== 'word' && token.kind !== 'quoted') continue
        const name = token.kind === 'quoted' ? token.text.slice(1, -1) : token.text
        const after = all[at + 1]?.text
        if (leavingFunctions.has(name.toLowerCase())) throw nameRefused(name)
        if (after === '(' && tableFunctions.has(name.toLowerCase())) throw nameRefused(name)
        if (after === '=' && refusedInText.has(name)) throw settingRefused(name)
      }
    },
  }
}

function settingRefused(name: string): EngineError {
  return new EngineError(452, 'SETTING_CONSTRAINT_VIOLATION', `The reader may not set ${name} in a query`)
}

function nameRefused(name: string): EngineError {
  return engineError('accessDenied', `reader: Not enough privileges to use ${name}`)
}
