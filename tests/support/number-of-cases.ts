/** Cases of a property: the given number, and ten times as many where `CI=nightly`. */
export const numberOfCases = (usual: number): number => (process.env.CI === 'nightly' ? 10 * usual : usual)
