/** @module `npm run test:faults`: campaigns of kills, outages, full disks, moves and upgrades, clusters and replicas. */

import { defineConfig } from 'vitest/config'
import { faults, options, runsAgain } from './vitest-options.ts'

const onCluster = 'tests/faults/cluster/*.test.ts'

const onReplicas = 'tests/faults/replicas/*.test.ts'

/** Again on two shards: what depends on where rows lie. */
const again = [
  'tests/engine/*/*oracle.test.ts',
  'tests/contract/{access,expired-windows,isolation,key-scopes,missing-values,row-policies}.test.ts',
]

export default defineConfig({
  test: {
    ...options,
    projects: [
      {
        extends: true,
        test: {
          name: 'cluster',
          env: runsAgain,
          include: [onCluster, ...again],
          globalSetup: ['tests/support/programs.ts', 'tests/support/cluster-servers.ts'],
        },
      },
      { extends: true, test: { name: 'replicas', include: [onReplicas] } },
      {
        extends: true,
        test: {
          name: 'faults',
          include: [faults],
          exclude: [onCluster, onReplicas],
          globalSetup: ['tests/support/programs.ts', 'tests/support/servers.ts'],
        },
      },
    ],
  },
})
