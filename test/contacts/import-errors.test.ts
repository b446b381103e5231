import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const Errors = `query ($id: ID!, $filter: ContactImportErrorFilterInput, $orderBy: [ContactImportErrorOrderInput!], $after: String) {
  contactImport(id: $id) { errors(first: 3, after: $after, filter: $filter, orderBy: $orderBy) {
    totalCount nodes { line column } pageInfo { endCursor } } } }`

/** Creates two imports with an error on each of five lines, and returns the first. */
async function createImportWithErrors(): Promise<{ world: World; id: number }> {
  const world = await newWorld()
  const ids = await world.rows<{ id: number }>(
    `INSERT INTO contact_import (account_id, file_name, status, options, created_at)
     SELECT $1, n, 'COMPLETED', '{}', now() FROM generate_series(1, 2) n RETURNING id`,
    [world.accountId],
  )
  await world.rows(
    `INSERT INTO contact_import_error (account_id, import_id, line, "column", message)
     SELECT $1, i, n, (ARRAY['Size', '', 'E-mail'])[1 + n % 3], 'is wrong'
     FROM unnest($2::int[]) i, generate_series(6, 2, -1) n`,
    [world.accountId, ids.map(({ id }) => id)],
  )
  return { world, id: ids[0]?.id as number }
}

describe('errors of an import', () => {
  it('are filtered by column, line and message', async () => {
    const { world, id } = await createImportWithErrors()
    const linesOf = async (filter: object) => {
      const { nodes, totalCount } = (await world.run(Errors, { id, filter })).contactImport.errors
      return [totalCount, ...nodes.map(({ line }: { line: number }) => line)]
    }
    expect(await linesOf({ column: { eq: 'E-mail' } })).toEqual([2, 2, 5])
    expect(await linesOf({ column: { eq: 'size' } })).toEqual([2, 3, 6])
    expect(await linesOf({ column: { exists: false } })).toEqual([1, 4])
    expect(await linesOf({ column: { eq: '' } })).toEqual([1, 4])
    expect(await linesOf({ column: null })).toEqual([5, 2, 3, 4])
    expect(await linesOf({ line: { gte: 5 }, message: { contains: 'WRONG' } })).toEqual([2, 5, 6])
    expect(await linesOf({ not: { line: { lte: 5 } } })).toEqual([1, 6])
    const { extensions } = await world.fault(Errors, { id, filter: { column: { eq: 'a\0' } } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'filter.column.eq': [expect.any(String)] },
    })
  })

  it('are paginated in ascending or descending order of lines', async () => {
    const { world, id } = await createImportWithErrors()
    const allLines = async (orderBy: object | null) => {
      const first = (await world.run(Errors, { id, orderBy })).contactImport.errors
      const after = first.pageInfo.endCursor
      const second = (await world.run(Errors, { id, orderBy, after })).contactImport.errors
      return [...first.nodes, ...second.nodes].map(({ line }) => line)
    }
    expect(await allLines(null)).toEqual([2, 3, 4, 5, 6])
    expect(await allLines({ direction: 'ASC' })).toEqual([2, 3, 4, 5, 6])
    expect(await allLines({ direction: 'DESC' })).toEqual([6, 5, 4, 3, 2])
  })
})
