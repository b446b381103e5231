import { type DocumentNode, Kind, print } from 'graphql'
import type { Route } from '../rest-bridge/envelope/route.ts'

/** The page that leads clients of the REST API to the graph: what each endpoint asks of it, as the bridge itself asks. */
export function upgradePage(routes: { v1: readonly Route[]; legacy: readonly Route[] }): string {
  const groups = [...Map.groupBy(routes.v1, ({ group }) => group), ['Legacy', routes.legacy] as const]
  const tables = groups.map(([group, all]) => `## ${group}\n\n${head}\n${all.map(row).join('\n')}\n`)
  const all = [...routes.v1, ...routes.legacy]
  const documents = new Map(all.map(({ document }) => [operationOf(document).name, document]))
  const texts = [...documents]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, document]) => `### ${name}\n\n\`\`\`graphql\n${print(document).trim()}\n\`\`\`\n`)
  return `${intro}\n${tables.join('\n')}\n## The documents\n\n${texts.join('\n')}`
}

const intro = `# From the REST API to the graph

Each endpoint is a GraphQL document that the bridge sends for you. Send it yourself, and select what you need: what took
several requests is one. This page is printed from the table of routes.

- The key is the same; it goes into \`Authorization: Bearer\` here too. Errors have the same codes, in \`extensions.code\`.
- \`id\` of REST is \`databaseId\` here; every argument that takes an id takes either.
- Page numbers are \`offset\`; \`first\` and \`after\` are quicker in long lists. \`meta.total\` is \`totalCount\`.
- Times are ISO with \`Z\`; money is \`{ amount currency }\`, exact, as text.
`

const head = '| endpoint | what | field | document |\n|---|---|---|---|'

function row({ method, path, summary, document }: Route): string {
  const { name, fields } = operationOf(document)
  return `| \`${method} ${path}\` | ${summary} | ${fields.map((field) => `\`${field}\``).join(', ')} | [${name}](#${name.toLowerCase()}) |`
}

function operationOf(document: DocumentNode): { name: string; fields: string[] } {
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)
  if (!operation?.name) throw new Error('A route has a document without a name.')
  const fields = operation.selectionSet.selections.flatMap((each) =>
    each.kind === Kind.FIELD ? [each.name.value] : [],
  )
  return { name: operation.name.value, fields: [...new Set(fields)] }
}
