import {
  type Attributes,
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

/** A place in a trace, under which spans can be started later. Undefined if nothing is traced. */
export type TracePosition = Context | undefined

interface Span {
  readonly name: string
  /** Role of the span between processes, as OpenTelemetry defines it. Defaults to work inside the process. */
  readonly kind?: keyof typeof SpanKind
  readonly attributes?: Attributes
  /** Where the span begins. Defaults to the current span. */
  readonly under?: TracePosition
}

const tracer = trace.getTracer('campanile')

// Calls cost nothing in a process that traces nothing.
let isTracing = false

/** Makes `inSpan` record spans from now on. Call it after a provider of OpenTelemetry is registered. */
export function recordSpans(): void {
  isTracing = true
}

/** Returns whether `inSpan` records spans. */
export function recordsSpans(): boolean {
  return isTracing
}

/** Maximum length of names and values. Clients choose the names of operations, and with filters the text of statements. */
const maxNameLength = 100
export const maxValueLength = 4_000

/**
 * Runs work in a span of OpenTelemetry, which ends with the work. An error marks the span as failed, with its code and not its
 * message, which can contain what a person typed. If nothing is traced, only runs the work.
 */
export function inSpan<Result>(describe: () => Span, work: () => Result): Result {
  if (!isTracing) return work()
  const { name, kind = 'INTERNAL', attributes = {}, under: parent = context.active() } = describe()
  const span = tracer.startSpan(name.slice(0, maxNameLength), { kind: SpanKind[kind], attributes }, parent)
  const fail = (error: unknown) => {
    const { code, name: type } = Object(error) as { code?: unknown; name?: unknown }
    span.setStatus({ code: SpanStatusCode.ERROR, message: String(code ?? type ?? 'unknown') })
    span.end()
    return error
  }
  try {
    const result = context.with(trace.setSpan(parent, span), work)
    if (!(result instanceof Promise)) {
      span.end()
      return result
    }
    return result.then(
      (value) => {
        span.end()
        return value
      },
      (error) => {
        throw fail(error)
      },
    ) as Result
  } catch (error) {
    throw fail(error)
  }
}

/** Runs a statement in a span, but only as a part of a traced request or job: loops that look for work would fill each trace. */
export function inStatementSpan<Result>(text: string, work: () => Result): Result {
  if (!isTracing || !trace.getActiveSpan()) return work()
  const name = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'statement'
  // The text has placeholders instead of values.
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text }
  return inSpan(() => ({ name, kind: 'CLIENT', attributes }), work)
}

/** Changes the name and adds attributes of the current span. A status of 500 or more marks it as failed. */
export function describeSpan(name: string, attributes: Attributes): void {
  const span = isTracing ? trace.getActiveSpan() : undefined
  span?.updateName(name).setAttributes(attributes)
  if (Number(attributes['http.response.status_code']) >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
}

/** Returns the current position, or the one that the headers of a request name (W3C Trace Context). */
export function tracePosition(headers?: Readonly<Record<string, unknown>>): TracePosition {
  if (!isTracing) return undefined
  return headers ? propagation.extract(context.active(), headers) : context.active()
}
