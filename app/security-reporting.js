#!/usr/bin/env node
// Node runs TypeScript by itself from 22.18 on; tsx does from 20.19 on.
import { register } from 'tsx/esm/api'

register()
await import('./cli.ts')
