import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { accounts } from '../../src/account/index.ts'
import { declarationOf, isEventType } from '../../src/events/types/event-types.ts'
import type { Scope } from '../../src/kernel/scopes.ts'
import { requireArgumentPaths } from './argument-paths.ts'
import { atEnd } from './ends.ts'
import { newKey } from './keys.ts'
import { newServer, type Server } from './server.ts'
import { newSocket, type Socket } from './socket.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
type Answer = any

/** An HTTP response. */
export interface Reply {
  status: number
  headers: Headers
  body: Answer
}

export interface AskOptions {
  /** API key. Defaults to the main key; null sends no key. */
  key?: string | null
  headers?: Readonly<Record<string, string>>
  /** Sends the request to another process on the same database. */
  server?: Server
  /** Further fields of the request body. */
  more?: Readonly<Record<string, unknown>>
}

type Variables = Readonly<Record<string, unknown>>

/** The only error of a response. */
export interface Fault {
  message: string
  path?: (string | number)[]
  extensions: { code: string; details?: Record<string, string[]>; retryAfterSeconds?: number }
}

export interface Named {
  id: string
  databaseId: number
}

/** A form with its questions and outcomes, in order. */
export interface NamedForm extends Named {
  questions: Named[]
  outcomes: Named[]
}

/** An account with a full-access key, and functions that create its records through the GraphQL API. */
export interface World {
  readonly server: Server
  readonly accountId: number
  readonly mainKey: string
  /** Sends a document and returns its data. Throws if the response contains an error. */
  run(document: string, variables?: object, options?: AskOptions): Promise<Answer>
  /** Sends a document and returns the response. */
  ask(document: string, variables?: object, options?: AskOptions): Promise<Reply>
  /** Sends a document that must fail with exactly one error, and returns the error. */
  fault(document: string, variables?: object, options?: AskOptions): Promise<Fault>
  contact(input?: Variables): Promise<Named & { email: string }>
  tag(name?: string): Promise<Named & { name: string }>
  /** Creates a segment. Its default filter matches all contacts. */
  segment(filter?: object, name?: string): Promise<Named & { name: string }>
  customField(input?: Variables): Promise<Named & { name: string }>
  sequence(input?: Variables): Promise<Named & { name: string }>
  /** Adds a stage to the end of a sequence. With `active: true` it also sets the content and activates the stage. */
  stage(sequence: Pick<Named, 'id'>, input?: Variables): Promise<Named & { step: number }>
  subscribe(contact: Pick<Named, 'id'>, sequence: Pick<Named, 'id'>, input?: Variables): Promise<Named>
  /** Creates a draft that is complete except for its audience. */
  campaign(input?: Variables): Promise<Named & { email: Named }>
  /** Creates a waiting order of 12.00 EUR by `buyer@example.com`. */
  order(input?: Variables): Promise<Named & { idOrder: string; customer: Named }>
  /** Creates a waiting transaction of 12.00 EUR. */
  transaction(input?: Variables): Promise<Named>
  /** Creates an invoice of 10.00 EUR plus 2.00 EUR VAT. */
  invoice(input?: Variables): Promise<Named & { prefix: string; number: string }>
  /** Creates a credit note for the remaining amount of an invoice. */
  creditNote(invoice: Pick<Named, 'id'>, input?: Variables): Promise<Named>
  /** Creates an active subscription of 9.00 EUR per month without an end. */
  subscription(input?: Variables): Promise<Named & { rebillDate: string }>
  /** Creates a published form. Its default question is of the type YES_NO. */
  form(input?: Variables): Promise<NamedForm>
  /** Creates a submission of a form. */
  submission(form: Pick<Named, 'id'>, input?: Variables): Promise<Named>
  /** Creates a lead funnel. Sets the subdomain of the account if it has none. */
  funnel(input?: Variables): Promise<Named & { name: string }>
  /** Adds a step with a form to the end of a funnel. Publishes a page if `content` is set. */
  step(funnel: Pick<Named, 'id'>, input?: Variables): Promise<Named & { path: string; order: number; form: Named }>
  webhook(input?: Variables): Promise<Named & { url: string }>
  key(options?: { scopes?: readonly Scope[] }): Promise<string>
  /** Creates another account on the same server. */
  other(options?: WorldOptions): Promise<World>
  /** Opens a socket. Defaults to the main key. */
  socket(options?: { key?: string }): Socket
  /**
   * Returns the emitted events of one type, oldest first; of all types with `*`. Without a type, those of all types except edits
   * of objects such as tags and sequences, which test data creates.
   */
  announced(type?: string): Promise<{ type: string; data: Record<string, unknown> }[]>
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Counts the statements of a request. Sends it twice and returns the lower number, because the key cache may expire. */
  statements(work: () => Promise<unknown>): Promise<number>
}

export interface WorldOptions {
  server?: Server
  timezone?: string
  subdomain?: string
  limits?: { contacts?: number; campaigns?: number; funnels?: number; monthlyRecipients?: number; emails?: number }
}

/** Returns whether an event is the edit of an object, such as a tag. Signals are not. */
const isEdit = (type: string) => isEventType(type) && declarationOf(type).isEdit === true

const buyer = { email: 'buyer@example.com', firstName: 'Grace', lastName: 'Hopper' }

/** Returns the customer and amount of an order that does not set them. */
const orderDefaults = (input: Variables) => ({ customer: buyer, ...(!('lines' in input) && { amount: '12.00' }) })

let sharedServer: Promise<Server> | undefined

/** Creates an account with a key. Defaults to the shared server of the test file. */
export async function newWorld(options: WorldOptions = {}): Promise<World> {
  if (!options.server && !sharedServer) {
    sharedServer = newServer()
    atEnd(() => {
      sharedServer = undefined
    })
  }
  const server = options.server ?? (await (sharedServer as Promise<Server>))
  const { server: _server, ...settings } = options
  const account = await accounts.create(server.system, { name: 'Ada & Co', email: 'ada@example.com', ...settings })
  const mainKey = await newKey(server.system, server.app.database, { accountId: account.id, name: 'main' })
  return worldOf(server, account.id, mainKey)
}

/** Whether an overloaded process has refused a request, and changed nothing. It says to try again. */
export const isRefused = ({ errors }: Answer) =>
  errors?.[0]?.extensions?.code === 'UNAVAILABLE' &&
  /(overloaded|waited too long).* No changes were made/.test(errors[0].message)

/** Returns the world of an existing account with one of its keys. */
export function worldOf(server: Server, accountId: number, mainKey: string): World {
  const ask: World['ask'] = async (query, variables = {}, { key = mainKey, headers, server: through, more } = {}) => {
    const response = await fetch(`${(through ?? server).url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables, ...more }),
    })
    const body: Answer = await response.json()
    requireArgumentPaths(query, body.errors)
    return { status: response.status, headers: response.headers, body }
  }
  const run: World['run'] = async (document, variables, options) => {
    let { body } = await ask(document, variables, options)
    // What a test does delays a server in its process, which then refuses some of many requests before it does anything.
    for (let left = 10; left > 0 && isRefused(body); left -= 1) {
      await setTimeout(body.errors[0].extensions.retryAfterSeconds * 1_000)
      body = (await ask(document, variables, options)).body
    }
    if (body.errors) throw new Error(`${document} failed: ${JSON.stringify(body.errors)}`)
    return body.data
  }
  const rows: World['rows'] = async (sql, values) => (await server.app.database.pool.query(sql, values)).rows
  return {
    server,
    accountId,
    mainKey,
    ask,
    run,
    rows,
    fault: async (document, variables, options) => {
      const { body } = await ask(document, variables, options)
      expect(body.errors, JSON.stringify(body)).toHaveLength(1)
      return body.errors[0]
    },
    contact: async (input = {}) => {
      const all = { email: `${randomUUID()}@example.com`, ...input }
      const document = `mutation ($input: ContactCreateInput!) {
        contactCreate(input: $input) { contact { id databaseId email } } }`
      return (await run(document, { input: all })).contactCreate.contact
    },
    tag: async (name = `tag ${randomUUID()}`) => {
      const document = 'mutation ($input: TagCreateInput!) { tagCreate(input: $input) { tag { id databaseId name } } }'
      return (await run(document, { input: { name } })).tagCreate.tag
    },
    segment: async (filter = {}, name = `segment ${randomUUID()}`) => {
      const document = `mutation ($input: SegmentCreateInput!) {
        segmentCreate(input: $input) { segment { id databaseId name } } }`
      return (await run(document, { input: { name, filter } })).segmentCreate.segment
    },
    customField: async (input = {}) => {
      const all = { name: `field ${randomUUID()}`, type: 'TEXT', ...input }
      const document = `mutation ($input: CustomFieldCreateInput!) {
        customFieldCreate(input: $input) { customField { id databaseId name } } }`
      return (await run(document, { input: all })).customFieldCreate.customField
    },
    webhook: async (input = {}) => {
      const document = `mutation ($input: WebhookCreateInput!) {
        webhookCreate(input: $input) { webhook { id databaseId url } } }`
      const all = { url: `https://hook.invalid/${randomUUID()}`, ...input }
      return (await run(document, { input: all })).webhookCreate.webhook
    },
    sequence: async (input = {}) => {
      const document = `mutation ($input: SequenceCreateInput!) {
        sequenceCreate(input: $input) { sequence { id databaseId name } } }`
      const all = { name: `sequence ${randomUUID()}`, ...input }
      return (await run(document, { input: all })).sequenceCreate.sequence
    },
    stage: async (sequence, { active, ...input } = {}) => {
      const document = `mutation ($input: SequenceStageCreateInput!) {
        sequenceStageCreate(input: $input) { stage { id databaseId step stageType } } }`
      const { stage } = (await run(document, { input: { sequenceId: sequence.id, ...input } })).sequenceStageCreate
      if (active !== true) return stage
      if (stage.stageType === 'SEND_EMAIL') {
        await run(
          `mutation ($id: ID!) {
            sequenceStageContentSet(input: { id: $id, html: "<p>Hello</p>", subject: "Hello" }) { stage { id } } }`,
          stage,
        )
      }
      await run('mutation ($id: ID!) { sequenceStageUpdate(input: { id: $id, active: true }) { stage { id } } }', stage)
      return stage
    },
    subscribe: async (contact, sequence, input = {}) => {
      const document = `mutation ($input: SequenceEnrolInput!) {
        sequenceEnrol(input: $input) { enrolment { id databaseId } } }`
      const all = { contact: { id: contact.id }, sequenceId: sequence.id, ...input }
      return (await run(document, { input: all })).sequenceEnrol.enrolment
    },
    campaign: async (input = {}) => {
      const document = `mutation ($input: CampaignCreateInput!) {
        campaignCreate(input: $input) { campaign { id databaseId email { id databaseId } } } }`
      const all = { name: `campaign ${randomUUID()}`, subject: 'Hello', fromEmail: 'ada@example.com', ...input }
      const { campaign } = (await run(document, { input: all })).campaignCreate
      await run(
        `mutation ($id: ID!) {
          campaignContentSet(input: { id: $id, html: "<p>Hello</p>" }) { campaign { id } } }`,
        campaign,
      )
      return campaign
    },
    order: async (input = {}) => {
      const document = `mutation ($input: OrderRecordInput!) {
        orderRecord(input: $input) { order { id databaseId idOrder customer { id databaseId } } } }`
      const all = { idOrder: `order ${randomUUID()}`, ...orderDefaults(input), ...input }
      return (await run(document, { input: all })).orderRecord.order
    },
    transaction: async (input = {}) => {
      const document = `mutation ($input: TransactionRecordInput!) {
        transactionRecord(input: $input) { transaction { id databaseId } } }`
      const parents = ['orderId', 'invoiceId', 'subscriptionId'].some((name) => name in input)
      const all = { idTransaction: `payment ${randomUUID()}`, amount: '12.00', ...(!parents && { customer: buyer }) }
      return (await run(document, { input: { ...all, ...input } })).transactionRecord.transaction
    },
    invoice: async (input = {}) => {
      const document = `mutation ($input: InvoiceIssueInput!) {
        invoiceIssue(input: $input) { invoice { id databaseId prefix number } } }`
      const defaults = { customer: buyer, lines: [{ name: 'Bowl', unitPrice: '10.00', vatRate: '20' }] }
      const all = 'orderId' in input ? input : { ...defaults, ...input }
      return (await run(document, { input: all })).invoiceIssue.invoice
    },
    creditNote: async ({ id }, input = {}) => {
      const document = `mutation ($input: CreditNoteIssueInput!) {
        creditNoteIssue(input: $input) { creditNote { id databaseId } } }`
      return (await run(document, { input: { invoiceId: id, ...input } })).creditNoteIssue.creditNote
    },
    subscription: async (input = {}) => {
      const document = `mutation ($input: SubscriptionRecordInput!) {
        subscriptionRecord(input: $input) { subscription { id databaseId rebillDate } } }`
      const all = { idSubscription: `plan ${randomUUID()}`, name: 'Monthly', amount: '9.00', customer: buyer, ...input }
      return (await run(document, { input: all })).subscriptionRecord.subscription
    },
    form: async (input = {}) => {
      const document = `mutation ($input: FormCreateInput!) { formCreate(input: $input) {
        form { id databaseId questions { id databaseId } outcomes { id databaseId } } } }`
      const all = { name: `form ${randomUUID()}`, questions: [{ label: 'Yes or no?', type: 'YES_NO' }], ...input }
      const { form } = (await run(document, { input: all })).formCreate
      await run('mutation ($id: ID!) { formPublish(input: { id: $id }) { form { id } } }', { id: form.id })
      return form
    },
    submission: async (form, input = {}) => {
      const document = `mutation ($input: SubmissionSaveInput!) {
        submissionSave(input: $input) { submission { id databaseId } } }`
      return (await run(document, { input: { formId: form.id, ...input } })).submissionSave.submission
    },
    funnel: async (input = {}) => {
      await rows("UPDATE account SET subdomain = coalesce(subdomain, 'shop-' || id) WHERE id = $1", [accountId])
      const document = `mutation ($input: FunnelCreateInput!) {
        funnelCreate(input: $input) { funnel { id databaseId name } } }`
      const all = { name: `funnel ${randomUUID()}`, type: 'LEAD', ...input }
      return (await run(document, { input: all })).funnelCreate.funnel
    },
    step: async (funnel, { content, ...input } = {}) => {
      const document = `mutation ($input: FunnelStepCreateInput!) { funnelStepCreate(input: $input) {
        step { id databaseId path position form { id databaseId } } } }`
      const all = { funnelId: funnel.id, name: 'Welcome', ...input }
      const { step } = (await run(document, { input: all })).funnelStepCreate
      if (content === undefined) return step
      await run(
        `mutation ($id: ID!, $content: JSON!) {
          funnelStepContentSet(input: { id: $id, content: $content }) { step { id } } }`,
        { id: step.id, content },
      )
      return step
    },
    key: ({ scopes } = {}) => newKey(server.system, server.app.database, { accountId, scopes }),
    other: (options = {}) => newWorld({ server, ...options }),
    socket: ({ key = mainKey } = {}) => newSocket(server, key),
    announced: async (type) => {
      const all = await rows<{ type: string; data: Record<string, unknown> }>(
        'SELECT type, data FROM outbox_event WHERE account_id = $1 ORDER BY id',
        [accountId],
      )
      if (type === '*') return all
      return all.filter((event) => (type === undefined ? !isEdit(event.type) : event.type === type))
    },
    statements: async (work) => {
      const counts: number[] = []
      for (let time = 0; time < 2; time += 1) {
        const before = server.app.database.statements()
        await work()
        counts.push(server.app.database.statements() - before)
      }
      return Math.min(...counts)
    },
  }
}
