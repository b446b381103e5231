import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const List = `query ($id: ID!, $first: Int, $after: String, $orderBy: [MessageOrderInput!]) {
  recipients(first: $first, after: $after, orderBy: $orderBy) {
    nodes { id sentAt openedAt clickedAt } pageInfo { endCursor hasNextPage } }
  contact(ref: { id: $id }) { messages(first: 20, orderBy: $orderBy) { nodes { id } } } }`

describe('messages', () => {
  let world: World
  let contact: { id: string; databaseId: number }
  beforeAll(async () => {
    world = await newWorld()
    contact = await world.contact()
    for (let n = 0; n < 8; n += 1) {
      const { databaseId } = await world.campaign()
      await world.rows(
        `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, created_at, sent_at, opened_at, clicked_at)
         VALUES ($1, $2, $3, now(), $4, $5, $6)`,
        [
          ...[world.accountId, databaseId, contact.databaseId],
          ...[3, 5, 7].map((step, index) => (n % 4 > index ? `2026-03-0${((n * step) % 8) + 1}T00:00:00Z` : null)),
        ],
      )
    }
  })

  it.each([
    ['SENT_AT', 'sentAt'],
    ['OPENED_AT', 'openedAt'],
    ['CLICKED_AT', 'clickedAt'],
  ])('are sorted by %s, those without one first in ascending order', async (field, time) => {
    for (const direction of ['ASC', 'DESC']) {
      const orderBy = [{ field, direction }]
      const found: Record<string, string | null>[] = []
      for (let after: string | undefined, isLast = false; !isLast; ) {
        const { recipients, contact: person } = await world.run(List, { id: contact.id, first: 3, after, orderBy })
        found.push(...recipients.nodes)
        after = recipients.pageInfo.endCursor
        isLast = !recipients.pageInfo.hasNextPage
        if (isLast) expect(person.messages.nodes.map(({ id }: { id: string }) => id)).toEqual(found.map(({ id }) => id))
      }
      const times = found.map((message) => message[time] ?? '')
      expect(times).toHaveLength(8)
      expect(new Set(times).size).toBeGreaterThan(2)
      const ascending = [...times].sort()
      expect(times).toEqual(direction === 'ASC' ? ascending : ascending.toReversed())
    }
  })
})
