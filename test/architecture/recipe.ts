import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { temporaryFolder } from '../runtime/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Lines that a recipe adds to a file, before or after the line that contains the anchor. */
interface Edit {
  readonly path: string
  readonly side: 'before' | 'after'
  readonly anchor: string
  readonly lines: string
}

/** A recipe of CONTRIBUTING: its text, its edits, and its commands in order. */
interface Recipe {
  readonly text: string
  readonly edits: readonly Edit[]
  readonly commands: readonly string[]
}

/** Reads the recipe with a heading. */
export async function readRecipe(name: string): Promise<Recipe> {
  const page = await readFile(join(root, '.github/CONTRIBUTING.md'), 'utf8')
  const text = page.split(/^## /m).find((section) => section.startsWith(`${name}\n`)) ?? ''
  const edits = [
    ...text.matchAll(/^\d\. In `(.+?)`, (before|after) `(.+?)`, .+:\n {3}```\w+\n([^`]+\n) {3}```$/gm),
  ].map(([, path = '', side, anchor = '', block = '']) => ({
    path,
    side: side as Edit['side'],
    anchor,
    lines: block.replaceAll(/^ {3}/gm, ''),
  }))
  const commands = [...text.matchAll(/`(npm run [a-z]+(?::[a-z]+)?)`/g)].map(([, command = '']) => command)
  return { text, edits, commands }
}

/** Copies this checkout, follows the recipes in the copy, and returns its folder. */
export async function followRecipes(names: readonly string[]): Promise<string> {
  const recipes = await Promise.all(names.map(readRecipe))
  const copy = await temporaryFolder()
  for (const path of [
    'bin',
    'src',
    'rest-bridge',
    'prisma',
    '.config',
    'package.json',
    'tsconfig.json',
    'schema.graphql',
  ]) {
    await cp(join(root, path), join(copy, path), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const edit of recipes.flatMap(({ edits }) => edits)) await apply(copy, edit)
  // Once for all recipes, because each command takes seconds and reads what all of them changed.
  for (const command of new Set(recipes.flatMap(({ commands }) => commands))) {
    const [program = '', ...args] = command.split(' ')
    await promisify(execFile)(program, args, { cwd: copy })
  }
  return copy
}

async function apply(copy: string, { path, side, anchor, lines }: Edit): Promise<void> {
  const before = (await readFile(join(copy, path), 'utf8')).split('\n')
  const places = before.flatMap((line, index) => (line.includes(anchor) ? [index] : []))
  expect(places, `lines of ${path} with ${anchor}`).toHaveLength(1)
  const place = (places[0] as number) + (side === 'after' ? 1 : 0)
  await writeFile(join(copy, path), before.toSpliced(place, 0, lines.trimEnd()).join('\n'))
}
