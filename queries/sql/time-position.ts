/** Milliseconds since the Unix epoch, 0 for never; the id breaks ties. */
export type TimePosition<Time extends string> = Readonly<Record<Time, number>> & { readonly id: string }
