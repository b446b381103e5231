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
  /** The statements that are not bound to an account, by the function that sends them: `name`, then `name 2`. */
  readonly unscoped: ReadonlyMap<string, Unscoped>
}

/** A statement that is not bound to an account. */
interface Unscoped {
  /** The text with parameters, if the call contains all of it. A fragment of SQL in it is a parameter too. */
  readonly text?: string | undefined
}

/** Finds the accesses of a file, `src/module/…`, by its syntax. */
export function accessOf(path: string, text: string): Access {
  const own = path.split('/')[1]
  const found = new Set<string>()
  const unscoped = new Map<string, Unscoped>()
  const add = (place: string, statement: Unscoped) => {
    const isTaken = (name: string) => unscoped.has(name)
    let name = place
    for (let n = 2; isTaken(name); n += 1) name = `${place} ${n}`
    unscoped.set(name, statement)
  }
  const visit = (node: ts.Node, place: string, isSent: boolean): void => {
    for (const table of tablesOf(node)) found.add(table)
    const sent = unscopedOf(node)
    if (sent) add(place, { text: sent.template && textOf(sent.template) })
    // SQL in a bare text is sent by a connection of its own.
    else if (!isSent && isBareText(node) && inSql(partsOf(node)).some((name) => names.has(name))) add(place, {})
    const isPart = isSent || sent !== undefined || ts.isTaggedTemplateExpression(node)
    node.forEachChild((child) => visit(child, nameOf(node) ?? place, isPart))
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), 'file', false)
  const foreign = tables.filter(({ table, owner }) => owner !== own && found.has(table)).map(({ table }) => table)
  return { foreign: foreign.sort(), unscoped }
}

/** Returns the parts between the values of each template of SQL in a file. */
export function sqlOf(path: string, text: string): string[][] {
  const found: string[][] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node) && /(^|\.)(sql|\$(query|execute)Raw)$/.test(node.tag.getText()))
      found.push(partsOf(node.template).map((part) => part.text))
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

const names = new Set(tables.map(({ table }) => table))
const methods = /^\$(unscoped|(query|execute)Raw(Unsafe)?)$/

/**
 * Returns the call of a node that sends a statement without an account, with the template of the statement if it contains one.
 */
function unscopedOf(node: ts.Node): { template?: ts.TemplateLiteral | undefined } | undefined {
  if (!(ts.isCallExpression(node) || ts.isTaggedTemplateExpression(node))) return undefined
  const callee = ts.isCallExpression(node) ? node.expression : node.tag
  if (!(ts.isPropertyAccessExpression(callee) && methods.test(callee.name.text))) return undefined
  if (ts.isTaggedTemplateExpression(node)) return { template: node.template }
  const tagged = node.arguments.find(ts.isTaggedTemplateExpression)
  return { template: tagged?.template }
}

/** Returns the name of a function, a method or a constant, which is the place of the statements in it. */
function nameOf(node: ts.Node): string | undefined {
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    (ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent))
  return isNamed && node.name && ts.isIdentifier(node.name) ? node.name.text : undefined
}

function isBareText(node: ts.Node): node is ts.TemplateLiteral | ts.StringLiteral {
  return ts.isTemplateExpression(node) || ts.isStringLiteralLike(node)
}

function partsOf(node: ts.TemplateLiteral | ts.StringLiteral): { text: string }[] {
  return ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map(({ literal }) => literal)] : [node]
}

/** Returns the text of a statement with parameters instead of its values. */
function textOf(template: ts.TemplateLiteral): string {
  return partsOf(template).reduce((text, part, place) => (place === 0 ? part.text : `${text}$${place}${part.text}`), '')
}

/** The tables that a template, a text, a description of rows or a call of the Prisma client names. */
function tablesOf(node: ts.Node): string[] {
  if (isBareText(node)) return inSql(partsOf(node))
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
