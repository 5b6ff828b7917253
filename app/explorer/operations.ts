export interface Operation {
  parameters: readonly string[]
  /** Longest window */
  maxDays?: number | undefined
}

const { operations: ofServer = '', collector } = document.getElementById('explorer')?.dataset ?? {}

/** Operations of the API by path, which the server writes into the page. */
export const operations: Readonly<Record<string, Operation>> = JSON.parse(ofServer)

/** Public URL of the collector, if the server has it. */
export const collectorUrl = collector || undefined
