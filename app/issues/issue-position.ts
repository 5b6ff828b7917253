import { z } from 'zod'
import type { IssuePosition, RankedIssue } from '../../queries/issues/list-issues.ts'
import { uint64Text } from '../groups/volume-position.ts'
import { cursorTime } from '../pipeline/cursor.ts'

/** An issue's sort key as a cursor carries it: when it was last seen, then its key. */
export const issuePosition: z.ZodType<IssuePosition> = z.object({
  lastSeen: cursorTime,
  key: uint64Text,
})

export const positionOfIssue = ({ lastSeen, key }: RankedIssue): IssuePosition => ({
  lastSeen: Date.parse(lastSeen),
  key: String(key),
})
