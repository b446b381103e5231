import { beforeAll, describe, expect, it } from 'vitest'
import { announcements } from '../events/announcements.ts'
import { callerOf, mutationOf } from '../events/mutations.ts'
import { until } from '../runtime/process.ts'
import { everything } from '../support/everything.ts'
import { newRewind } from '../support/rewind.ts'
import { asUser } from '../support/session.ts'
import { listPaths } from './list-paths.ts'
import { documentOf, itemsOf, variablesOf } from './lists.ts'
import { alignIds, moveRowsBack, newTwins } from './twin-accounts.ts'

describe("an account whose rows have the same IDs as another account's", () => {
  let accounts: Awaited<ReturnType<typeof newTwins>>
  /** What the account reads before the other one gets the same IDs. */
  const before = new Map<string, unknown>()
  const readList = async (field: string, steps: readonly string[]) => {
    const { world, user } = accounts
    const caller = field === 'User.sessions' ? asUser(user) : {}
    return world.run(documentOf(steps), await variablesOf(steps, world, 50), caller)
  }
  beforeAll(async () => {
    accounts = await newTwins()
    // Sessions are ordered by their last use, which a request after a minute would record.
    await accounts.world.rows("UPDATE session SET used_at = now() + interval '1 hour'")
    for (const [field, steps] of Object.entries(listPaths)) before.set(field, await readList(field, steps))
    await alignIds(accounts.twin, accounts.world)
  })

  it.each(Object.entries(listPaths))('reads in %s only its own rows, unchanged', async (field, steps) => {
    const data = await readList(field, steps)
    expect(JSON.stringify(data)).not.toContain('twin')
    expect(data).toEqual(before.get(field))
    if (!/scopes$|values$|daysOff$/.test(field)) expect(itemsOf(data, steps)).not.toEqual([])
  })

  it('counts and filters only its own rows', async () => {
    const { world, ids, second } = accounts
    const data = await world.run(
      `query ($tag: ID!, $second: ID!, $id: ID!) {
        contacts(filter: { tags: { any: [$second] } }) { totalCount }
        mine: contacts(filter: { tags: { any: [$tag] } }) { totalCount }
        tag(id: $tag) { name contacts { totalCount nodes { email } } }
        other: tag(id: $second) { name contacts { totalCount } }
        contact(ref: { id: $id }) { email tags { name } customFields { label value customField { name } } consents { totalCount nodes { source } } } }`,
      { tag: ids.tag, second: second.tag, id: ids.contact },
    )
    expect(data).toEqual({
      contacts: { totalCount: 0 },
      mine: { totalCount: 1 },
      tag: { name: 'own tag 1', contacts: { totalCount: 1, nodes: [{ email: 'own-0@example.com' }] } },
      other: { name: 'own tag 2', contacts: { totalCount: 0 } },
      contact: {
        email: 'own-0@example.com',
        tags: [{ name: 'own tag 1' }],
        customFields: [{ label: 'own field 1', value: 'own option', customField: { name: 'own field 1' } }],
        consents: { totalCount: 2, nodes: [{ source: 'own' }, { source: 'own' }] },
      },
    })
  })

  it('counts its own enrolments and messages', async () => {
    const { world, ids, second, sent } = accounts
    const data = await world.run(
      `query ($sequence: ID!, $second: ID!, $sent: ID!, $id: ID!) {
        sequence(id: $sequence) { name activeContacts enrolments { totalCount } contacts { totalCount } }
        other: sequence(id: $second) { activeContacts enrolments { totalCount } contacts { totalCount } }
        campaign(id: $sent) { name stats { sent opened } opened: recipients(filter: { openedAt: { exists: true } }) { totalCount nodes { contact { email } } } }
        contact(ref: { id: $id }) { stats { sent opened } messages { totalCount } enrolments { totalCount } sequences { name } }
        deliverability { sent opened clicked } mailReach { reached openers clickers } }`,
      { sequence: ids.sequence, second: second.sequence, sent, id: ids.contact },
    )
    expect(data).toEqual({
      sequence: {
        name: 'own sequence 0',
        activeContacts: 1,
        enrolments: { totalCount: 1 },
        contacts: { totalCount: 1 },
      },
      other: { activeContacts: 0, enrolments: { totalCount: 0 }, contacts: { totalCount: 0 } },
      campaign: {
        name: 'own sent',
        stats: { sent: 2, opened: 1 },
        opened: { totalCount: 1, nodes: [{ contact: { email: 'own-0@example.com' } }] },
      },
      contact: {
        stats: { sent: 2, opened: 1 },
        messages: { totalCount: 2 },
        enrolments: { totalCount: 1 },
        sequences: [{ name: 'own sequence 0' }],
      },
      deliverability: { sent: 4, opened: 1, clicked: 3 },
      mailReach: { reached: 2, openers: 1, clickers: 2 },
    })
  })

  it.each([
    ['Tag', 'tag', [['own-0'], []]],
    ['Sequence', 'sequence', [['own-0'], []]],
    ['Opened', 'sent', [['own-0']]],
    ['NotOpened', 'sent', [['own-1']]],
    ['Clicked', 'sent', [['own-0']]],
    ['NotClicked', 'sent', [['own-1']]],
  ] as const)('selects its own rows by %s', async (criterion, kind, choices) => {
    const { world, ids, second, sent } = accounts
    for (const [index, chosen] of choices.entries()) {
      const all = index === 0 ? ids : second
      const list = [kind === 'sent' ? sent : all[kind]]
      for (const [direction, names] of [
        ['include', chosen],
        ['exclude', ['ada', 'own-0', 'own-1'].filter((each) => !(chosen as readonly string[]).includes(each))],
      ] as const) {
        const { audience } = await world.run(
          'query ($lists: AudienceListsInput) { audience(lists: $lists) { total contacts(orderBy: { field: EMAIL, direction: ASC }) { nodes { email } } } }',
          { lists: { [`${direction}${criterion}Ids`]: list } },
        )
        expect(audience, direction).toEqual({
          total: names.length,
          contacts: { nodes: names.map((each) => ({ email: `${each}@example.com` })) },
        })
      }
    }
  })

  describe('when one of both changes', () => {
    let pair: Awaited<ReturnType<typeof newTwins>>
    let rewind: () => Promise<void>
    let all: Awaited<ReturnType<typeof everything>>
    beforeAll(async () => {
      pair = await newTwins()
      await alignIds(pair.twin, pair.world)
      await moveRowsBack(pair.world)
      all = await everything(pair.twin)
      rewind = await newRewind(pair.world)
    })

    it.each(Object.entries(announcements))('changes nothing of the other by %s', async (field, announcement) => {
      const { world, twin, user, ids, second } = pair
      const { input, select } = announcement
      const caller = callerOf(announcement, user)
      await rewind()
      // A key that a mutation disabled is valid again, which no operation makes it, so nobody was notified.
      await until(async () => (await world.ask('{ viewer { email } }')).status === 200)
      await world.run(mutationOf(field, select), { input: input(ids) }, caller)
      // Again with other links between the rows, if possible.
      await world.ask(mutationOf(field, select), { input: input(second) }, caller)
      expect(await everything(twin)).toEqual(all)
    })
  })
})
