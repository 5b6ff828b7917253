/** @module A built program reads the same files as its source: migrations, SQL, pages, scripts and package.json. */

import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { bundleExplorer } from '../../../app/explorer-bundle.js'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli, startCli } from '../../support/cli.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'

let source: TestApi
let database: TestDatabase
let built: SpawnedScript
let url: string

beforeAll(async () => {
  ;[source, database] = await Promise.all([startApi(), createDatabase()])
  built = spawnScript('app/serve.ts', [], {
    PORT: '0',
    METRICS_PORT: '0',
    CLICKHOUSE_URL: inject('servers').readUrl,
    REDIS_URL: inject('servers').redisUrl,
  })
  url = (await built.printed(/http:\/\/\S+/))[0]
})

afterAll(async () => {
  built.child.kill('SIGKILL')
  await Promise.all([source.close(), database.drop()])
})

const explorerFiles = Object.keys(await bundleExplorer())

test.each([
  '/',
  '/openapi.json',
  '/docs',
  '/docs/start.js',
  '/docs/search.js',
  '/docs/examples.js',
  '/docs/docs.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/explorer',
  '/explorer/served/styles.css',
  ...explorerFiles.map((file) => `/explorer/${file}`),
])('the built API serves %s as its source does', async (path) => {
  const [ofBuilt, ofSource] = await Promise.all([url, source.url].map((origin) => fetch(origin + path)))
  expect(ofBuilt?.status).toBe(200)
  expect(await ofBuilt?.text()).toBe(await ofSource?.text())
})

test('the built command line applies the migrations of the source, and lists its saved queries', async () => {
  const environment = { CLICKHOUSE_URL: database.writeUrl }
  const migrated = await startCli(['migrate'], { environment }).ended
  const names = (await readMigrations()).map(({ name }) => name)
  expect(JSON.parse(migrated.stdout)).toEqual({ applied: names })
  const saved = ['sql', '--saved']
  expect(await startCli(saved, { environment }).ended).toEqual(await cli(saved, { environment }))
})
