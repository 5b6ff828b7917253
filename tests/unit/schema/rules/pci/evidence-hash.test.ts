import { expect, test } from 'vitest'
import { canonicalJson, evidenceHash } from '../../../../../schema/rules/pci/evidence-hash.ts'

test('members are in the order of RFC 8785, 3.2.3: by UTF-16 units', () => {
  const given = JSON.parse(
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
  )
  expect(Object.values(JSON.parse(`[${canonicalJson(given).slice(1, -1).replaceAll('":"', '","')}]`))).toEqual([
    ...['\r', 'Carriage Return', '1', 'One', '\u0080', 'Control', 'ö', 'Latin Small Letter O With Diaeresis'],
    ...['€', 'Euro Sign', '😀', 'Emoji: Grinning Face', '\ufb33', 'Hebrew Letter Dalet With Dagesh'],
  ])
})

test('values are as in RFC 8785, 3.2.2', () => {
  const given = JSON.parse(`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`)
  expect(canonicalJson(given)).toBe(
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
  )
})

test('the hash does not depend on the order of members, and does on that of a list', () => {
  expect(evidenceHash({ a: 1, b: [1, 2] })).toBe(evidenceHash({ b: [1, 2], a: 1 }))
  expect(evidenceHash({ a: 1, b: [1, 2] })).not.toBe(evidenceHash({ a: 1, b: [2, 1] }))
  // printf '{"a":1}' | sha256sum
  expect(evidenceHash({ a: 1 })).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862')
})
