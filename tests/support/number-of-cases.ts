/** Cases of a property: the given number, ten times as many where `CI=nightly`, a third in projects that run it again. */
export const numberOfCases = (usual: number): number =>
  Math.ceil((process.env.CI === 'nightly' ? 10 * usual : usual) / (process.env.RUNS_AGAIN ? 3 : 1))
