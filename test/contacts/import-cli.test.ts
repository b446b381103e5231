import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { start, temporaryFolder } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'

describe('import and export from the command line', { timeout: 120_000 }, () => {
  it('import a file, print the errors of its rows, and export the contacts', async () => {
    const world = await newWorld()
    const folder = await temporaryFolder()
    const env = { DATABASE_URL: world.server.databaseUrl, SECRET: 'a secret that only tests know' }
    const cli = async (...args: string[]) => start('cli', args, env).end
    const [file, out] = [join(folder, 'in.csv'), join(folder, 'out.csv')]
    const account = String(world.accountId)
    await writeFile(
      file,
      `email,city\n${Array.from({ length: 2_500 }, (_, n) => `p${n}@example.com,Rome\n`).join('')}nobody,\n`,
    )

    const imported = await cli('import', '--account', account, '--file', file, '--json')
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(imported.stdout)).toEqual({
      id: expect.any(Number),
      status: 'completed',
      rows: 2_501,
      created: 2_500,
      updated: 0,
      unchanged: 0,
      failed: 1,
      warnings: 0,
      not_imported: [],
      consent_columns: [],
      encoding: 'utf_8',
      error_groups: [
        {
          severity: 'error',
          code: 'invalid_email',
          column: 'email',
          message: 'must be a valid e-mail address',
          count: 1,
          first_lines: [2_502],
        },
      ],
      errors: [
        {
          line: 2_502,
          column: 'email',
          severity: 'error',
          message: 'must be a valid e-mail address',
          value: 'nobody',
        },
      ],
    })
    const written = await cli('export', '--account', account, '--list', 'contacts', '--out', out, '--json')
    expect(JSON.parse(written.stdout)).toEqual({ list: 'contacts', format: 'csv', rows: 2_500, file: out })
    expect((await readFile(out, 'utf8')).split('\r\n')).toHaveLength(2_502)
    await cli('export', '--account', account, '--list', 'tags', '--out', out, '--bom')
    expect((await readFile(out)).subarray(0, 5)).toEqual(Buffer.from('\ufeffid'))
    await writeFile(file, Buffer.from('email,city\nlast@example.com,Orl\u00e9ans\n', 'latin1'))
    const read = await cli('import', '--account', account, '--file', file, '--encoding', 'windows_1252', '--json')
    expect(JSON.parse(read.stdout)).toMatchObject({ created: 1, warnings: 0, encoding: 'windows_1252' })
    await writeFile(file, 'email,Unsubscribed\nleft@example.com,yes\n')
    const held = JSON.parse((await cli('import', '--account', account, '--file', file, '--json')).stdout)
    expect(held).toMatchObject({
      status: 'review',
      next: expect.stringContaining('--no-review'),
      created: 0,
      consent_columns: [{ column: 'Unsubscribed', reading: 'refusal', cells: { unsubscribed: 1 } }],
    })
    const kept = await cli('import', '--account', account, '--file', file, '--no-review', '--json')
    expect(JSON.parse(kept.stdout)).toMatchObject({ status: 'completed', created: 1 })
    const piped = await cli('export', '--account', account, '--list', 'contacts', '--format', 'ndjson')
    expect(piped.stdout.split('\n')).toHaveLength(2_503)

    for (const [args, problem] of [
      [['import', '--account', account, '--file', join(folder, 'nothing.csv')], /no such file/],
      [['import', '--account', '99', '--file', file], /There is no account 99/],
      [['export', '--account', account, '--list', 'nonsense'], /--list takes one of: contacts/],
      [['export', '--account', account, '--list', 'tags', '--format', 'ndjson', '--bom'], /--bom goes with/],
      [['import', '--account', account, '--file', file, '--date-order', 'dym'], /dmy, mdy, ymd/],
      [['export', '--account', account, '--list', 'tags', '--json'], /--json goes with --out/],
    ] as const) {
      const refused = await cli(...args)
      expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' })
      expect(refused.stderr).toMatch(problem)
      expect(refused.stderr.split('\n')).toHaveLength(2)
    }
  })
})
