import { spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../bin/sources.js'
import { temporaryFolder } from './process.ts'

const manifest = JSON.parse(await readFile('package.json', 'utf8'))

/** Creates a folder with the launcher and these files, each a program that prints its own path. */
async function folderWith(paths: string[], engines: object = manifest.engines): Promise<string> {
  const folder = await temporaryFolder()
  await cp('bin', join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', engines }))
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), `console.log('${path}', ...process.argv.slice(2))`)
  }
  return folder
}

function launch(folder: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/run.js'), ...args])
  return { status, stdout: String(stdout), stderr: String(stderr) }
}

const sources = ['src/main.ts', 'src/cli/cli.ts', 'prisma/generated/client/client.ts']
const compiled = ['dist/src/main.js', 'dist/src/cli/cli.js']

describe('npm start and npm run cli', () => {
  it('run dist/ in a checkout until a source changes', async () => {
    const folder = await folderWith([...sources, ...compiled])
    for (const empty of ['rest-bridge', 'prisma/migrations']) await mkdir(join(folder, empty))
    await writeFile(join(folder, 'dist/sources'), fingerprintOf(folder))
    expect(launch(folder, 'main', '--demo')).toEqual({ status: 0, stdout: 'dist/src/main.js --demo\n', stderr: '' })
    await writeFile(join(folder, 'src/added.ts'), '')
    expect(launch(folder, 'main', '--demo')).toEqual({ status: 0, stdout: 'src/main.ts --demo\n', stderr: '' })
    expect(launch(folder, 'cli', 'migrate')).toEqual({ status: 0, stdout: 'src/cli/cli.ts migrate\n', stderr: '' })
  })

  it('run the sources in a checkout that was not built', async () => {
    const folder = await folderWith([...sources, ...compiled])
    expect(launch(folder, 'main', '--demo')).toEqual({ status: 0, stdout: 'src/main.ts --demo\n', stderr: '' })
  })

  it('run dist/ without sources', async () => {
    const folder = await folderWith(compiled)
    expect(launch(folder, 'main', '--demo')).toEqual({ status: 0, stdout: 'dist/src/main.js --demo\n', stderr: '' })
    expect(launch(folder, 'cli', 'migrate')).toEqual({ status: 0, stdout: 'dist/src/cli/cli.js migrate\n', stderr: '' })
  })

  it.each([
    ['nothing was built', [], manifest.engines, /^dist\/ is missing: run npm run build .*\n$/],
    ['nothing was generated', ['src/main.ts'], manifest.engines, /^The generated files are missing: run npm ci .*\n$/],
    ['Node is too old', compiled, { node: '>=99.0.0' }, /^Campanile needs Node >=99\.0\.0, this is v\d.*\n$/],
  ])('print one line if %s', async (_what, paths, engines, line) => {
    const { status, stdout, stderr } = launch(await folderWith(paths, engines), 'main')
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(line) })
  })
})

describe('npm run prepare', () => {
  const prepare = (cwd: string) => spawnSync('npm', ['run', 'prepare'], { cwd }).status

  it('succeeds without development packages, and fails with them if generating fails', async () => {
    const folder = await temporaryFolder()
    const scripts = { prepare: manifest.scripts.prepare, generate: 'exit 3' }
    await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }))
    await mkdir(join(folder, 'node_modules/graphql'), { recursive: true })
    expect(prepare(folder)).toBe(0)
    await mkdir(join(folder, 'node_modules/@graphql-codegen'))
    expect(prepare(folder)).toBe(3)
  })
})
