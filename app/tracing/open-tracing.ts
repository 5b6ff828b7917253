import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import packageJson from '../../package.json' with { type: 'json' }
import type { OnOutage } from '../../queries/clickhouse/circuit-breaker.ts'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import { logOutage } from '../program/log-outage.ts'
import { type Tracing, traceBudgets, traceDatabase, traceRequest, tracerName } from './traces.ts'

const stopTimeoutMs = 5_000

/** The OpenTelemetry SDK, which reads its settings from OTEL_* variables itself. */
export function openTracing(log: Logger): Tracing {
  const named = resourceFromAttributes({ 'service.name': tracerName, 'service.version': packageJson.version })
  const exporter = reportOutages(new OTLPTraceExporter(), logOutage(log, 'The trace collector'))
  const provider = new BasicTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    // At most 2,048 spans wait; others are dropped, so that a slow collector does not delay requests.
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return {
    traceRequest,
    traceBudgets,
    traceDatabase,
    stop: () => withTimeout(stopTimeoutMs, () => provider.shutdown()).catch(() => undefined),
  }
}

function reportOutages(exporter: SpanExporter, onOutage: OnOutage): SpanExporter {
  let isFailing = false
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS
        if (failed !== isFailing) onOutage(failed ? (result.error ?? new Error('no reason')) : undefined)
        isFailing = failed
        onResult(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
