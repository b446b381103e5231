import type { Plugin } from '@envelop/core'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  type Source,
  type SourceLocation,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { limits } from './limits.ts'
import { type Operation, operationOf } from './operations.ts'
import { coercedOf } from './variables.ts'

/** Number of executions after which an operation is compiled. Compiling costs more than a few executions. */
const compileAfter = 3

/** Operations with more fields are not compiled, because compiling them would block the event loop for too long. */
const maxFields = 500

/** How often an operation was executed, and its compiled function. */
interface CompilationState {
  executions: number
  run?: CompiledQuery['query'] | undefined
}

/**
 * Compiles frequent queries to functions, which run several times faster than graphql-js interprets them. Results are the
 * same. Operations are identified by object, so this requires the cache of parsed documents.
 */
export function compiledQueries(): Plugin {
  const states = new WeakMap<Operation, CompilationState>()
  return {
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const { schema, document, operationName } = args as ExecutionArgs
      const operation = operationOf(schema, document, operationName)
      const state = states.get(operation) ?? { executions: 0 }
      states.set(operation, state)
      state.executions += 1
      const isDue = state.executions === compileAfter && operation.cost.fields <= maxFields
      if (isDue && canCompile(document, operation)) {
        const compiled = withCoercedVariables(document, operation)
        const query = compileQuery(compilable(schema), compiled, operationName ?? undefined, {
          disablingCapturingStackErrors: true,
        })
        state.run = isCompiledQuery(query) ? query.query : undefined
      }
      const { run } = state
      if (!run) return
      setExecuteFn((runArgs) => {
        const result = run(runArgs.rootValue, runArgs.contextValue, coercedOf(args))
        return result instanceof Promise
          ? result.then((settled) => toInterpretedResult(settled, runArgs, executeFn))
          : toInterpretedResult(result, runArgs, executeFn)
      })
    },
  }
}

/** Returns whether to compile an operation: only queries, and only with the directives `skip` and `include`. */
function canCompile(document: DocumentNode, { definition }: Operation): boolean {
  if (definition.operation !== 'query') return false
  let hasOtherDirective = false
  visit(document, {
    Directive: ({ name }) => {
      if (name.value !== 'skip' && name.value !== 'include') hasOtherDirective = true
    },
  })
  return !hasOtherDirective
}

/**
 * The type of all variables of a compiled query. Their values are coerced already. For a type that contains itself, such as a
 * filter, graphql-jit would generate code until the stack overflows.
 */
const Coerced = new GraphQLScalarType({ name: 'Coerced', parseValue: (value) => value })

/** Returns the schema with the type `Coerced`. */
function compilable(schema: GraphQLSchema): GraphQLSchema {
  const getType = (name: string) => (name === Coerced.name ? Coerced : schema.getType(name))
  return Object.assign(Object.create(schema) as GraphQLSchema, { getType })
}

/** Returns the document with variables of the type `Coerced`, without default values. */
function withCoercedVariables(document: DocumentNode, { definition }: Operation): DocumentNode {
  const type = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: Coerced.name } } as const
  const variableDefinitions = definition.variableDefinitions?.map((variable) => {
    const { defaultValue: _default, ...rest } = variable
    return { ...rest, type }
  })
  const operation = { ...definition, ...(variableDefinitions && { variableDefinitions }) }
  return {
    ...document,
    definitions: document.definitions.map((each) => (each === definition ? operation : each)),
  }
}

/** Converts a result of a compiled function to what graphql-js would return. */
function toInterpretedResult(
  result: ExecutionResult,
  args: ExecutionArgs,
  interpret: (args: ExecutionArgs) => unknown,
): unknown {
  // Without data nothing has run, because the variables are invalid. graphql-js reports that in its own words.
  if (!('data' in result)) return interpret(args)
  const { data, errors } = result
  if (!errors) return result
  // Clients receive no more errors than this.
  return { errors: errors.slice(0, limits.executionErrors).map((error) => withPositions(error, args.document)), data }
}

/** Adds the source positions to an error. Errors of compiled functions have only lines and columns. */
function withPositions(
  { message, path, originalError, locations }: GraphQLError,
  document: DocumentNode,
): GraphQLError {
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
  const lineBreak = [...body.matchAll(/\r\n|[\n\r]/g)][line - 2]
  return (lineBreak ? lineBreak.index + lineBreak[0].length : 0) + column - 1
}
