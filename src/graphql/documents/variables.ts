import {
  coerceInputValue,
  type DocumentNode,
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
import { invalid, type Refusal } from '../../kernel/errors.ts'
import { findUnstorableText, unstorableMessage } from '../../kernel/values/storable-text.ts'
import { extensionsOf } from '../schema/errors.ts'
import { argumentPathOf } from './argument-path.ts'
import { limits } from './limits.ts'
import { truncate } from './truncate.ts'

/** Input field with the text of a CSV file. The import reports unstorable text by line, so it is not checked here. */
const fileField = 'csv'

/** A variable of an operation. */
export interface Variable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly isRequired: boolean
  readonly definition: VariableDefinitionNode
}

/** Returns the variables that an operation defines. The document must be valid. */
export function variablesOf(schema: GraphQLSchema, { variableDefinitions }: OperationDefinitionNode): Variable[] {
  return (variableDefinitions ?? []).map((definition) => {
    const type = typeFromAST(schema, definition.type as NamedTypeNode)
    if (!isInputType(type)) throw new Error(`${print(definition.type)} is not an input type.`)
    return { name: definition.variable.name.value, type, isRequired: isNonNullType(type), definition }
  })
}

/** Coerced values of variables, or the errors of invalid ones. */
type CoercedVariables = { readonly values: Readonly<Record<string, unknown>> } | { readonly errors: GraphQLError[] }

/** Stops the coercion after the maximum number of errors. */
class ErrorLimitReached extends Error {}

/**
 * Coerces the variables of a request in linear time and space. Reports at most `limits.errors` errors (BAD_REQUEST) with
 * messages of limited length. Before that, refuses input with too many or too deeply nested values (QUERY_TOO_COMPLEX),
 * after that input with text that cannot be stored (VALIDATION_ERROR).
 */
export function coerceVariables(
  document: DocumentNode,
  variables: readonly Variable[],
  inputs: Readonly<Record<string, unknown>>,
): CoercedVariables {
  const oversize = sizeFault(inputs)
  if (oversize !== undefined) return { errors: [error(oversize, 'QUERY_TOO_COMPLEX')] }
  const values: Record<string, unknown> = {}
  const errors: GraphQLError[] = []
  const report = (message: string, { definition }: Variable) => {
    errors.push(error(message, 'BAD_REQUEST', definition))
    if (errors.length >= limits.errors) throw new ErrorLimitReached()
  }
  try {
    for (const variable of variables) {
      const { name, type, isRequired, definition } = variable
      if (!Object.hasOwn(inputs, name)) {
        if (definition.defaultValue) values[name] = valueFromAST(definition.defaultValue, type)
        else if (isRequired) report(`Variable "$${name}" of type "${type}" is required.`, variable)
      } else if (inputs[name] === null && isRequired) {
        report(`Variable "$${name}" of type "${type}" must not be null.`, variable)
      } else {
        values[name] = coerceInputValue(
          inputs[name],
          type,
          (path, _value, { message }) =>
            report(`Variable "$${name}" got an invalid value${placeOf(name, path)}: ${message}`, variable),
          // Hides suggestions, which compare the input with every name of the type.
          true,
        )
      }
    }
  } catch (cause) {
    if (!(cause instanceof ErrorLimitReached)) throw cause
    errors.push(error('There are more errors in the variables. Only the first are reported.', 'BAD_REQUEST'))
  }
  if (errors.length > 0) return { errors }
  const unstorable = findUnstorable(document, variables, inputs)
  if (!unstorable) return { values }
  return { errors: [new GraphQLError(unstorable.message, { extensions: extensionsOf(unstorable) })] }
}

/** Returns the VALIDATION_ERROR for text that cannot be stored, with the path of the argument that gets it. */
function findUnstorable(
  document: DocumentNode,
  variables: readonly Variable[],
  inputs: Readonly<Record<string, unknown>>,
): Refusal | undefined {
  for (const { name } of variables) {
    const place = findUnstorableText(inputs[name], fileField)
    if (!place) continue
    const path = [...(argumentPathOf(document, name) ?? []), ...place.path]
    if (path.at(-1) === fileField) continue
    return invalid({ [path.join('.')]: [place.isKey ? `${unstorableMessage} in a key` : unstorableMessage] })
  }
  return undefined
}

/** Returns the location in a variable, such as ` at "input.tagIds[3]"`. Empty for the variable itself. */
function placeOf(name: string, path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${truncate(step, 50)}`))
  return ` at "${truncate(`${name}${steps.join('')}`, 200)}"`
}

function error(message: string, code: 'BAD_REQUEST' | 'QUERY_TOO_COMPLEX', node?: VariableDefinitionNode) {
  return new GraphQLError(truncate(message, limits.messageLength), { nodes: node ?? null, extensions: { code } })
}

/** Returns which limit the variables exceed, or undefined. Walks level by level, so that no depth overflows the stack. */
function sizeFault(variables: Readonly<Record<string, unknown>>): string | undefined {
  let level: object[] = [variables]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.variableDepth) return `Variables can be nested ${limits.variableDepth} levels deep at most.`
    const next: object[] = []
    for (const holder of level) {
      const values = Array.isArray(holder) ? holder : Object.values(holder)
      count += values.length
      if (count > limits.variableValues) return `Variables can have ${limits.variableValues} values at most.`
      for (const value of values) if (typeof value === 'object' && value !== null) next.push(value)
    }
    level = next
  }
  return undefined
}
