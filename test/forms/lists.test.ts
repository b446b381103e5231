import { beforeAll, describe, expect, it } from 'vitest'
import { type Named, type NamedForm, newWorld, type World } from '../support/world.ts'
import { mutationOf } from './documents.ts'

const List = `query ($filter: SubmissionFilterInput, $orderBy: [SubmissionOrderInput!], $first: Int, $after: String) {
  submissions(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes { id } totalCount pageInfo { hasNextPage endCursor } } }`

interface Page {
  nodes: unknown[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
}

describe('submissions', () => {
  let world: World
  let form: NamedForm
  let other: NamedForm
  const created: Named[] = []
  const asked = (index: number) => form.questions[index]?.id
  const found = async (filter: object) => {
    const { nodes, totalCount } = (await world.run(List, { filter })).submissions
    expect(nodes).toHaveLength(totalCount)
    return nodes.map(({ id }: { id: string }) => created.findIndex((each) => each.id === id))
  }

  beforeAll(async () => {
    world = await newWorld()
    form = await world.form({
      name: 'Tools of the trade',
      outcomes: [{ key: 'start', title: 'Start', bucket: 'COLD' }],
      warmFrom: '1',
      hotFrom: '2',
      questions: [
        {
          label: 'Tools',
          type: 'MULTIPLE_CHOICE',
          options: ['Mail', 'Ads', 'Shop'],
          points: [
            { answer: 'Shop', points: '2.5' },
            { answer: 'Ads', points: '1' },
          ],
        },
        { label: 'Say', type: 'LONG_TEXT' },
      ],
    })
    other = await world.form()
    await world.contact({ email: 'ada@example.com', lastName: 'Lovelace', companyName: 'Engines' })
    created.push(
      await world.submission(form, { answers: [{ questionId: asked(0), values: ['Mail', 'Ads'] }] }),
      await world.submission(form, { contact: { email: 'ada@example.com' }, complete: true }),
      await world.submission(form, {
        answers: [
          { questionId: asked(0), values: ['Shop'] },
          { questionId: asked(1), value: '100% ÉTÉ_\\ "yes"' },
        ],
        attribution: [{ key: 'UTM_SOURCE', value: 'news' }],
      }),
      await world.submission(other),
    )
    await world.rows(
      `UPDATE submission SET first_attribution = '{"utm_source": "old"}' WHERE account_id = $1 AND id = $2`,
      [world.accountId, created[0]?.databaseId],
    )
  })

  it('are filtered by their columns, form, contact, attribution and outcome', async () => {
    const { contact } = await world.run('{ contact(ref: { email: "ada@example.com" }) { id databaseId } }')
    const [first] = created
    const filters: [filter: object, expected: number[]][] = [
      [{}, [3, 2, 1, 0]],
      [{ id: { in: [first?.id, 2_000_000_000] } }, [0]],
      [{ not: { id: { in: [first?.id] } } }, [3, 2, 1]],
      [{ status: 'COMPLETED' }, [1]],
      [{ status: ['COMPLETED', 'IN_PROGRESS'], bucket: ['WARM', 'HOT'] }, [2, 0]],
      [{ bucket: [] }, []],
      [{ score: { gte: '1' } }, [2, 0]],
      [{ score: { gte: 2.5 } }, [2]],
      [{ score: { gte: '2.51' } }, []],
      [{ score: { gte: '1', lte: '2.49' } }, [0]],
      [{ outcomeKey: { eq: 'START' } }, [1]],
      [{ outcomeKey: { exists: false } }, [3, 2, 0]],
      [{ createdAt: { period: 'TODAY' }, status: 'IN_PROGRESS' }, [3, 2, 0]],
      [{ createdAt: { period: 'YESTERDAY' } }, []],
      [{ startedAt: { lt: '2000-01-01T00:00:00Z' } }, []],
      [{ completedAt: { gte: '2000-01-01T00:00:00Z' } }, [1]],
      [{ not: { completedAt: { gte: '2000-01-01T00:00:00Z' } } }, [3, 2, 0]],
      [{ forms: { any: [form.id] } }, [2, 1, 0]],
      [{ forms: { none: [form.databaseId] } }, [3]],
      [{ or: [{ forms: { any: [other.id] } }, { email: { eq: 'ada@example.com' } }] }, [3, 1]],
      [{ contacts: { any: [contact.id] } }, [1]],
      [{ contacts: { any: [contact.databaseId] }, forms: { any: [other.id] } }, []],
      [{ contacts: { exists: false } }, [3, 2, 0]],
      [{ email: { eq: 'ADA@example.com' } }, [1]],
      [{ email: { in: ['nobody@example.com'] } }, []],
      [{ email: { contains: 'A@EXAM' } }, [1]],
      [{ email: { startsWith: 'da@' } }, []],
      [{ not: { email: { startsWith: 'ada@' } } }, [3, 2, 0]],
      [{ email: { exists: true } }, [1]],
      [{ email: { exists: false } }, [3, 2, 0]],
      [{ attribution: [{ key: 'UTM_SOURCE', value: { eq: 'news' } }] }, [2]],
      [{ attribution: [{ key: 'UTM_SOURCE', value: { exists: false } }] }, [3, 1, 0]],
      [
        {
          attribution: [
            { key: 'UTM_SOURCE', value: { contains: 'ews' } },
            { key: 'GCLID', value: { eq: 'x' } },
          ],
        },
        [],
      ],
      [{ firstAttribution: [{ key: 'UTM_SOURCE', value: { in: ['old'] } }] }, [0]],
      [{ attribution: [{ key: 'UTM_TERM' }], answers: [], and: [], email: null }, [3, 2, 1, 0]],
    ]
    for (const [filter, expected] of filters) expect(await found(filter), JSON.stringify(filter)).toEqual(expected)
  })

  it('are filtered by an exact value, by a part of an answer without case, by points and by existence', async () => {
    const [tools, say] = form.questions.map(({ databaseId }) => databaseId)
    const filters: [answer: object, expected: number[]][] = [
      [{ questionId: tools, eq: 'Ads' }, [0]],
      [{ questionId: tools, eq: 'ads' }, []],
      [{ questionId: tools, eq: 'Mail, Ads' }, []],
      [{ questionId: tools, in: ['Ads', 'Shop'] }, [2, 0]],
      [{ questionId: tools, in: [] }, []],
      [{ questionId: tools, contains: 'S' }, [2, 0]],
      [{ questionId: tools, contains: 'lA' }, []],
      [{ questionId: tools, contains: 'mail\u001fads' }, []],
      [{ questionId: say, contains: '0% été_\\ "Y' }, [2]],
      [{ questionId: say, contains: '1%0' }, []],
      [{ questionId: say, contains: '_' }, [2]],
      [{ questionId: say, contains: '' }, [2]],
      [{ questionId: tools, score: { gte: '2.5' } }, [2]],
      [{ questionId: tools, score: { lte: 1 } }, [0]],
      [{ questionId: asked(0), exists: true }, [2, 0]],
      [{ questionId: tools, exists: false }, [3, 1]],
      [{ questionId: tools, eq: 'Shop', contains: 'hop' }, [2]],
      [{ questionId: tools, eq: 'Shop', contains: 'mail' }, []],
      [{ questionId: 2_000_000_000, eq: 'Shop' }, []],
    ]
    for (const [answer, expected] of filters) {
      expect(await found({ answers: [answer] }), JSON.stringify(answer)).toEqual(expected)
    }
    const both = [
      { questionId: tools, eq: 'Shop' },
      { questionId: say, contains: 'yes' },
    ]
    expect(await found({ answers: both, forms: { any: [form.id] } })).toEqual([2])
    expect(await found({ answers: both, forms: { any: [other.id] } })).toEqual([])
    expect(await found({ not: { answers: both } })).toEqual([3, 1, 0])
  })

  it('are searched by words of the contact, in any order', async () => {
    expect(await found({ search: 'lace ada' })).toEqual([1])
    expect(await found({ search: 'ENGINES ada@' })).toEqual([1])
    expect(await found({ search: 'lace nobody' })).toEqual([])
    expect(await found({ search: ' ' })).toEqual([3, 2, 1, 0])
    expect(await found({ not: { search: 'ada' } })).toEqual([3, 2, 0])
    expect(await found({ contact: { email: { startsWith: 'ada' } } })).toEqual([1])
  })

  it.each([
    [{ answers: [{ questionId: 'x' }] }, 'filter.answers.0.questionId', 'must be the id of a Question'],
    [{ answers: [{ questionId: 1, in: Array(101).fill('x') }] }, 'filter.answers.0.in', 'must have at most 100 values'],
    [
      { or: [{ answers: [{ questionId: 1, contains: 'x'.repeat(10_001) }] }] },
      'filter.or.0.answers.0.contains',
      'must have at most 10000 characters',
    ],
    [
      { attribution: [{ key: 'UTM_TERM', value: { contains: 'ab' } }] },
      'filter.attribution.0.value.contains',
      'must have at least 3 characters',
    ],
    [{ forms: { any: ['Q29udGFjdDox'] } }, 'filter.forms.any', 'must be the id of a Form'],
    [{ email: { contains: 'ab' } }, 'filter.email.contains', 'must have at least 3 characters'],
    [{ search: 'x '.repeat(11) }, 'filter.search', 'must have at most 10 words'],
    [{ answers: Array(41).fill({ questionId: 1, eq: 'x' }) }, 'filter', 'must have at most 40 conditions'],
  ])('return VALIDATION_ERROR with the path for %j', async (filter, path, message) => {
    const { extensions } = await world.fault(List, { filter })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [message] } })
  })

  it('return INVALID_PERIOD for BETWEEN without days, and BAD_REQUEST for an answer without its question', async () => {
    const between = await world.fault(List, { filter: { updatedAt: { period: 'BETWEEN' } } })
    expect(between.extensions.code).toBe('INVALID_PERIOD')
    const unasked = await world.fault(List, { filter: { answers: [{ eq: 'x' }] } })
    expect(unasked.extensions.code).toBe('BAD_REQUEST')
  })

  it('are paged in every order without gaps or duplicates', async () => {
    for (const field of ['CREATED_AT', 'SCORE', 'UPDATED_AT', 'COMPLETED_AT', 'STATUS']) {
      for (const direction of ['ASC', 'DESC']) {
        const orderBy = { field, direction }
        const whole = (await world.run(List, { orderBy })).submissions.nodes
        const walked: unknown[] = []
        for (let after: string | null = null; ; ) {
          const page: Page = (await world.run(List, { orderBy, first: 1, after })).submissions
          walked.push(...page.nodes)
          if (!page.pageInfo.hasNextPage) break
          after = page.pageInfo.endCursor
        }
        expect(walked).toEqual(whole)
        expect(whole).toHaveLength(4)
        const isDone = whole.findIndex(({ id }: { id: string }) => id === created[1]?.id)
        if (field === 'COMPLETED_AT' || field === 'STATUS') expect(isDone).toBe(direction === 'ASC' ? 3 : 0)
      }
    }
  })

  it('are filtered by the time of the last change, even if they are much older', async () => {
    const moment = new Date()
    expect(await found({ updatedAt: { gte: new Date(moment.getTime() + 60_000).toISOString() } })).toEqual([])
    const { id } = created[0] as Named
    const save = mutationOf('submissionSave', 'submission { createdAt updatedAt }')
    const { submission } = (await world.run(save, { input: { formId: form.id, id, complete: true } })).submissionSave
    expect(await found({ updatedAt: { gte: submission.updatedAt }, forms: { any: [form.id] } })).toEqual([0])
    expect(Date.parse(submission.createdAt)).toBeLessThan(Date.parse(submission.updatedAt))
  })

  it('are listed under their form and their contact', async () => {
    const nested = await world.run(
      `{ forms { nodes { id submissions(first: 2, orderBy: { field: SCORE, direction: DESC }) { nodes { score } totalCount } } }
         contacts { nodes { email submissions { nodes { id } } } } account { submissions(filter: { status: COMPLETED }) { totalCount } } }`,
    )
    expect(nested.forms.nodes).toMatchObject([
      { id: other.id, submissions: { totalCount: 1 } },
      { id: form.id, submissions: { nodes: [{ score: '2.50' }, { score: '1.00' }], totalCount: 3 } },
    ])
    expect(nested.contacts.nodes).toEqual([
      { email: 'ada@example.com', submissions: { nodes: [{ id: created[1]?.id }] } },
    ])
    expect(nested.account.submissions.totalCount).toBe(2)
  })
})
