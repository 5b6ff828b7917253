/** Statements of one kind, which wait for each other and for no others. */
export interface LaneRow {
  /** Reads under way at once. */
  readonly atOnce: number
  /** Of them those of one tenant; as many as there are where it is undefined. */
  readonly ofOneTenant?: number
  /** Each takes at most this long, the network included; the engine ends it then too. */
  readonly deadlineMilliseconds: number
  readonly settings?: Readonly<Record<string, string>>
}

/** A second thread would find nothing to do. */
const fewRows = { max_threads: '1' } as const

/** Every lane. */
export const lanes = {
  question: { atOnce: 24, ofOneTenant: 12, deadlineMilliseconds: 10_000 },
  /** What every request waits for: the store is taken for unavailable sooner. */
  lookUp: { atOnce: 8, deadlineMilliseconds: 2_000, settings: fewRows },
  /** Keys that were never found, which anybody can send: they wait for each other, and nobody else for them. */
  newKey: { atOnce: 4, deadlineMilliseconds: 2_000, settings: fewRows },
  /** Long statements of rollups and imports, whose memory stays flat; only users that write use it. */
  maintenance: {
    atOnce: 2,
    deadlineMilliseconds: 600_000,
    settings: { max_bytes_before_external_group_by: '1000000000', max_bytes_before_external_sort: '1000000000' },
  },
} as const satisfies Record<string, LaneRow>

export type Lane = keyof typeof lanes

/** What the engine is told of a lane's statements. */
export function laneSettings(lane: Lane): Readonly<Record<string, string>> {
  const { deadlineMilliseconds, settings }: LaneRow = lanes[lane]
  return { ...settings, max_execution_time: String(deadlineMilliseconds / 1000) }
}
