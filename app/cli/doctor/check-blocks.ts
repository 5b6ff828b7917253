import { join } from 'node:path'
import { isSetAside, listBlockFiles } from '../../collector/block-files.ts'
import type { Check } from './check.ts'

export const blocks: Check = {
  name: 'blocks',
  fix: 'run "blocks list"; after fixing the cause, send a block again with "blocks resend", or remove it with "blocks discard"',
  async run({ config }) {
    const { DATA_DIR } = config()
    const files = await listBlockFiles(DATA_DIR)
    const folder = join(DATA_DIR, 'collector')
    const [first, ...others] = files.filter(isSetAside)
    if (first) {
      throw new Error(`${others.length + 1} blocks are set aside in ${folder}, the first ${first.token}.${first.state}`)
    }
    return files.length === 0
      ? `none in ${folder}; run doctor on each collector's machine`
      : `${files.length} in ${folder} are being sent, and none is set aside`
  },
}
