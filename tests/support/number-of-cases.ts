/** In a project that runs again, on other servers or with other types, what `servers` runs. */
export const runsAgain = process.env.RUNS_AGAIN !== undefined

/** Cases of a property: the given number, ten times as many where `CI=nightly`, a third in projects that run it again. */
export const numberOfCases = (usual: number): number =>
  Math.ceil((process.env.CI === 'nightly' ? 10 * usual : usual) / (runsAgain ? 3 : 1))
