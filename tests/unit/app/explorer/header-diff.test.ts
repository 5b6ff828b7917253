import { expect, test } from 'vitest'
import { diffHeaders } from '../../../../app/explorer/views/pages/header-diff.ts'

const part = (text: string, isOnly = false) => ({ text, isOnly })

test('only what differs is listed, by directive, with the parts that the other scan lacks', () => {
  const same = { 'x-content-type-options': 'nosniff' }
  const before = {
    ...same,
    'content-security-policy': "default-src 'self'; script-src 'self' 'sha256-YWI=' https://a.test",
    'permissions-policy': 'camera=(), geolocation=(self)',
    'referrer-policy': 'no-referrer',
    'x-frame-options': null,
  }
  const after = {
    ...same,
    'content-security-policy': "default-src 'self'; script-src 'self' 'sha256-YWI=' https://b.test; object-src",
    'permissions-policy': 'camera=(self), geolocation=(self)',
    'referrer-policy': null,
    'x-frame-options': 'deny',
  }
  expect(diffHeaders(before, after)).toEqual([
    {
      header: 'content-security-policy',
      change: 'changed',
      directives: [
        {
          name: 'script-src',
          before: [part("'self'"), part("'sha256-YWI='"), part('https://a.test', true)],
          after: [part("'self'"), part("'sha256-YWI='"), part('https://b.test', true)],
        },
        { name: 'object-src', before: undefined, after: [] },
      ],
    },
    {
      header: 'permissions-policy',
      change: 'changed',
      directives: [{ name: 'camera=', before: [part('()', true)], after: [part('(self)', true)] }],
    },
    {
      header: 'referrer-policy',
      change: 'removed',
      directives: [{ name: 'no-referrer', before: [], after: undefined }],
    },
    { header: 'x-frame-options', change: 'added', directives: [{ name: 'deny', before: undefined, after: [] }] },
  ])
  expect(diffHeaders(before, before)).toEqual([])
})
