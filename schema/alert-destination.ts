import { z } from 'zod'

export const destinationTypes = ['webhook', 'slack', 'email'] as const

export type DestinationType = (typeof destinationTypes)[number]

const httpAddress = z.url({ protocol: /^https?$/ }).max(2_000)

/** What each type's address is; for e-mail one recipient, as a comma would make two. */
export const destinationAddress: Readonly<Record<DestinationType, z.ZodType<string>>> = {
  webhook: httpAddress,
  slack: httpAddress,
  email: z.email().max(254),
}
