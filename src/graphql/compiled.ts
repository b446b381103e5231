import type { Plugin } from '@envelop/core'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type Source,
  type SourceLocation,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { limits } from './limits.ts'
import { type Operation, operationOf } from './operations.ts'

/** A document is compiled when it has come this often: compiling costs more than executing a few times. */
const worthCompiling = 3

/** Operations with more fields are interpreted: compiling takes the event loop for longer than executing them does. */
const mostFields = 500

/** What is known of one operation of a document. */
interface Known {
  times: number
  run?: CompiledQuery['query'] | undefined
}

/**
 * Executes queries that come often by a function compiled for them, several times faster than interpreting them; all else
 * is interpreted. Compiled queries answer the same: a test compares them. Documents are told apart by identity, so this
 * relies on the cache of parsed documents.
 */
export function compiled(): Plugin {
  const known = new WeakMap<Operation, Known>()
  return {
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const { schema, document, operationName } = args as ExecutionArgs
      const read = operationOf(schema, document, operationName)
      const operation = known.get(read) ?? { times: 0 }
      known.set(read, operation)
      operation.times += 1
      if (operation.times === worthCompiling && read.cost.fields <= mostFields && mayCompile(document, read)) {
        const query = compileQuery(schema, document, operationName ?? undefined, {
          disablingCapturingStackErrors: true,
        })
        operation.run = isCompiledQuery(query) ? query.query : undefined
      }
      const { run } = operation
      if (!run) return
      setExecuteFn((given) => {
        const result = run(given.rootValue, given.contextValue, given.variableValues)
        return result instanceof Promise
          ? result.then((settled) => finished(settled, given, executeFn))
          : finished(result, given, executeFn)
      })
    },
  }
}

/** Only queries: mutations are rare and their order matters. Directives beyond `skip` and `include` are not compiled. */
function mayCompile(document: DocumentNode, { definition }: Operation): boolean {
  if (definition.operation !== 'query') return false
  let isPlain = true
  visit(document, {
    Directive: ({ name }) => {
      if (name.value !== 'skip' && name.value !== 'include') isPlain = false
    },
  })
  return isPlain
}

/** Without data nothing has run: the variables are wrong, and the interpreter says so in its own words. */
function finished(result: ExecutionResult, given: ExecutionArgs, interpret: (args: ExecutionArgs) => unknown): unknown {
  if (!('data' in result)) return interpret(given)
  const { data, errors } = result
  if (!errors) return result
  // More of them are shown to no client.
  return { errors: errors.slice(0, limits.executionErrors).map((error) => whole(error, given.document)), data }
}

/** The compiled function's errors tell their places as lines and columns only; others are made of positions. */
function whole({ message, path, originalError, locations }: GraphQLError, document: DocumentNode): GraphQLError {
  const source = document.loc?.source
  const positions = source && locations?.map((location) => positionOf(source, location))
  return new GraphQLError(message, {
    path: path ?? null,
    originalError: originalError ?? null,
    source: source ?? null,
    positions: positions ?? null,
  })
}

function positionOf({ body }: Source, { line, column }: SourceLocation): number {
  const before = [...body.matchAll(/\r\n|[\n\r]/g)][line - 2]
  return (before ? before.index + before[0].length : 0) + column - 1
}
