import type { NamedForm, World } from '../support/world.ts'
import { SubmissionRead } from './documents.ts'
import { newBrowser, type PageResponse } from './http-browser.ts'

const formInput = {
  name: 'Survey',
  type: 'SURVEY',
  warmFrom: '1',
  hotFrom: '3',
  questions: [
    { label: 'Sell?', type: 'YES_NO', required: true, points: [{ answer: 'yes', points: '1.5' }] },
    { label: 'Tools', type: 'MULTIPLE_CHOICE', options: ['Mail', 'Ads'], points: [{ answer: 'Ads', points: '2' }] },
    { label: 'People', type: 'NUMBER' },
    { label: 'E-mail', type: 'EMAIL' },
    { label: 'First name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' },
    { label: 'I agree', type: 'CONSENT' },
  ],
  outcomes: [{ key: 'call', title: 'Call us', text: 'Soon.', bucket: 'HOT' }],
}

/** A scored form with questions of many types. */
export interface Survey {
  readonly form: NamedForm
  readonly path: string
  /** Returns the ID of a question by its index. */
  id(index: number): number
  /** Posts JSON without cookies. */
  send(body: unknown, headers?: Readonly<Record<string, string>>): Promise<PageResponse>
  /** Returns the submissions, oldest first. */
  rows(): Promise<{ id: number; contact_id: number | null }[]>
  /** Returns the oldest submission from the GraphQL API. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of the answer
  stored(): Promise<any>
}

export async function newSurvey(world: World): Promise<Survey> {
  const form = await world.form(formInput)
  const path = `/f/${form.databaseId}`
  const rows: Survey['rows'] = () =>
    world.rows('SELECT * FROM submission WHERE account_id = $1 AND form_id = $2 ORDER BY id', [
      world.accountId,
      form.databaseId,
    ])
  return {
    form,
    path,
    id: (index) => form.questions[index]?.databaseId as number,
    send: (body, headers = {}) => newBrowser(world.server).send(path, body, headers),
    rows,
    stored: async () => {
      const [row] = await rows()
      return (await world.run(SubmissionRead, { id: String(row?.id) })).submission
    },
  }
}
