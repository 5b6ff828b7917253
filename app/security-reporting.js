#!/usr/bin/env node
import { buildPrograms } from './build.js'

await buildPrograms(['app/cli.ts'])
await import('../.build/cli.js')
