import { type DocumentNode, Kind, visit } from 'graphql'

const cache = new WeakMap<DocumentNode, ReadonlySet<string>>()

/**
 * Returns the names of the variables that a subscription uses only as the argument `after` of its root field. Their values
 * do not change the result for an event.
 */
export function resumeVariables(document: DocumentNode): ReadonlySet<string> {
  const names = cache.get(document) ?? findResumeVariables(document)
  cache.set(document, names)
  return names
}

function findResumeVariables(document: DocumentNode): ReadonlySet<string> {
  const candidates = new Set<string>()
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    for (const field of definition.selectionSet.selections) {
      if (field.kind !== Kind.FIELD) continue
      for (const { name, value } of field.arguments ?? []) {
        if (name.value === 'after' && value.kind === Kind.VARIABLE) candidates.add(value.name.value)
      }
    }
  }
  const uses = new Map<string, number>()
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => {
      uses.set(name.value, (uses.get(name.value) ?? 0) + 1)
    },
  })
  return new Set([...candidates].filter((name) => uses.get(name) === 1))
}
