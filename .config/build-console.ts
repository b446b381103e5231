// node .config/build-console.ts    builds the console to dist/console/
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { textPlugins } from './texts.ts'

const root = fileURLToPath(new URL('../src/console', import.meta.url))
const folder = fileURLToPath(new URL('../dist/console', import.meta.url))

/**
 * Builds the console to `dist/console/`: index.html with a placeholder for the nonce, and hashed assets, each also compressed.
 */
export async function buildConsole(): Promise<void> {
  // Another value in the environment of the caller would bundle React's development version.
  process.env['NODE_ENV'] = 'production'
  await build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    plugins: [...textPlugins(), react()],
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      manifest: 'manifest.json',
      modulePreload: { polyfill: false },
      target: 'es2023',
      // Browsers with `light-dark()`.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      // One file compresses better than its parts, and is requested at once.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'first', test: /\.[cm]?[jt]sx?$/, tags: ['$initial'] }] } },
      },
    },
  })
  writePreloads()
  const assets = join(folder, 'assets')
  for (const name of readdirSync(assets)) {
    const content = readFileSync(join(assets, name))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content, { params }))
    writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
}

type Manifest = Readonly<Record<string, { readonly file: string; readonly imports?: readonly string[] }>>

/**
 * Replaces Vite's manifest by preloads.json: the scripts of each path of the router, which index.html does not contain. The
 * server adds them to the page, so that the browser requests them with the first scripts and not after those were executed.
 */
function writePreloads(): void {
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  rmSync(path)
  const filesOf = (name: string): string[] => {
    const { file = '', imports = [] } = manifest[name] ?? {}
    return [file, ...imports.flatMap(filesOf)]
  }
  const first = new Set(filesOf('index.html'))
  const router = readFileSync(join(root, 'router.tsx'), 'utf8')
  const screens = [...router.matchAll(/screen\('([^']+)', \(\) => import\('[.][/]([^']+)'\)/g)]
  const preloads = screens.map(([, screen = '', source = '']) => [
    screen,
    [...new Set(filesOf(source))].filter((file) => !first.has(file)),
  ])
  writeFileSync(join(folder, 'preloads.json'), JSON.stringify(Object.fromEntries(preloads)))
}

if (import.meta.filename === process.argv[1]) await buildConsole()
