import { type DocumentNode, Kind, visit } from 'graphql'

const known = new WeakMap<DocumentNode, ReadonlySet<string>>()

/**
 * The variables of a subscription that only say where to begin: the argument `after` of its root field. What they hold
 * makes no difference to what an event is answered with.
 */
export function resumeVariables(document: DocumentNode): ReadonlySet<string> {
  const found = known.get(document) ?? find(document)
  known.set(document, found)
  return found
}

function find(document: DocumentNode): ReadonlySet<string> {
  const beginnings = new Set<string>()
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    for (const field of definition.selectionSet.selections) {
      if (field.kind !== Kind.FIELD) continue
      for (const { name, value } of field.arguments ?? []) {
        if (name.value === 'after' && value.kind === Kind.VARIABLE) beginnings.add(value.name.value)
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
  return new Set([...beginnings].filter((name) => uses.get(name) === 1))
}
