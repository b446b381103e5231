// node test/rest/coverage.ts            prints what of the specification works, from the checks of the last test run
//                            --check    exits 1 where something that worked when the baseline was written does not
//                            --update   writes the baseline
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { legacyRoutes, v1Routes } from '../../rest-bridge/routes.ts'
import { endpoints, errorCodes, eventTypes } from './specification.ts'

const resultsFolder = 'test/generated/coverage'
const baselineFile = 'test/rest/coverage.json'

interface Entry {
  name: string
  works: boolean
}

const results = globSync(`${resultsFolder}/*.json`).flatMap((file) =>
  Object.entries(read<Record<string, boolean>>(file)),
)
const failed = new Set(results.filter(([, hasPassed]) => !hasPassed).map(([id]) => id))
const passed = new Set(results.map(([id]) => id).filter((id) => !failed.has(id)))
const idOf = new Map([...v1Routes, ...legacyRoutes].map(({ method, path, id }) => [`${method} ${path}`, id]))
const groups: [string, Entry[]][] = [
  ...Object.entries(endpoints).map(([group, rows]): [string, Entry[]] => [
    group,
    Object.entries(rows).map(([name, errors]) => ({ name, works: doesWork(name, errors) })),
  ]),
  ['Error codes', errorCodes.map((name) => ({ name, works: [...passed].some((id) => id.endsWith(`/${name}`)) }))],
  ['Events', eventTypes.map((name) => ({ name, works: passed.has(`EVENT/${name}`) }))],
]
const working = groups.flatMap(([, entries]) => entries.filter(({ works }) => works).map(({ name }) => name))

/** Whether an endpoint returns success and every error of its row in the specification. */
function doesWork(endpoint: string, errors: readonly string[]): boolean {
  const id = idOf.get(endpoint)
  return id !== undefined && ['success', ...errors].every((what) => passed.has(`${id}/${what}`))
}

function read<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, 'utf8'))
}

for (const [group, entries] of groups) {
  const works = entries.filter((entry) => entry.works)
  console.log(`${group}: ${works.length}/${entries.length}`)
  for (const { name } of works) console.log(`  ${name}`)
}
const total = groups.reduce((sum, [, entries]) => sum + entries.length, 0)
console.log(`All: ${working.length}/${total}`)

if (process.argv.includes('--update')) writeFileSync(baselineFile, `${JSON.stringify(working, null, 2)}\n`)
if (process.argv.includes('--check')) {
  const baseline = existsSync(baselineFile) ? read<string[]>(baselineFile) : []
  const lost = baseline.filter((name) => !working.includes(name))
  for (const name of lost) console.error(`${name} worked before, and does not now`)
  if (lost.length > 0) process.exitCode = 1
}
