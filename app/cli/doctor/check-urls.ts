import { onlyRow } from '../../../queries/sql/rows.ts'
import { countUrlModes } from '../../../queries/tenants/sites.ts'
import type { Check } from './check.ts'

export const urls: Check = {
  name: 'urls',
  fix: 'run "migrate" as the writer',
  async run({ database }) {
    const { sites, whole } = onlyRow(await (await database()).reader.read(countUrlModes))
    if (whole === 0) return `all ${sites} sites store URLs without visitors' secrets`
    return `${whole} of ${sites} sites store URLs whole, with tokens and mail addresses of visitors; change it with "sites update --urls names"`
  },
}
