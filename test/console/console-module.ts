import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'vite'
import { textPlugins } from '../../.config/texts.ts'

const english = `import { i18n as texts } from '@lingui/core'
texts.setMessagesCompiler((message) => [message]).loadAndActivate({ locale: 'en', messages: {} })`

/** Imports a module of the console with its English texts. Their macros are no functions until the module is built. */
export async function consoleModule<Module>(path: string): Promise<Module> {
  const entry = resolve('src/console', path)
  const withTexts = { name: 'english', transform: (code: string, id: string) => id === entry && `${code}\n${english}` }
  const outDir = mkdtempSync(join(tmpdir(), 'console-'))
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [withTexts, textPlugins()],
    build: { outDir, emptyOutDir: false, minify: false, lib: { entry, formats: ['es'], fileName: () => 'module.mjs' } },
  })
  return import(join(outDir, 'module.mjs'))
}
