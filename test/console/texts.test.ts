import { describe, expect, it } from 'vitest'
import { routes } from './crawl/places.ts'
import { rawWords, wrongPlurals } from './crawl/texts.ts'

describe('what the crawler finds in texts', () => {
  it.each([
    ['1 visitors', ['1 visitors']],
    ['1 contacts waiting, 1 opt-ins', ['1 contacts', '1 opt-ins']],
    ['2 contact', ['2 contact']],
    ['0 point, 1,001 row', ['0 point', '1,001 row']],
    ['1 visitor, 2 visitors, 0 visitors, 1,001 contacts, 11 contacts', []],
    ['21.1 points, 0.1 points, 30 days, 3 of 5 rows', []],
    ['1 is active, 1 address, 1 status, 1 was sent', []],
    ['Step 2\nform, Stage 1\nvisitors, 2024-05-01 events, 12:31 contacts, #2 contact', []],
    ['1 sent · 5% opened · 2 go on', []],
  ])('%j counts wrongly: %j', (text, wrong) => {
    expect(wrongPlurals(text)).toEqual(wrong)
  })

  it.each([
    ['userInvite', ['userInvite']],
    ['Status: PARTIALLY_PAID', ['PARTIALLY_PAID']],
    ['undefined contacts, NaN of 3, [object Object]', ['undefined', 'NaN', '[object Object]']],
    ['__typename', ['__typename']],
    ['Safari on iPhone, GraphiQL, OpenAPI, HTML, E-mail, API key', []],
    ['HTML. {{FIRST_NAME:there}} is the first name, sent to deVries@example.com', []],
    ['The endpoints of /v1 at https://example.com/aPath, contact.createdAt, McDonald', []],
  ])('%j has the raw words %j', (text, raw) => {
    expect(rawWords(text)).toEqual(raw)
  })

  it('are the paths of all screens', () => {
    expect(routes()).toContain('/funnels/$id/steps/$stepId')
    expect(routes().length).toBeGreaterThan(15)
  })
})
