// npm run db:diff [-- --from FOLDER] [-- --exit-code]
//
// Prints the SQL that a migration from the committed Prisma schema (or from FOLDER's; `--from empty`: from nothing) to
// prisma/ begins with. What Prisma cannot write is added by hand, there and in prisma/beyond.sql.
// With --exit-code, exits 2 where there is a difference.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrationSql } from './schema-engine.ts'

const { values } = parseArgs({ options: { from: { type: 'string' }, 'exit-code': { type: 'boolean' } } })
const scratch = mkdtempSync(join(tmpdir(), 'campanile-schema-'))
try {
  const from = values.from ?? committed(scratch)
  const sql = await migrationSql(from === 'empty' ? { to: 'prisma' } : { from, to: 'prisma' })
  process.stdout.write(sql)
  if (sql !== '' && values['exit-code']) process.exitCode = 2
} finally {
  rmSync(scratch, { recursive: true })
}

/** Unpacks the last commit's schema into `folder`; a history without one is the same as an empty database. */
function committed(folder: string): string {
  try {
    const archive = execFileSync('git', ['archive', 'HEAD', 'prisma'], { stdio: ['ignore', 'pipe', 'ignore'] })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    return join(folder, 'prisma')
  } catch {
    return 'empty'
  }
}
