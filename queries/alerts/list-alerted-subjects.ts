import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({ eventType: z.string(), subject: z.string() })

/** Which of the subjects have an alert, by event. */
export const listAlertedSubjects = (tenantId: string, subjects: readonly string[]): Query<z.infer<typeof row>> => ({
  name: 'listAlertedSubjects',
  statement: sql`
    SELECT DISTINCT event_type AS eventType, arrayJoin(arrayIntersect(subjects, ${texts(subjects)})) AS subject
    FROM alerts
    WHERE tenant_id = ${uuid(tenantId)} AND hasAny(subjects, ${texts(subjects)})`,
  row,
})
