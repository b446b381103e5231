import { median, quantile } from '../report.ts'

/** A small account. */
export interface Small {
  readonly key: string
  readonly contactId: number
  readonly campaignId: number
}

/** Requests at a fixed rate, however slow the responses are: a page with statistics and a change of a contact in turn. */
export interface Load {
  readonly url: string
  readonly small: readonly Small[]
  readonly perSecond: number
  readonly milliseconds: number
}

const query = `query ($contact: ID!, $campaign: ID!) {
  contacts(first: 50) { nodes { email tags { name } } }
  campaign(id: $campaign) { stats { sent opened clicked } } contact(ref: { id: $contact }) { email } }`
const change = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }'

/** Percentiles of durations in milliseconds. */
export const percentiles = (times: number[]) => ({
  p50: median(times),
  p90: quantile(times, 0.9),
  p99: quantile(times, 0.99),
})

let sent = 0

/** Sends requests and returns their durations in milliseconds, from the time at which each was due. */
async function apply({ url, small, perSecond, milliseconds }: Load): Promise<number[]> {
  const start = performance.now()
  const times: Promise<number>[] = []
  for (let n = 0; n < (milliseconds * perSecond) / 1000; n += 1) {
    const due = start + (n * 1000) / perSecond
    await new Promise((next) => setTimeout(next, Math.max(due - performance.now(), 0)))
    times.push(request(url, small[(sent >> 1) % small.length] as Small, sent).then(() => performance.now() - due))
    sent += 1
  }
  return Promise.all(times)
}

function request(url: string, { key, contactId, campaignId }: Small, n: number): Promise<unknown> {
  return ask(
    url,
    key,
    n % 2 === 0
      ? { query, variables: { contact: contactId, campaign: campaignId } }
      : { query: change, variables: { input: { contact: { id: contactId }, city: String(n) } } },
  )
}

/** Sends a document and returns its data. Throws if the response has errors. */
export async function ask(url: string, key: string, body: object): Promise<unknown> {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

/** As the main program of a process this file runs one load at a time for its parent. */
if (process.send && import.meta.main)
  process.on('message', (load: Load) => {
    apply(load).then(
      (times) => process.send?.(times),
      (error: Error) => {
        throw error
      },
    )
  })
