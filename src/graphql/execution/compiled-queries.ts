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
  type TypeNode,
  visit,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { limits } from '../documents/limits.ts'
import type { Operation } from '../documents/operations.ts'

/** Number of executions after which an operation is compiled. Compiling costs more than a few executions. */
const compileAfter = 3

/** Operations with more fields are not compiled, because compiling them would block the event loop for too long. */
const maxFields = 500

/** How often an operation was executed, and its compiled function. */
interface CompilationState {
  executions: number
  run?: Run | undefined
}

/** Executes a compiled query. The variables are coerced already. */
type Run = (
  args: ExecutionArgs,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>

/**
 * Creates what counts the executions of operations and compiles frequent queries to functions, which run several times faster
 * than graphql-js interprets them. Results are the same. Returns undefined if an operation is not compiled. Operations are
 * identified by object, so this requires the cache of parsed documents.
 */
export function newCompiler(schema: GraphQLSchema) {
  const states = new WeakMap<Operation, CompilationState>()
  const compile = (document: DocumentNode, operation: Operation): Run | undefined => {
    const query = compileQuery(
      compilable(schema),
      withCoercedVariables(document, operation),
      operation.definition.name?.value,
      { disablingCapturingStackErrors: true },
    )
    if (!isCompiledQuery(query)) return undefined
    return ({ rootValue, contextValue }, variables) => {
      const result = query.query(rootValue, contextValue, variables)
      return result instanceof Promise
        ? result.then((settled) => toInterpretedResult(settled, document))
        : toInterpretedResult(result, document)
    }
  }
  return (document: DocumentNode, operation: Operation): Run | undefined => {
    const state = states.get(operation) ?? { executions: 0 }
    states.set(operation, state)
    state.executions += 1
    const isDue = state.executions === compileAfter && operation.cost.fields <= maxFields
    if (isDue && canCompile(document, operation)) state.run = compile(document, operation)
    return state.run
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

/**
 * Returns the document with variables of the type `Coerced`, without default values. Those of the type Boolean keep it, because
 * graphql-jit does not compile `@skip` and `@include` with another.
 */
function withCoercedVariables(document: DocumentNode, { definition }: Operation): DocumentNode {
  const type = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: Coerced.name } } as const
  const variableDefinitions = definition.variableDefinitions?.map((variable) => {
    const { defaultValue: _default, ...rest } = variable
    return isBoolean(variable.type) ? rest : { ...rest, type }
  })
  const operation = { ...definition, ...(variableDefinitions && { variableDefinitions }) }
  return {
    ...document,
    definitions: document.definitions.map((each) => (each === definition ? operation : each)),
  }
}

function isBoolean(type: TypeNode): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isBoolean(type.type)
  return type.kind === Kind.NAMED_TYPE && type.name.value === 'Boolean'
}

/** Converts a result of a compiled function to what graphql-js would return. */
function toInterpretedResult(result: ExecutionResult, document: DocumentNode): ExecutionResult {
  const { data = null, errors } = result
  if (!errors) return result
  // Clients receive no more errors than this.
  return { errors: errors.slice(0, limits.executionErrors).map((error) => withPositions(error, document)), data }
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
