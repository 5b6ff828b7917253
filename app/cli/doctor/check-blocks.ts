import { join } from 'node:path'
import { isSetAside, listBlockFiles } from '../../collector/block-files.ts'
import type { Check } from './check.ts'

export const blocks: Check = {
  name: 'blocks',
  fix: '"blocks list" prints them; send one again by "blocks resend" when its cause is mended, or throw it away by "blocks discard"',
  async run({ config }) {
    const { DATA_DIR } = config()
    const files = await listBlockFiles(DATA_DIR)
    const folder = join(DATA_DIR, 'collector')
    const [first, ...others] = files.filter(isSetAside)
    if (first) {
      throw new Error(`${others.length + 1} blocks are set aside in ${folder}, the first ${first.token}.${first.state}`)
    }
    return files.length === 0
      ? `none in ${folder}; of a collector elsewhere it is known there`
      : `${files.length} in ${folder} are on their way, and none is set aside`
  },
}
