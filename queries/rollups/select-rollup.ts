import { type DimensionName, dimensionNames, dimensionRows, isField } from '../../schema/dimensions.ts'
import { dayMs, hourMs, minuteMs } from '../../schema/durations.ts'
import { dimensionsOf, type ReportType } from '../../schema/report-types.ts'
import { storedFieldRows } from '../../schema/stored-report.ts'
import { name, type Sql, sql, text } from '../sql/sql.ts'
import { bucketTime, exactBucketTime, rawTime, reportColumn } from './columns.ts'
import type { TimedTable } from './table-slices.ts'

export interface CountTable extends TimedTable {
  readonly column: (dimension: DimensionName) => Sql
  /** The condition that chooses the dimensions' rows. */
  readonly rowsOf: (dimensions: readonly DimensionName[]) => readonly Sql[]
  /** text: ids are among other dimensions' values. */
  readonly values: 'typed' | 'text'
  /** True if a count reads few of its rows for any window. */
  readonly fewRows: boolean
}

interface QueryProfile {
  /** All types if it is empty. */
  readonly reportTypes: readonly ReportType[]
  /** Dimensions of filter terms and groupBy, without repeats. */
  readonly dimensions: readonly DimensionName[]
  readonly isGrouped: boolean
  /** Some filter term is met by values that it does not name. */
  readonly isPattern: boolean
  readonly isOfIssue: boolean
}

interface RollupSet {
  /** Only types with this dimension have rows. */
  readonly typesWith?: DimensionName
  readonly dimensions: readonly DimensionName[]
  /** Its rows are of one issue each: only types with issues have rows. */
  readonly ofIssue?: true
  /** Its rows have one dimension each, instead of every combination. */
  readonly isSingle?: true
  readonly appliesTo?: (profile: QueryProfile) => boolean
  /** Coarsest first: finer ones serve the edges. */
  readonly rollups: readonly CountTable[]
}

type Columns = Omit<CountTable, keyof TimedTable>

/** A computed dimension has a column of the same name. */
const ownColumns: Columns = {
  column: (dimension) => name(isField(dimension) ? storedFieldRows[dimension].column : dimension),
  rowsOf: () => [],
  values: 'typed',
  fewRows: false,
}

/** The value of one dimension per row. */
const valueColumns: Columns = {
  column: () => name('value'),
  rowsOf: (dimensions) => dimensions.map((dimension) => sql`dimension = ${text(dimension)}`),
  values: 'text',
  fewRows: true,
}

const pairColumns = (first: DimensionName, second: DimensionName): Columns => ({
  column: (dimension) => name(dimension === first ? 'value' : 'other_value'),
  rowsOf: () => [sql`dimensions = ${text(`${first},${second}`)}`],
  values: 'text',
  fewRows: true,
})

const rollup = (table: string, grain: number, columns = ownColumns): CountTable => ({
  table,
  grains: [grain],
  time: bucketTime,
  ...columns,
})

const ofPair = (first: DimensionName, second: DimensionName): RollupSet => ({
  typesWith: 'blockedHost',
  dimensions: [first, second],
  rollups: [rollup('reports_per_day_by_pair', dayMs, pairColumns(first, second))],
})

export const rawTable: CountTable = {
  table: 'reports',
  grains: [1],
  time: rawTime,
  ...ownColumns,
  column: reportColumn,
}

/** Without first and last times, which only groupings need. */
const byTime: CountTable = {
  table: 'reports_by_time',
  grains: [hourMs, minuteMs, 1],
  ofGrain: { [hourMs]: sql`grain = 'hour'`, [minuteMs]: sql`grain = 'minute'`, 1: sql`grain = 'millisecond'` },
  time: exactBucketTime,
  ...ownColumns,
  fewRows: true,
}

const lowCardinality = dimensionNames.filter((dimension) => dimensionRows[dimension].lowCardinality)
const highCardinality = dimensionNames.filter(
  (dimension) => isField(dimension) && !dimensionRows[dimension].lowCardinality,
)

/** Cheapest first. Another table costs as much as a million rows, so most sets have one rollup and raw edges. */
export const rollupSets: readonly RollupSet[] = [
  { dimensions: [], rollups: [byTime] },
  {
    dimensions: lowCardinality,
    isSingle: true,
    rollups: [rollup('reports_per_hour_by_cube_value', hourMs, valueColumns)],
  },
  {
    dimensions: highCardinality,
    isSingle: true,
    appliesTo: ({ isGrouped, isPattern }) => !isGrouped && !isPattern,
    rollups: [rollup('reports_per_hour_by_value', hourMs, valueColumns)],
  },
  {
    dimensions: highCardinality,
    isSingle: true,
    rollups: [
      rollup('reports_per_day_by_value', dayMs, valueColumns),
      rollup('reports_per_hour_by_value_time_ordered', hourMs, valueColumns),
    ],
  },
  {
    dimensions: lowCardinality,
    rollups: [rollup('reports_per_day_by_cube', dayMs), rollup('reports_per_hour_by_cube', hourMs)],
  },
  ofPair('siteId', 'directive'),
  ofPair('siteId', 'blockedHost'),
  ofPair('directive', 'blockedHost'),
  {
    typesWith: 'blockedHost',
    dimensions: ['blockedHost', 'directive', 'disposition', 'browserName', 'osName', 'deviceType'],
    rollups: [rollup('reports_per_day_by_blocked_host_cube', dayMs)],
  },
  {
    dimensions: ['siteId', 'documentHost', ...lowCardinality],
    rollups: [rollup('reports_per_day_by_document_host_cube', dayMs)],
  },
  {
    typesWith: 'blockedHost',
    dimensions: ['siteId', 'documentHost', 'directive', 'blockedHost'],
    rollups: [rollup('reports_per_day_by_hosts', dayMs)],
  },
  {
    dimensions: ['siteId', 'page', 'disposition', 'documentHost'],
    rollups: [rollup('reports_per_day_by_page', dayMs)],
  },
  {
    ofIssue: true,
    dimensions: ['siteId'],
    rollups: [rollup('reports_per_day_by_issue', dayMs, { ...ownColumns, fewRows: true })],
  },
]

/** Rollups of the first set that can serve the query, coarsest first; none: raw rows only. */
export function selectRollup(profile: QueryProfile): readonly CountTable[] {
  const [first = [], ...others] = profile.reportTypes.map(dimensionsOf)
  const ofTypes = first.filter((dimension) => others.every((dimensions) => dimensions.includes(dimension)))
  const set = rollupSets.find(
    ({ typesWith, ofIssue = false, dimensions, isSingle, appliesTo }) =>
      ofIssue === profile.isOfIssue &&
      (typesWith === undefined || ofTypes.includes(typesWith)) &&
      profile.dimensions.length <= (isSingle ? 1 : dimensions.length) &&
      profile.dimensions.every((dimension) => dimensions.includes(dimension)) &&
      (appliesTo?.(profile) ?? true),
  )
  return set?.rollups ?? []
}
