import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clickToken,
  findMessage,
  messageToken,
  openToken,
  readClickToken,
  readOpenToken,
  readUnsubscribeToken,
  unsubscribeToken,
} from '../../src/mail/messages/message-tokens.ts'

const secret = 'a secret that only tests know'
const mark = fc.record({
  accountId: fc.integer({ min: 1, max: 2_147_483_647 }),
  recipientId: fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n }),
})
const link = fc.integer({ min: 0, max: 2_147_483_647 })

describe('a token', () => {
  it('can be read only as the kind that it was created as', () => {
    fc.assert(
      fc.property(mark, link, (input, linkId) => {
        const open = openToken(secret, input)
        expect(readOpenToken(secret, open)).toEqual(input)
        expect(readUnsubscribeToken(secret, open)).toBeUndefined()
        expect(readClickToken(secret, open)).toBeUndefined()
        expect(readUnsubscribeToken(secret, unsubscribeToken(secret, input))).toEqual(input)
        expect(readClickToken(secret, clickToken(secret, { ...input, linkId }))).toEqual({ ...input, linkId })
        expect(open.length).toBeLessThanOrEqual(37)
      }),
    )
  })

  it('is refused with another secret or after any change', () => {
    const token = openToken(secret, { accountId: 7, recipientId: 12_345n })
    expect(readOpenToken(`${secret}!`, token)).toBeUndefined()
    for (let place = 0; place < token.length; place += 1) {
      for (const letter of ['A', 'z', '_']) {
        const changed = `${token.slice(0, place)}${letter}${token.slice(place + 1)}`
        if (changed !== token) expect(readOpenToken(secret, changed), changed).toBeUndefined()
      }
    }
  })

  it('of a message is found anywhere in a text, in upper or lower case', () => {
    const input = { accountId: 35, recipientId: 987_654_321n }
    const token = messageToken(secret, input)
    for (const text of [
      `<${token}@example.com>`,
      token.toUpperCase(),
      `Return-Path: <b+${token}@bounces.example.com>\r\nX: 1.2.${'0'.repeat(24)}`,
      `1.2.${'0'.repeat(24)} 3.4.${'f'.repeat(24)} ${token}`,
    ]) {
      expect(findMessage(secret, text), text).toEqual(input)
    }
    expect(findMessage(secret, `1${token}`)).toBeUndefined()
    expect(findMessage(secret, `${token}0`)).toBeUndefined()
    expect(findMessage(`${secret}!`, token)).toBeUndefined()
    expect(findMessage(secret, '')).toBeUndefined()
  })
})
