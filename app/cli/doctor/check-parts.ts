import { countBrokenParts } from '../../../clickhouse/broken-parts.ts'
import { damageFix, describeDamage, findDamagedPart } from '../../../clickhouse/damaged-part.ts'
import { passwordPath } from '../../../clickhouse/engine/passwords.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import type { Config } from '../../config.ts'
import { type Check, FaultWithFix } from './check.ts'
import { ofEachServer } from './of-each-server.ts'
import { unlessDenied } from './unless-denied.ts'

export const parts: Check = {
  name: 'parts',
  fix: 'give ClickHouse the users.xml of this release, and run doctor as the writer',
  async run({ config, database }) {
    return unlessDenied(async () => {
      await ofEachServer(await database(), async (server, url) => {
        const [damaged] = await server.read(findDamagedPart)
        if (damaged) throw new FaultWithFix(`${describeDamage(damaged)} at ${url}`, damageFix(damaged))
        const { parts, firstTable, firstName } = onlyRow(await server.read(countBrokenParts))
        if (parts === 0) return
        throw new FaultWithFix(
          `${parts} broken parts are detached at ${url}, for example after a power cut or a full disk, the first ${firstTable} ${firstName}`,
          `import the affected files again; once "rollups check" reports no difference, drop each part: ${dropCommand(config(), url, firstTable, firstName)}`,
        )
      })
      return 'no broken part is detached'
    })
  },
}

/** Shell command, to run as the writer. */
function dropCommand({ CLICKHOUSE_URL, DATA_DIR }: Config, url: string, table: string, part: string): string {
  const password = CLICKHOUSE_URL ? '$WRITER_PASSWORD' : `$(cat '${passwordPath(DATA_DIR, 'writer')}')`
  const statement = `ALTER TABLE ${table} DROP DETACHED PART '${part}' SETTINGS allow_drop_detached = 1`
  return `curl -s -u "writer:${password}" ${url} -d "${statement}"`
}
