import { beforeAll, describe, expect, it } from 'vitest'
import { type Named, type NamedForm, newWorld, type World } from '../support/world.ts'
import { mutationOf } from './documents.ts'

const List = `query ($filter: SubmissionFilterInput, $orderBy: SubmissionOrderInput, $first: Int, $after: String) {
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
    await world.contact({ email: 'ada@example.com' })
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
  })

  it('are filtered by form, status, bucket, score, contact, attribution and time', async () => {
    expect(await found({})).toEqual([3, 2, 1, 0])
    expect(await found({ formId: form.id })).toEqual([2, 1, 0])
    expect(await found({ status: 'COMPLETED' })).toEqual([1])
    expect(await found({ bucket: 'WARM' })).toEqual([0])
    expect(await found({ scoreMin: '1' })).toEqual([2, 0])
    expect(await found({ scoreMin: 2.5 })).toEqual([2])
    expect(await found({ scoreMin: '2.51' })).toEqual([])
    expect(await found({ email: 'ADA@example.com' })).toEqual([1])
    expect(await found({ email: 'nobody@example.com' })).toEqual([])
    const { contact } = await world.run('{ contact(ref: { email: "ada@example.com" }) { id databaseId } }')
    expect(await found({ contactId: contact.id })).toEqual([1])
    expect(await found({ contactId: contact.databaseId, formId: other.id })).toEqual([])
    expect(await found({ attribution: { key: 'UTM_SOURCE', value: 'news' } })).toEqual([2])
    expect(await found({ attribution: { key: 'UTM_TERM', value: 'news' } })).toEqual([])
    expect(await found({ period: 'TODAY', status: 'IN_PROGRESS' })).toEqual([3, 2, 0])
    expect(await found({ period: 'YESTERDAY' })).toEqual([])
  })

  it('are filtered by an exact value, and by a part of an answer without case', async () => {
    const [tools, say] = form.questions.map(({ databaseId }) => databaseId)
    expect(await found({ questionId: tools, answer: 'Ads' })).toEqual([0])
    expect(await found({ questionId: tools, answer: 'ads' })).toEqual([])
    expect(await found({ questionId: tools, answer: 'Mail, Ads' })).toEqual([])
    expect(await found({ questionId: tools, answerContains: 'S' })).toEqual([2, 0])
    expect(await found({ questionId: tools, answerContains: 'lA' })).toEqual([])
    expect(await found({ questionId: tools, answerContains: 'mail\u001fads' })).toEqual([])
    expect(await found({ questionId: say, answerContains: '0% été_\\ "Y' })).toEqual([2])
    expect(await found({ questionId: say, answerContains: '1%0' })).toEqual([])
    expect(await found({ questionId: say, answerContains: '_' })).toEqual([2])
    expect(await found({ questionId: say, answerContains: '' })).toEqual([2])
    expect(await found({ questionId: tools })).toEqual([2, 0])
    expect(await found({ questionId: tools, answer: 'Shop', answerContains: 'hop', formId: form.id })).toEqual([2])
    expect(await found({ questionId: tools, answer: 'Shop', formId: other.id })).toEqual([])
    expect(await found({ questionId: 2_000_000_000, answer: 'Shop' })).toEqual([])
  })

  it('return MISSING_QUESTION_ID for an answer without its question', async () => {
    for (const filter of [{ answer: 'x' }, { answerContains: 'x' }]) {
      expect((await world.fault(List, { filter })).extensions.code).toBe('MISSING_QUESTION_ID')
    }
    const { extensions } = await world.fault(List, { filter: { questionId: asked(0), answer: '\0' } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'filter.answer': [expect.any(String)] } })
  })

  it('are paged in every order without gaps or duplicates', async () => {
    for (const field of ['CREATED_AT', 'SCORE', 'UPDATED_AT']) {
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
      }
    }
  })

  it('are filtered by the time of the last change, even if they are much older', async () => {
    const moment = new Date()
    expect(await found({ updatedAfter: new Date(moment.getTime() + 60_000).toISOString() })).toEqual([])
    const { id } = created[0] as Named
    const save = mutationOf('submissionSave', 'submission { createdAt updatedAt }')
    const { submission } = (await world.run(save, { input: { formId: form.id, id, complete: true } })).submissionSave
    expect(await found({ updatedAfter: submission.updatedAt, formId: form.id })).toEqual([0])
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
