import { traceResolvers } from '../../graphql/execution/traced-resolvers.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import { maxValueLength, recordSpans } from '../../kernel/telemetry/tracing.ts'
import { within } from '../../kernel/work/within.ts'
import { schema } from '../schema.ts'
import type { Parts } from './parts.ts'

/** Maximum time in which the last spans are sent when the process stops, in milliseconds. */
const lastExportMs = 2_000

interface TracingSettings {
  /** Base URL of the collector. If undefined, nothing is traced. */
  readonly endpoint: string | undefined
  readonly serviceName: string
  /** Share of the traces that are recorded. Spans of a recorded trace are all recorded. */
  readonly ratio: number
  /** Maximum time that a span waits until it is sent, in milliseconds. The packages do not read its variable. */
  readonly delayMs: number
}

/**
 * Sends spans of requests, resolvers, statements, jobs and messages to a collector, if one is configured. The packages of
 * OpenTelemetry are loaded only then, because they need memory. They read further variables of OpenTelemetry themselves.
 */
export async function startTracing(
  { endpoint, serviceName, ratio, delayMs }: TracingSettings,
  log: Log,
  parts: Parts,
): Promise<void> {
  if (endpoint === undefined) return
  const [
    { context, diag, DiagLogLevel, propagation, trace },
    sdk,
    { AsyncLocalStorageContextManager },
    core,
    exporter,
    resources,
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': serviceName }),
    spanLimits: { attributeValueLengthLimit: maxValueLength },
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter({ url }), scheduledDelayMillis: delayMs }),
    ],
  })
  const report = (message: string, ...details: unknown[]) => log.warn({ details }, `tracing: ${message}`)
  const ignore = () => undefined
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, DiagLogLevel.WARN)
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  recordSpans()
  traceResolvers(schema)
  parts.add(async () => void (await within(provider.shutdown(), lastExportMs)))
}
