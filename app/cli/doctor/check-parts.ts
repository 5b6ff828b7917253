import { countBrokenParts } from '../../../clickhouse/broken-parts.ts'
import { onlyRow } from '../../../queries/sql/only-row.ts'
import type { Check } from './check.ts'
import { ofEachServer } from './of-each-server.ts'
import { unlessDenied } from './unless-denied.ts'

export const parts: Check = {
  name: 'parts',
  fix: 'once "rollups check" is clean, drop them: ALTER TABLE ... DROP DETACHED PART; of an import, import its file again first',
  async run({ database }) {
    return unlessDenied(async () => {
      await ofEachServer(await database(), async (server, url) => {
        const { parts, first } = onlyRow(await server.read(countBrokenParts))
        if (parts === 0) return
        throw new Error(
          `${parts} broken parts are detached at ${url}, as after a power cut or a full disk, the first ${first}`,
        )
      })
      return 'none is detached as broken'
    })
  },
}
