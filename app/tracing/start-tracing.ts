import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Tracing } from './traces.ts'

/** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT; OpenTelemetry, 10 MB and 0.2 ms of CPU time a request, is not loaded then. */
export async function startTracing(config: Config, log: Logger): Promise<Tracing | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined
  const { openTracing } = await import('./open-tracing.ts')
  return openTracing(log)
}
