import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atEnd } from '../support/ends.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Packages of which programs of the tests use the installed copy. */
const packages = [
  ...['graphql-ws', 'ws', '@types/node', 'undici-types', '@apollo/client', '@urql/core', 'rxjs'],
  ...['graphql', 'graphql-tag', 'gql.tada', '@graphql-typed-document-node/core'],
]

/** Runs a program and returns its output. Rejects if the exit code is not 0. */
export const run = promisify(execFile)

/** A folder in which the packed client is installed. */
export interface InstalledPackage {
  readonly folder: string
  /** Paths of the files in the tarball. */
  readonly files: readonly string[]
  write(path: string, text: string): Promise<string>
  /** Type-checks files strictly and returns what the compiler reports. */
  check(files: readonly string[], options: object): Promise<string>
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-client-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Packs the package with `npm pack` and installs it with its dependencies. Packs a copy, because building the package writes
 * files beside its sources.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const source = await temporaryFolder()
  const paths = ['src/client', 'src/docs', 'tsconfig.json', 'package.json', '.config', 'LICENSE']
  for (const path of paths) await cp(join(root, path), join(source, path), { recursive: true })
  await symlink(join(root, 'node_modules'), join(source, 'node_modules'))
  const packed = join(source, 'src/client')
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error'], { cwd: packed })
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))

  const folder = await temporaryFolder()
  const unpacked = join(folder, 'node_modules/campanile')
  await mkdir(unpacked, { recursive: true })
  await run('tar', ['-xzf', join(packed, filename), '-C', unpacked, '--strip-components=1'])
  for (const name of packages) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const installed: InstalledPackage = {
    folder,
    files: files.map(({ path }: { path: string }) => path),
    write: async (path, text) => {
      await writeFile(join(folder, path), text)
      return join(folder, path)
    },
    check: async (files, options) => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
      const compilerOptions = {
        target: 'es2022',
        ...strict,
        noEmit: true,
        allowImportingTsExtensions: true,
        ...options,
      }
      await installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
      const compiler = join(root, 'node_modules/.bin/tsc')
      return (await run(compiler, ['-p', folder]).catch(({ stdout }) => ({ stdout }))).stdout
    },
  }
  await installed.write('package.json', '{ "type": "module" }')
  return installed
}
