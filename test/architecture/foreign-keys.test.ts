// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

/** Foreign keys whose rows an index of another kind finds. */
const found = new Map([['answer (account_id, question_id, version)', 'answer_values_idx']])

describe('the deletion of a row', () => {
  it('reads an index of each table that refers to it, instead of all rows of the account', async () => {
    const world = await newWorld()
    // Rows of an account are deleted only with the account, which no operation deletes.
    const missing = await world.rows<{ key: string }>(`
      SELECT c.conrelid::regclass || ' (' || (
        SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(c.conkey) WITH ORDINALITY k (number, place)
        JOIN pg_attribute ON attrelid = c.conrelid AND attnum = number) || ')' AS key
      FROM pg_constraint c WHERE contype = 'f' AND conparentid = 0 AND confrelid <> 'account'::regclass AND NOT EXISTS (
        SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am a ON a.oid = x.relam
        WHERE i.indrelid = c.conrelid AND a.amname = 'btree' AND i.indpred IS NULL
          AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
      ORDER BY 1`)
    expect(missing.map(({ key }) => key)).toEqual([...found.keys()])
    const indexes = await world.rows<{ name: string }>(
      'SELECT indexname AS name FROM pg_indexes WHERE indexname = ANY($1)',
      [[...found.values()]],
    )
    expect(indexes).toHaveLength(found.size)
  })
})
