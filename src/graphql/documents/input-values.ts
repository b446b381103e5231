import { coerceInputValue, type GraphQLSchema, isInputType } from 'graphql'

let schema: GraphQLSchema | undefined

/** Sets the schema whose input types `readInput` reads. */
export function useInputTypes(given: GraphQLSchema): void {
  schema = given
}

/**
 * Reads a value of an input type that is part of a document, as if it were a variable. Returns the end of a sentence about the
 * first fault, with its path.
 */
export function readInput(type: string, value: unknown): { readonly value: object } | { readonly fault: string } {
  const inputType = schema?.getType(type)
  if (!isInputType(inputType)) throw new Error(`The schema has no input type ${type}.`)
  const faults: string[] = []
  // Hides suggestions, which compare the input with every name of the type.
  const result = coerceInputValue(
    value,
    inputType,
    (path, _value, { message }) => {
      faults.push(`is not a valid ${type}${path.length > 0 ? ` at ${path.join('.')}` : ''}: ${message}`.slice(0, 300))
    },
    true,
  )
  const [fault] = faults
  return fault === undefined ? { value: result as object } : { fault }
}
