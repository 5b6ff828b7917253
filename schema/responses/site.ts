import { z } from 'zod'
import { dateTimeText } from './common.ts'

export const site = z
  .object({
    id: z.guid(),
    name: z.string().meta({ description: 'Its name, for people.' }),
    hosts: z.array(z.string()).meta({
      description: 'Lower-case hosts whose reports are the site’s; *.example.com is every subdomain.',
    }),
    firstSeen: dateTimeText.nullable().meta({
      description: 'Its earliest report or sighting of a script that retention holds; null without one.',
    }),
    lastSeen: dateTimeText.nullable().meta({ description: 'Its latest one; null without any.' }),
  })
  .meta({ id: 'Site' })
