import { onlyRow } from '../../../queries/sql/rows.ts'
import { findOldestWaiting } from '../../../queries/tenants/activity.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { isSetAside, isWaiting, listSegments, logFolder } from '../../collector/segment-folder.ts'
import { type Check, FaultWithFix } from './check.ts'

/** Age of a waiting report above which doctor fails, equal to the Prometheus alert. */
const lateSeconds = (5 * minuteMs) / 1_000

export const blocks: Check = {
  name: 'blocks',
  fix: 'run "blocks list"; after fixing the cause, send a block again with "blocks resend", or remove it with "blocks discard"',
  async run({ config, database }) {
    const folder = logFolder(config().DATA_DIR)
    const files = await listSegments(folder)
    const [first, ...others] = files.filter(isSetAside)
    if (first) {
      throw new Error(`${others.length + 1} blocks are set aside in ${folder}, the first ${first.token}.${first.state}`)
    }
    const { writer } = await database()
    const { seconds, hosts } = onlyRow(await writer.read(findOldestWaiting))
    if (seconds > lateSeconds) {
      throw new FaultWithFix(
        `Reports of the last ${Math.round(seconds / 60)} minutes are waiting in the log of the collector on ${hosts.join(', ')}`,
        'read log.waitsFor in its /readyz and fix the cause; the collector then stores them',
      )
    }
    const waiting = files.filter(isWaiting)
    return waiting.length === 0
      ? `none in ${folder}; run doctor on each collector's machine`
      : `${waiting.length} segments in ${folder} are being sent, and none is set aside`
  },
}
