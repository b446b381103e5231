import type { NamedForm, World } from '../support/world.ts'
import { SubmissionRead } from './documents.ts'
import { newBrowser, type Seen } from './http-browser.ts'

const asks = {
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

/** A form of questions of many types, that scores its answers. */
export interface Survey {
  readonly form: NamedForm
  readonly path: string
  /** The id of a question, by its place. */
  id(index: number): number
  /** Posts JSON, from a browser that was never here. */
  send(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen>
  /** Its submissions, the oldest first. */
  rows(): Promise<{ id: number; contact_id: number | null }[]>
  /** The oldest submission, as the graph shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
  stored(): Promise<any>
}

export async function newSurvey(world: World): Promise<Survey> {
  const form = await world.form(asks)
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
