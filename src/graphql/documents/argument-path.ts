import { BREAK, type DocumentNode, Kind, type ValueNode, visit } from 'graphql'

/**
 * Returns the path of the argument or input field that gets the value of a variable, such as `ref.email`: the first in the
 * document. Undefined if there is none.
 */
export function argumentPathOf(document: DocumentNode, variable: string): readonly string[] | undefined {
  let found: readonly string[] | undefined
  visit(document, {
    Argument: ({ name, value }) => {
      const path = pathIn(value, variable)
      if (!path) return undefined
      found = [name.value, ...path]
      return BREAK
    },
  })
  return found
}

function pathIn(value: ValueNode, variable: string): readonly string[] | undefined {
  if (value.kind === Kind.VARIABLE) return value.name.value === variable ? [] : undefined
  const parts: readonly (readonly [string, ValueNode])[] =
    value.kind === Kind.OBJECT
      ? value.fields.map((field) => [field.name.value, field.value])
      : value.kind === Kind.LIST
        ? value.values.map((each, index) => [String(index), each])
        : []
  for (const [name, part] of parts) {
    const path = pathIn(part, variable)
    if (path) return [name, ...path]
  }
  return undefined
}
