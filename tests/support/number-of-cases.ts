const isNightly = process.env.CI === 'nightly'

/** In a project that runs again, on other servers or with other types, what `servers` runs. */
export const runsAgain = process.env.RUNS_AGAIN !== undefined

/** Less of what is random in projects that run it again. */
const share = runsAgain ? (isNightly ? 3 : 8) : 1

const times = Number(process.env.CASES_TIMES ?? (isNightly ? 10 : 1))

/** Cases of a property: the given number, CASES_TIMES as many; ten times where `CI=nightly`. */
export const numberOfCases = (usual: number): number => Math.ceil((times * usual) / share)
