import type { World } from '../support/world.ts'
import { newShop, page } from './documents.ts'

const form = { type: 'form', id: 'join', marketingConsentText: 'Yes, write to me about bowls.' }

/** Creates a funnel of two pages: an opt-in, and a page that greets the visitor. */
export async function newOptInFunnel(options: { world?: World; elements?: object[] } = {}) {
  const world = options.world ?? (await newShop())
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content: page(...(options.elements ?? [form])) })
  const after = await world.step(funnel, {
    name: 'After',
    content: page({ type: 'title', text: 'Hi {{FIRST_NAME:you}}' }),
  })
  const questions = (
    await world.run('query ($id: ID!) { form(id: $id) { questions { databaseId label } } }', { id: step.form.id })
  ).form.questions as { databaseId: number }[]
  const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
    world.accountId,
  ])
  const base = `/p/${account?.subdomain}/${funnel.databaseId}`
  const [mail, first] = questions.map(({ databaseId }) => `q${databaseId}`) as [string, string]
  return { world, funnel, step, after, base, path: `${base}/${step.path}`, mail, first }
}
