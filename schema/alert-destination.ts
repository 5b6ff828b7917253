import { z } from 'zod'

export const destinationTypes = ['webhook', 'slack', 'email'] as const

export type DestinationType = (typeof destinationTypes)[number]

/** z.url would remove a line break and so accept two lines as one address. */
const httpAddress = z
  .string()
  .regex(/^\S{1,2000}$/)
  .pipe(z.url({ protocol: /^https?$/, abort: true }))
  .refine((address) => !new URL(address).username && !new URL(address).password)

/** Address of each type; for e-mail one recipient, because a comma would add another. */
export const destinationAddress: Readonly<Record<DestinationType, z.ZodType<string>>> = {
  webhook: httpAddress,
  slack: httpAddress,
  email: z.email().max(254),
}
