import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const worker = new URL('../../src/content/media/picture.worker.ts', import.meta.url)

it('a picture is not decoded if sharp has no binary for the system', () => {
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(name, context, next) {
        if (name === 'sharp') throw new Error('Could not load the "sharp" module using the linux-x64 runtime')
        return next(name, context)
      },
    })
    const { readPicture } = await import('${worker.href}')
    console.log(JSON.stringify(await readPicture({ body: Buffer.from('x'), contentType: 'PNG' })))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  expect(JSON.parse(output)).toEqual({ fault: 'UNAVAILABLE' })
})
