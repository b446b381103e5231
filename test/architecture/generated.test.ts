import { expect, it } from 'vitest'
import { generatedFiles, stale } from '../../.config/generated.ts'

it.each(generatedFiles)('$path is up to date (npm run generate, schema:print, openapi:print)', async (file) => {
  expect(await stale([file])).toEqual([])
})
