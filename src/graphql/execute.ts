import { type ExecutionResult, getOperationAST } from 'graphql'
import type { System } from '../db/context.ts'
import { inSpan } from '../kernel/telemetry/tracing.ts'
import { newPrepare, type Prepare, type PrepareOptions } from './documents/prepare.ts'
import type { PreparedOperation, RunnableOperation } from './documents/prepared-operation.ts'
import { isPlainResult, type Request } from './execution/request.ts'
import { refusalOfToken } from './execution/token-limits.ts'
import { newRequestCtx, type Yoga } from './execution/yoga.ts'
import type { Stream } from './streams/stream.ts'
import type { Streams } from './streams/streams.ts'

interface ExecutorOptions extends PrepareOptions {
  readonly yoga: Yoga
  readonly system: System
  readonly streams: Streams
}

export interface Executor {
  readonly prepare: Prepare
  /** Executes an operation of a valid document. */
  run(operation: RunnableOperation, request: Request): Promise<ExecutionResult>
  /** Starts a subscription. Returns its stream, or a result with errors. */
  subscribe(operation: PreparedOperation, request: Request, transport: string): Promise<Stream | ExecutionResult>
}

/** Creates the executor that all transports share. It executes operations with the plugin of `yoga`, but without HTTP. */
export function newExecutor(options: ExecutorOptions): Executor {
  const { yoga, schema, system, streams } = options
  // Yoga executes in the context of the arguments, so that this is not needed for each request.
  const { execute } = yoga.getEnveloped({} as never)

  return {
    prepare: newPrepare(options),
    run: async (operation, request) => {
      const refusal = refusalOfToken(operation, request.admitted)
      if (refusal) return refusal
      const { isFixedDocument = false, reportsCosts, document, variables: variableValues, operationName } = operation
      const contextValue = newRequestCtx(system, { ...request, isFixedDocument, reportsCosts })
      const result: unknown = await inSpan(
        () => spanOf(operation, request),
        () => execute({ schema, document, contextValue, variableValues, operationName }),
      )
      if (!isPlainResult(result)) throw new Error('A query or mutation returned a stream.')
      return result
    },
    subscribe: async (operation, request, transport) =>
      refusalOfToken(operation, request.admitted) ?? streams.subscribe(operation, request, transport),
  }
}

/** Returns the span of an operation. It does not contain the document, which can contain personal data. */
function spanOf({ document, operationName }: RunnableOperation, { admitted }: Request) {
  const definition = getOperationAST(document, operationName)
  const name = [definition?.operation, definition?.name?.value].filter(Boolean).join(' ')
  return {
    name,
    attributes: { 'campanile.account_id': admitted.accountId, 'graphql.operation.type': definition?.operation ?? '' },
  }
}
