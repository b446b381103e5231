import {
  coerceInputValue,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type NamedTypeNode,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql'
import { cut } from './cut.ts'
import { limits } from './limits.ts'
import { unstorableIn } from './storable.ts'

/** A variable that an operation takes. */
export interface Variable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly isRequired: boolean
  readonly definition: VariableDefinitionNode
}

/** The variables of an operation, read once. The document must be valid. */
export function variablesOf(schema: GraphQLSchema, { variableDefinitions }: OperationDefinitionNode): Variable[] {
  return (variableDefinitions ?? []).map((definition) => {
    const type = typeFromAST(schema, definition.type as NamedTypeNode)
    if (!isInputType(type)) throw new Error(`${print(definition.type)} is no input type.`)
    return { name: definition.variable.name.value, type, isRequired: isNonNullType(type), definition }
  })
}

/** The variables of an operation as its resolvers get them, or why they do not fit. */
export type Coerced = { readonly values: Readonly<Record<string, unknown>> } | { readonly errors: GraphQLError[] }

/** Thrown to stop at the last error that is reported. */
class Enough extends Error {}

/**
 * Coerces the variables that a client sent for an operation, in time and space that are linear in what was sent: at most
 * `limits.errors` errors are reported (BAD_REQUEST), each of bounded length, and no error repeats the whole input. Input
 * with too many or too deeply nested values is refused before it is looked at (QUERY_TOO_COMPLEX), then input with text
 * that cannot be stored (VALIDATION_ERROR).
 */
export function coerceVariables(variables: readonly Variable[], given: Readonly<Record<string, unknown>>): Coerced {
  const oversize = sizeFault(given)
  if (oversize !== undefined) return { errors: [error(oversize, 'QUERY_TOO_COMPLEX')] }
  const unstorable = unstorableIn(given)
  if (unstorable) {
    const { message, code, details } = unstorable
    return { errors: [new GraphQLError(message, { extensions: { code, details } })] }
  }
  const values: Record<string, unknown> = {}
  const errors: GraphQLError[] = []
  const report = (message: string, { definition }: Variable) => {
    errors.push(error(message, 'BAD_REQUEST', definition))
    if (errors.length >= limits.errors) throw new Enough()
  }
  try {
    for (const variable of variables) {
      const { name, type, isRequired, definition } = variable
      if (!Object.hasOwn(given, name)) {
        if (definition.defaultValue) values[name] = valueFromAST(definition.defaultValue, type)
        else if (isRequired) report(`Variable "$${name}" of type "${type}" is required.`, variable)
      } else if (given[name] === null && isRequired) {
        report(`Variable "$${name}" of type "${type}" must not be null.`, variable)
      } else {
        values[name] = coerceInputValue(
          given[name],
          type,
          (path, _value, { message }) =>
            report(`Variable "$${name}" got an invalid value${placeOf(name, path)}: ${message}`, variable),
          // Suggestions compare what was sent with every name of the type.
          true,
        )
      }
    }
  } catch (cause) {
    if (!(cause instanceof Enough)) throw cause
    errors.push(error('There are more errors in the variables; only the first are shown.', 'BAD_REQUEST'))
  }
  return errors.length > 0 ? { errors } : { values }
}

/** Where in a variable: ` at "input.tagIds[3]"`, or nothing if it is the variable itself. */
function placeOf(name: string, path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${cut(step, 50)}`))
  return ` at "${cut(`${name}${steps.join('')}`, 200)}"`
}

function error(message: string, code: 'BAD_REQUEST' | 'QUERY_TOO_COMPLEX', node?: VariableDefinitionNode) {
  return new GraphQLError(cut(message, limits.messageLength), { nodes: node ?? null, extensions: { code } })
}

/** Why variables are too large to be looked at, or undefined. Walks level by level, so that no depth overflows the stack. */
function sizeFault(variables: Readonly<Record<string, unknown>>): string | undefined {
  let level: object[] = [variables]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.variableDepth) return `Variables can be nested ${limits.variableDepth} levels deep at most.`
    const next: object[] = []
    for (const holder of level) {
      const held = Array.isArray(holder) ? holder : Object.values(holder)
      count += held.length
      if (count > limits.variableValues) return `Variables can hold ${limits.variableValues} values at most.`
      for (const value of held) if (typeof value === 'object' && value !== null) next.push(value)
    }
    level = next
  }
  return undefined
}
