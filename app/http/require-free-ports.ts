import { Hono } from 'hono'
import type { Config } from '../config.ts'
import { type Listener, listen } from './listen.ts'

type PortVariable = 'PORT' | 'COLLECTOR_PORT'

/** Throws an Error of one line for a port in use, before minutes of work that would end with it. */
export async function requireFreePorts(config: Config, variables: readonly PortVariable[]): Promise<void> {
  const held: Listener[] = []
  try {
    for (const variable of variables) held.push(await listen(new Hono(), config[variable], config.HOST, { variable }))
  } finally {
    await Promise.all(held.map(({ stop }) => stop()))
  }
}
