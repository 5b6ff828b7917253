import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { browserFamilies, type Keyed, queryDetails } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

const row = z.object({ key: rowBigSum, browsers: z.array(z.string()) })

const measures = { browsers: browserFamilies }

export const listCrashDetails = (filter: CrashFilter, groups: readonly Keyed[]) =>
  queryDetails({ name: 'listCrashDetails', measures, row }, keyedSlices(crashGroups(filter)), groups)
