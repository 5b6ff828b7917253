/** Orders texts by their UTF-16 units, as `sort` does without a function. */
export const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
