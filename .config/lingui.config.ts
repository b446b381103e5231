import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import extractor from '@lingui/cli/api/extractors/babel'
import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'

const rootDir = fileURLToPath(new URL('..', import.meta.url))

// The texts of the console. A language is a file beside `en.po`, which is extracted from the code.
export default defineConfig({
  rootDir,
  sourceLocale: 'en',
  locales: globSync(`${rootDir}/src/console/texts/*.po`).map((path) => basename(path, '.po')),
  catalogs: [
    {
      path: '<rootDir>/src/console/texts/{locale}',
      include: ['<rootDir>/src/console/**/*.{ts,tsx}'],
    },
  ],
  format: formatter({ origins: false }),
  extractors: [extractor],
})
