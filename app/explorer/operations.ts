export interface Operation {
  parameters: readonly string[]
  /** Longest window */
  maxDays?: number | undefined
}

/** Operations of the API by path, which the server writes into the page. */
export const operations: Readonly<Record<string, Operation>> = JSON.parse(
  document.getElementById('explorer')?.dataset.operations ?? '',
)
