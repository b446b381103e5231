import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import ts from 'typescript'

/** Models whose file in `prisma/models/` is not named after the module that owns them. */
const owners: Readonly<Record<string, string>> = { webhooks: 'events' }

/** A table, and the module that owns it: the one that the file of its model in `prisma/models/` is named after. */
interface Owned {
  readonly model: string
  readonly table: string
  readonly owner: string
}

/** Every table with its owner. */
export const tables: readonly Owned[] = globSync('prisma/models/*.prisma').flatMap((path) => {
  const name = basename(path, '.prisma')
  const models = readFileSync(path, 'utf8').matchAll(/^model (\w+) \{$.*?^ {2}@@map\("(\w+)"\)$/gms)
  return [...models].map(([, model = '', table = '']) => ({ model, table, owner: owners[name] ?? name }))
})

/** What a source does with the database, besides the operations of other files that it calls. */
export interface Access {
  /** Tables that its statements name and another module owns. */
  readonly foreign: readonly string[]
  /** Whether it runs statements that are not bound to an account. */
  readonly isUnscoped: boolean
}

/** Finds the accesses of a file, `src/module/…`, by its syntax. */
export function accessOf(path: string, text: string): Access {
  const own = path.split('/')[1]
  const found = new Set<string>()
  let isUnscoped = false
  const visit = (node: ts.Node): void => {
    for (const table of tablesOf(node)) found.add(table)
    if (ts.isPropertyAccessExpression(node) && unscoped.test(node.name.text)) isUnscoped = true
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  const foreign = tables.filter(({ table, owner }) => owner !== own && found.has(table)).map(({ table }) => table)
  return { foreign: foreign.sort(), isUnscoped }
}

const unscoped = /^\$(unscoped|(query|execute)Raw(Unsafe)?)$/

/** The tables that a template, a text, a description of rows or a call of the Prisma client names. */
function tablesOf(node: ts.Node): string[] {
  if (ts.isTemplateExpression(node)) return inSql([node.head, ...node.templateSpans.map(({ literal }) => literal)])
  if (ts.isStringLiteralLike(node)) return inSql([node])
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'table') {
    const [model] = node.arguments
    return tables
      .filter((each) => model && ts.isStringLiteral(model) && each.model === model.text)
      .map(({ table }) => table)
  }
  // Shared statements, such as those of retention, get the table as an option.
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'table' && ts.isStringLiteral(node.initializer)) {
    return [node.initializer.text]
  }
  if (ts.isPropertyAccessExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression
    const isClient = /^(db|client)$/.test(ts.isPropertyAccessExpression(expression) ? expression.name.text : '')
    return tables.filter(({ model }) => isClient && lowerFirst(model) === name.text).map(({ table }) => table)
  }
  return []
}

/** Tables are named after one of these words, separated by commas, each with or without an alias. */
const place = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE|ONLY|USING)\s+((?:"?[a-z_]+"?(?:\s+[a-z]+)?\s*,\s*)*"?[a-z_]+"?)/g

function inSql(parts: readonly { text: string }[]): string[] {
  const text = parts.map((part) => part.text).join(' ? ')
  return [...text.matchAll(place)].flatMap(([, list = '']) =>
    list.split(',').map((each) => /[a-z_]+/.exec(each)?.[0] ?? ''),
  )
}

function lowerFirst(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

/** Files that may do something, with the reason that they share. */
export interface Permission {
  readonly reason: string
  /** What each file may do, such as the tables that it may name. */
  readonly files: Readonly<Record<string, readonly string[]>>
}

/** Compares what files do with what they may do. Returns what is in only one of both, as `file: what`. */
export function differences(
  found: ReadonlyMap<string, readonly string[]>,
  permissions: readonly Permission[],
): { unlisted: string[]; stale: string[] } {
  const entriesOf = (files: Iterable<readonly [string, readonly string[]]>) =>
    [...files].flatMap(([path, all]) => all.map((each) => `${path}: ${each}`))
  const actual = entriesOf(found)
  const permitted = entriesOf(permissions.flatMap(({ files }) => Object.entries(files)))
  return {
    unlisted: actual.filter((each) => !permitted.includes(each)),
    stale: permitted.filter((each) => !actual.includes(each)),
  }
}
