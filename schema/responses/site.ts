import { z } from 'zod'
import { dateTimeText } from './common.ts'

export const site = z
  .object({
    id: z.guid(),
    name: z.string().meta({ description: 'Display name.' }),
    hosts: z.array(z.string()).meta({
      description: 'Lower-case hosts of the site; *.example.com matches every subdomain.',
    }),
    firstSeen: dateTimeText.nullable().meta({
      description: 'Earliest report or script sighting within retention; null if there is none.',
    }),
    lastSeen: dateTimeText.nullable().meta({ description: 'Latest report or script sighting; null if there is none.' }),
  })
  .meta({ id: 'Site' })
