import { insertAlert, type StoredAlert } from '../../../../queries/alerts/alerts.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { render } from '../../../../queries/sql/sql.ts'
import { uuidV5 } from '../../../../schema/rules/uuid-v5.ts'
import { truncate } from '../../../import/normalise/truncate.ts'
import type { AlertMessage } from '../alert-message.ts'

interface NewAlert extends Omit<StoredAlert, 'id' | 'summary' | 'payload' | 'occurredAt'> {
  /** Identifies the alert within its tenant, so that a repeated pass creates the same alert. */
  readonly name: readonly string[]
  readonly message: Omit<AlertMessage, 'data'> & { readonly data: Omit<AlertMessage['data'], 'alertId'> }
}

const maxSummaryLength = 500

/** Stores a message in one insert, unless it or one of its subjects is stored. */
export async function storeAlert(
  database: Pick<Database, 'command'>,
  { name, message, ...alert }: NewAlert,
): Promise<void> {
  const id = uuidV5(alert.tenantId, name.join('\n'))
  const summary = truncate(message.data.summary.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), maxSummaryLength)
  const payload = JSON.stringify({ ...message, data: { alertId: id, ...message.data, summary } })
  const occurredAt = new Date(message.timestamp)
  const { text, params } = render(insertAlert({ ...alert, id, summary, payload, occurredAt }))
  await database.command(text, { params })
}
