import { expect, it } from 'vitest'
import { start } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

const writers = 12

/** Kills a server several times while clients submit a form. */
export function testKills(kills: number): void {
  it('stores each acknowledged submission once if the server is killed at any time', async () => {
    // Only for reading the database. It gets no requests.
    const witness = await newServer()
    const world = await newWorld({ server: witness })
    const form = await world.form()
    const question = form.questions[0]?.databaseId as number
    let address: string | undefined
    let isOver = false
    const acknowledged = new Set<string>()

    /** Repeats a submission until it is acknowledged, through GraphQL or through the page of the form. */
    const submit = async (name: string, isByGraph: boolean) => {
      while (!acknowledged.has(name) && !isOver) {
        const [path, body] = isByGraph
          ? [
              '/graphql',
              {
                query:
                  'mutation ($input: SubmissionSaveInput!) { submissionSave(input: $input) { submission { status } } }',
                variables: {
                  input: {
                    formId: form.databaseId,
                    clientSubmissionId: name,
                    answers: [{ questionId: question, value: 'yes' }],
                    complete: true,
                  },
                },
              },
            ]
          : [`/f/${form.databaseId}`, { answers: { [question]: 'yes' }, client_submission_id: name }]
        const answer = await fetch(`${address}${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            authorization: `Bearer ${world.mainKey}`,
          },
          body: JSON.stringify(body),
        })
          .then((response) => response.json())
          .catch(() => undefined)
        if (JSON.stringify(answer ?? {}).match(/"status":"completed"/i)) acknowledged.add(name)
        else await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const write = async (writer: number) => {
      for (let turn = 0; !isOver; turn += 1) await submit(`${writer}-${turn}`, writer % 2 === 0)
    }
    const open = async () => {
      const child = start('main', [], {
        PORT: '0',
        ROLES: 'api',
        SECRET: 'a secret that only tests know',
        RATE_LIMIT_PER_MINUTE: '10000000',
        PUBLIC_RATE_PER_IP: '10000000',
        PUBLIC_RATE_PER_FORM: '10000000',
        PUBLIC_RATE_PER_EMAIL: '10000000',
        PUBLIC_FLOOD_PER_IP: '10000000',
        PUBLIC_FLOOD_PER_FORM: '10000000',
        DATABASE_URL: witness.databaseUrl,
      })
      address = (await child.line(/^ready /)).replace('ready ', '')
      return child
    }

    let child = await open()
    const writing = Array.from({ length: writers }, (_each, writer) => write(writer))
    for (let kill = 1; kill <= kills; kill += 1) {
      const enough = acknowledged.size + 40 + ((kill * 37) % 60)
      await expect.poll(() => acknowledged.size, { timeout: 60_000, interval: 5 }).toBeGreaterThan(enough)
      child.signal('SIGKILL')
      await child.end
      child = await open()
    }
    isOver = true
    await Promise.all(writing)

    const kept = await world.rows<{ name: string; status: string }>(
      'SELECT client_submission_id AS name, status::text FROM submission WHERE account_id = $1',
      [world.accountId],
    )
    expect(new Set(kept.map(({ name }) => name)).size).toBe(kept.length)
    const done = new Set(kept.filter(({ status }) => status === 'COMPLETED').map(({ name }) => name))
    expect([...acknowledged].filter((name) => !done.has(name))).toEqual([])
    // One event of each type for each submission, and none without a submission.
    for (const type of ['form_submission.started', 'form_submission.completed']) {
      const reported = (await world.announced(type)).map(({ data }) => data['submissionId'])
      expect(new Set(reported).size).toBe(reported.length)
      expect(reported).toHaveLength(kept.length)
    }
  }, 300_000)
}
