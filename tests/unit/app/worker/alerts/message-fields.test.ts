import { expect, test } from 'vitest'
import { alertEvents } from '../../../../../schema/alert-events.ts'
import { documentedFields, fieldsOf } from '../../../../support/message-fields.ts'

const items = { issues: 'MessageIssue', scripts: 'MessageScript', policies: 'MessagePolicy', alerts: 'MessageAlert' }

test('the document of alerts has each event and each field of a message', () => {
  const types = ['data', ...alertEvents, 'digest']
  expect([...documentedFields.keys()].sort()).toEqual([...types, ...Object.keys(items)].sort())
  const documented = new Set(types.flatMap((type) => documentedFields.get(type)))
  expect([...documented].sort()).toEqual(fieldsOf('AlertMessage').sort())
})

test.each(Object.entries(items))('it has each field of %s', (name, type) => {
  expect(documentedFields.get(name)?.toSorted()).toEqual(fieldsOf(type).sort())
})
