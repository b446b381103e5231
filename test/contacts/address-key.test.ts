import { describe, expect, it } from 'vitest'
import { addressKey } from '../../src/kernel/values/address-key.ts'
import { newWorld } from '../support/world.ts'
import { spellings } from './spellings.ts'

describe('the key of an address', () => {
  const naughty = [
    ...spellings,
    'Ada@Example.COM',
    'ada',
    '',
    '@',
    'a@',
    '@bücher.example',
    'a@b@Bücher.example',
    '"A@b"@Bücher.example',
    'ΟΔΟΣ@example.gr',
    'οδος@example.gr',
    'a@ΟΔΌΣ.gr',
    'a@οδός.gr',
    'straße@STRASSE.de',
    'STRAẞE@straße.de',
    'a@STRAẞE.de',
    'İ@example.com',
    'I@İstanbul.example',
    'ı@example.com',
    'K@example.com',
    'Å@Å.example',
    'ﬁ@ﬁsh.example',
    '用户@例子。广告',
    'a@xn--.example',
    'ü@xn--a.example',
    'a@ü_b.example',
    'a@ü..example',
    'a@bücher.example.',
    'ü@-ü-.example',
    `a@${'ü'.repeat(200)}.example`,
    `a@${'üb.'.repeat(80)}example`,
    'a@☃.example',
    `${'Ü'.repeat(64)}@example.com`,
    'Дж@пример.рф',
    'a@ПРИМЕР.рф',
    'a@xn--E1AFMKFD.рф',
    'H̱@example.com',
    'ẖ@example.com',
    'a@ｅｘａｍｐｌｅ．ｃｏｍ',
    'a@한국.kr',
    'a@한국.kr'.normalize('NFD'),
    '𐐀@𐐀.example',
    'ü@1.2.3.4',
    'נ@דוגמה.com',
  ]

  it('is the same in PostgreSQL and in code', async () => {
    const world = await newWorld()
    const rows = await world.rows<{ address: string; key: string }>(
      'SELECT address, address_key(address) AS key FROM unnest($1::text[]) WITH ORDINALITY AS g(address, place) ORDER BY place',
      [naughty],
    )
    expect(rows.map(({ key }) => key)).toEqual(naughty.map(addressKey))
    expect(new Set(spellings.map(addressKey))).toEqual(new Set(['jürgen@xn--bcher-kva.example']))
  })

  it('ignores the case of every letter, and whether it is composed', async () => {
    const world = await newWorld()
    const letters = Array.from({ length: 0x11_0000 - 0x80 }, (_, index) => index + 0x80)
      .filter((point) => point < 0xd800 || point > 0xdfff)
      .map((point) => String.fromCodePoint(point))
      .filter((letter) => letter.toLowerCase() !== letter || letter.normalize('NFD') !== letter)
    const variants = letters.map((letter) => [letter, letter.toLowerCase(), letter.normalize('NFD')])
    const differing = await world.rows(
      `SELECT g.variants FROM json_array_elements($1::json) AS g(variants)
       WHERE (SELECT count(DISTINCT address_key(v || '@example.com')) FROM json_array_elements_text(g.variants) v) > 1`,
      [JSON.stringify(variants)],
    )
    expect(differing).toEqual([])
    const unlike = letters.filter((letter) => addressKey(letter) !== addressKey(letter.normalize('NFD')))
    expect(unlike).toEqual([])
  })

  it('exists for every text, and stays the same if it is computed again', async () => {
    const world = await newWorld()
    const texts = [
      ...naughty,
      'ü@xn--\u{10ffff}.example',
      'a@ä\u00a0.example',
      `a@${'ﷺ'.repeat(250)}`,
      `ü@${'\u{10ffff}\u{80}'.repeat(60)}`,
      'ü@1.2.3',
      `ü@${'ä.'.repeat(200)}`,
      `${'\u{1d160}'.repeat(254)}`,
      `@@${'Ü@'.repeat(50)}`,
      'ü@\u0301.example',
      '\u0301@\u0301',
      'ü@。.。',
    ]
    const rows = await world.rows<{ key: string; again: string }>(
      'SELECT key, address_key(key) AS again FROM unnest($1::text[]) AS g(address), address_key(address) AS key',
      [texts],
    )
    expect(rows).toHaveLength(texts.length)
    for (const { key, again } of rows) expect(again).toBe(key)
    for (const text of texts) expect(addressKey(addressKey(text))).toBe(addressKey(text))
  })

  it('does not depend on the search path, nor on the collation of the text', async () => {
    const world = await newWorld()
    const [row] = await world.rows<{ keys: string[] }>(
      `SELECT ARRAY[address_key('ÜNI@Bücher.example' COLLATE "C") COLLATE "C", address_key('ÜNI@Bücher.example' COLLATE "ucs_basic") COLLATE "C"] AS keys`,
    )
    expect(new Set(row?.keys)).toEqual(new Set(['üni@xn--bcher-kva.example']))
    // As backups are restored, and as PostgreSQL maintains indexes.
    const client = await world.server.app.database.pool.connect()
    try {
      await client.query("BEGIN; SET LOCAL search_path TO ''")
      await client.query('CREATE INDEX spelling_idx ON public.contact (public.address_key(email))')
      const { rows } = await client.query(`SELECT public.address_key('ÜNI@Bücher.example') AS key`)
      expect(rows).toEqual([{ key: 'üni@xn--bcher-kva.example' }])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})
