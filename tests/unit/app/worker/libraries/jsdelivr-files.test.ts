import { expect, test } from 'vitest'
import { filesUrl, toLibraryFiles } from '../../../../../app/worker/libraries/jsdelivr-files.ts'
import { hashOf, packageFiles } from '../../../../support/library-sources.ts'

test('the URL has the name and the version', () => {
  expect(filesUrl('@popperjs/core', '2.11.8').href).toBe(
    'https://data.jsdelivr.com/v1/packages/npm/@popperjs/core@2.11.8?structure=flat',
  )
})

test('files are scripts of the package itself, with their hashes', () => {
  const paths = ['dist/a.js', 'dist/a.min.js', 'esm/a.mjs', 'cjs/a.cjs', 'A.JS', 'src/vendors.js']
  const others = ['LICENSE', 'a.d.ts', 'a.js.map', 'a.css', 'external/jquery/jquery.js', 'node_modules/b/b.js']
  const copies = ['dist/vendor/c.js', 'third-party/c.js', 'third_party/c.js', 'x/bower_components/c.js']
  const files = Object.fromEntries([...paths, ...others, ...copies].map((path) => [path, path]))
  const found = toLibraryFiles('a', '1.0.0', packageFiles('a@1.0.0', files))
  expect(found).toEqual(
    paths.map((path) => ({ hash: hashOf(path), name: 'a', version: '1.0.0', path, catalog: 'npm' })),
  )
})

test.each([
  {},
  { files: [{ name: '/a.js', hash: 'abc' }] },
  { files: [{ type: 'directory', name: 'dist', files: [] }] },
  null,
])('the response %j has another format', (response) => {
  expect(() => toLibraryFiles('a', '1.0.0', response)).toThrow()
})
