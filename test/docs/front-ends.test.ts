import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { countStreams } from '../client/count-streams.ts'
import { installPackage } from '../client/installed-package.ts'
import { until } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** Writes the files of the page to a folder, as a reader would do. */
async function project(): Promise<string> {
  const { folder } = await installPackage()
  const page = await readFile(join(root, 'src/docs/front-ends.md'), 'utf8')
  await cp(join(root, 'schema.graphql'), join(folder, 'schema.graphql'))
  for (const [, file = '', text = ''] of page.matchAll(/^```\w+ ([^\n]+)\n(.*?)^```/gms)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return folder
}

describe('front-ends.md', () => {
  let folder = ''
  const tool = (name: string, args: string[]) => run(join(root, 'node_modules/.bin', name), args, { cwd: folder })
  beforeAll(async () => {
    folder = await project()
    await tool('gql.tada', ['generate-output'])
  })

  it('generates valid types for documents, and rejects unknown fields', async () => {
    await tool('tsc', [])
    const wrong =
      "import { graphql } from './graphql.ts'\n\nexport const Wrong = graphql('{ contacts { nodes { emial } } }')\n"
    const use =
      "import type { ResultOf } from 'gql.tada'\n\nexport const email = (all: ResultOf<typeof Wrong>) => all.contacts?.nodes[0]?.emial.length\n"
    await writeFile(join(folder, 'src/wrong.ts'), use + wrong)
    await expect(tool('tsc', [])).rejects.toMatchObject({ stdout: expect.stringContaining('src/wrong.ts') })
  })

  it.each(['urql', 'apollo'])('lists contacts with %s', async (client) => {
    const world = await newWorld()
    const { email } = await world.contact()
    // Like an application, the folder has its own copies of the client and of graphql.
    const program = `import { emails } from ${JSON.stringify(pathToFileURL(join(folder, `src/${client}.ts`)))}
      console.log(JSON.stringify(await emails(${JSON.stringify(`${world.server.url}/graphql`)}, ${JSON.stringify(world.mainKey)})))
      process.exit()`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
    expect(JSON.parse(stdout)).toEqual([email])
  })

  it.each(['urql', 'apollo', 'client'])('follows the contacts that are created with %s', async (client) => {
    const world = await newWorld()
    const program = `import { followContacts } from ${JSON.stringify(pathToFileURL(join(folder, `src/${client}-live.ts`)))}
      const stop = followContacts(${JSON.stringify(`${world.server.url}/graphql`)}, ${JSON.stringify(world.mainKey)}, (email) => {
        console.log(email)
        stop()
      })`
    const running = run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
    await until(async () => (await countStreams(world)) === 1)
    const { email } = await world.contact()
    expect((await running).stdout).toBe(`${email}\n`)
  })
})
