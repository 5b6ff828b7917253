import { describe, expect, test } from 'vitest'
import { claimedLibrary, isSameLibrary, publicClaim } from '../../../../../schema/rules/scripts/claimed-library.ts'

describe('the library that a URL claims', () => {
  test.each([
    ['https://cdnjs.cloudflare.com/ajax/libs/jquery/3.6.0/jquery.min.js', 'jquery', '3.6.0'],
    ['https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.17.21/lodash.min.js', 'lodash.js', '4.17.21'],
    ['https://cdn.jsdelivr.net/npm/@popperjs/core@2.11.8/dist/umd/popper.min.js', '@popperjs/core', '2.11.8'],
    ['https://cdn.jsdelivr.net/npm/vue@3/dist/vue.global.js', 'vue', '3'],
    ['https://cdn.jsdelivr.net/npm/vue', 'vue', null],
    ['https://fastly.jsdelivr.net/npm/jquery@3.6.0', 'jquery', '3.6.0'],
    ['https://cdn.jsdelivr.net/gh/jquery/jquery-dist@3.6.0/dist/jquery.min.js', 'jquery-dist', '3.6.0'],
    ['https://unpkg.com/react@18.2.0/umd/react.production.min.js', 'react', '18.2.0'],
    ['https://unpkg.com/%40scope/thing@1.0.0/x.js', '@scope/thing', '1.0.0'],
    ['https://esm.sh/react@18.2.0', 'react', '18.2.0'],
    ['https://esm.sh/v135/@scope/thing@1.0.0/es2022/x.mjs', '@scope/thing', '1.0.0'],
    ['https://esm.sh/gh/owner/tool@v1.2.3/mod.js', 'tool', '1.2.3'],
    ['https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js', 'angularjs', '1.8.2'],
    ['https://ajax.aspnetcdn.com/ajax/knockout/3.5.0/knockout-latest.js', 'knockout', '3.5.0'],
    ['https://ajax.aspnetcdn.com/ajax/jQuery/jquery-3.6.0.min.js', 'jquery', '3.6.0'],
    ['https://maxcdn.bootstrapcdn.com/bootstrap/3.4.1/js/bootstrap.min.js', 'bootstrap', '3.4.1'],
    ['https://code.jquery.com/jquery-3.6.0.slim.min.js', 'jquery', '3.6.0'],
    ['https://code.jquery.com/jquery-migrate-3.3.2.min.js', 'jquery-migrate', '3.3.2'],
    ['https://code.jquery.com/ui/1.12.1/jquery-ui.min.js', 'jquery-ui', '1.12.1'],
    ['https://shop.example.test/js/moment-2.29.4.js', 'moment', '2.29.4'],
    ['https://shop.example.test/js/bootstrap-4.6.2.bundle.min.js', 'bootstrap', '4.6.2'],
    ['https://shop.example.test/js/constructor-1.0.0.js', 'constructor', '1.0.0'],
    ['https://unpkg.com/__proto__@1.0.0/x.js', '__proto__', '1.0.0'],
    ['https://shop.example.test/js/three-0.150.0-rc.1.min.js', 'three', '0.150.0-rc.1'],
  ])('the URL %s claims %s %s', (url, name, version) => {
    expect(claimedLibrary(url)).toEqual({ name, version })
  })

  test.each([
    'https://shop.example.test/assets/app.js',
    'https://shop.example.test/assets/vendor.3f9c1a.js',
    'https://shop.example.test/jquery.min.js',
    'https://shop.example.test/embed/v3.js',
    'https://shop.example.test/angular-1.8.2/angular.js',
    'https://cdn.jsdelivr.net/combine/npm/jquery@3.6.0,npm/vue@3',
    'https://cdnjs.cloudflare.com/other.js',
    'https://shop.example.test/%zz-1.2.3',
    'not a URL',
    '',
  ])('the URL %s claims no library', (url) => {
    expect(claimedLibrary(url)).toBeNull()
  })

  test.each([
    ['cdnjs.cloudflare.com', '/ajax/libs/jquery/1.0/x'],
    ['ajax.googleapis.com', '/ajax/libs/jquery/1.0/x'],
    ['ajax.aspnetcdn.com', '/ajax/jquery/1.0/x'],
    ['maxcdn.bootstrapcdn.com', '/bootstrap/1.0/x'],
    ['cdn.jsdelivr.net', '/npm/jquery@1/x'],
    ['cdn.jsdelivr.net', '/gh/owner/jquery@1/x'],
    ['unpkg.com', '/jquery@1/x'],
    ['esm.sh', '/gh/owner/jquery@1/x'],
    ['esm.sh', '/jquery@1/x'],
    ['cdn.skypack.dev', '/jquery@1/x'],
    ['ga.jspm.io', '/npm:jquery@1/x'],
    ['code.jquery.com', '/ui/1.0/x'],
  ])('a host that only contains the name of %s%s claims no library', (host, path) => {
    expect(claimedLibrary(`https://${host}${path}`)).not.toBeNull()
    for (const other of [`evil-${host}`, `${host}.evil.test`, host.replaceAll('.', 'x')]) {
      expect(claimedLibrary(`https://${other}${path}`), other).toBeNull()
    }
  })

  test('hostile URLs are read without delay', () => {
    for (const part of ['a-1', '1.1', 'a.', '-1.2', '@a/', '.min']) {
      claimedLibrary(`https://shop.example.test/${part.repeat(2_500)}`)
      claimedLibrary(`https://unpkg.com/${part.repeat(2_500)}`)
    }
  })
})

test.each([
  ['jquery', 'jQuery', true],
  ['lodash.js', 'lodash', true],
  ['angularjs', 'angular', true],
  ['chart.js', 'chartjs', true],
  ['@popperjs/core', '@popperjs/core', true],
  ['core', '@popperjs/core', true],
  ['popper.js', '@popperjs/core', true],
  ['twitter-bootstrap', 'bootstrap', true],
  ['jquery-dist', 'jquery', true],
  ['socket.io', 'socket.io-client', true],
  ['jquery', 'jquery-ui', false],
  ['react', 'preact', false],
  ['@a/core', '@b/core', false],
])('the names %s and %s are of one library: %s', (one, other, same) => {
  expect(isSameLibrary(one, other)).toBe(same)
  expect(isSameLibrary(other, one)).toBe(same)
})

describe('the library in npm that a URL of a public network claims', () => {
  test.each([
    ['https://cdn.jsdelivr.net/npm/jquery@3.4.1/dist/jquery.min.js', 'jquery', '3.4.1'],
    ['https://unpkg.com/%40scope/thing@1.0.0-rc.1/x.js', '@scope/thing', '1.0.0-rc.1'],
    ['https://unpkg.com/socket.io@4.8.1/client-dist/socket.io.js', 'socket.io', '4.8.1'],
    ['https://cdn.jsdelivr.net/npm/vue@3', 'vue', null],
    ['https://cdn.jsdelivr.net/npm/vue', 'vue', null],
    ['https://unpkg.com/vue@latest/x.js', 'vue', null],
    ['https://unpkg.com/vue@^3.0.0/x.js', 'vue', null],
    ['https://cdnjs.cloudflare.com/ajax/libs/Chart.js/4.4.1/chart.umd.js', 'chart.js', '4.4.1'],
    ['https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.17.21/lodash.min.js', 'lodash', '4.17.21'],
    ['https://cdnjs.cloudflare.com/ajax/libs/twitter-bootstrap/4.3.1/js/bootstrap.js', 'bootstrap', '4.3.1'],
    ['https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js', 'angular', '1.8.2'],
    ['https://ajax.googleapis.com/ajax/libs/jqueryui/1.12.1/jquery-ui.min.js', 'jquery-ui', '1.12.1'],
    ['https://ajax.aspnetcdn.com/ajax/jQuery/jquery-3.6.0.min.js', 'jquery', '3.6.0'],
    ['https://code.jquery.com/jquery-3.6.0.slim.min.js', 'jquery', '3.6.0'],
    ['https://code.jquery.com/ui/1.12.1/jquery-ui.min.js', 'jquery-ui', '1.12.1'],
  ])('the URL %s claims %s %s', (url, name, version) => {
    expect(publicClaim(url)).toEqual({ name, version })
    const claimed = claimedLibrary(url)
    expect(isSameLibrary(claimed?.name ?? '', name)).toBe(true)
  })

  test.each([
    'https://shop.example.test/js/moment-2.29.4.min.js',
    'https://shop.example.test/npm/jquery@3.4.1/x.js',
    'https://unpkg.com.example.test/jquery@3.4.1/x.js',
    'https://evil-unpkg.com/jquery@3.4.1/x.js',
    'https://unpkg.com@shop.example.test/jquery@3.4.1/x.js',
    'https://cdn.jsdelivr.net/gh/jquery/jquery-dist@3.6.0/dist/jquery.min.js',
    'https://esm.sh/v135/gh/owner/tool@v1.2.3/mod.js',
    'https://unpkg.com/..%2f..%2fstats@1.0.0/x.js',
    'https://unpkg.com/a%3Fb=c@1.0.0/x.js',
    'https://unpkg.com/__proto__@1.0.0/x.js',
    `https://unpkg.com/${'a'.repeat(300)}@1.0.0/x.js`,
    'not a URL',
    '',
  ])('the URL %s claims nothing', (url) => {
    expect(publicClaim(url)).toBeNull()
  })
})
