import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { newCtx, type System } from '../db/context.ts'
import type { Payloads, Told } from '../kernel/payloads.ts'
import type { Caller, Scope } from '../kernel/scopes.ts'
import { checkOperation, requestRows } from './cost.ts'
import type { Executor } from './execute.ts'
import { needsOf } from './scopes.ts'

/** Asks the graph in this process, as the caller; rejects where anything is refused. */
export type AskGraph = (document: DocumentNode, variables: Record<string, unknown>) => Promise<unknown>

/** What a webhook's document may cost: it is executed for each event, whoever else asks the graph for something. */
const mostPoints = 5_000

/** How many documents of webhooks are kept parsed. */
const mostParsed = 500

export interface PayloadOptions {
  schema: GraphQLSchema
  system: System
  /** What `/v1` shows of an event: the graph itself knows nothing of that. */
  resource: (event: Told, ask: AskGraph) => Promise<unknown>
  /** What reads a document under all that guards the graph; nothing where no client is served. */
  prepare: () => Executor['prepare'] | undefined
}

/** What events say to those outside of the graph. */
export function newPayloads(options: PayloadOptions): Payloads {
  const { schema, system, resource, prepare } = options
  const parsed = new LRUCache<string, DocumentNode>({ max: mostParsed })
  const documentOf = (text: string): DocumentNode => {
    const known = parsed.get(text) ?? parse(text, { noLocation: true })
    parsed.set(text, known)
    return known
  }
  const needsOfResources = new Map<string, Promise<readonly Scope[]>>()
  const answer = async (caller: Caller, document: DocumentNode, more: object): Promise<unknown> => {
    const result = await execute({
      schema,
      document,
      contextValue: newCtx(system, caller, { rows: requestRows() }),
      ...more,
    })
    return result
  }
  return {
    resource: (caller, event) =>
      resource(event, async (document, variableValues) => {
        const { data, errors } = (await answer(caller, document, { variableValues })) as Answer
        if (errors?.[0]) throw errors[0].originalError ?? errors[0]
        return data
      }),
    // What the key may not read is null in it, as it is for a subscriber.
    selection: async (caller, document, event) => {
      const { data, errors } = (await answer(caller, documentOf(document), { rootValue: event })) as Answer
      if (!data) throw errors?.[0]?.originalError ?? errors?.[0] ?? new Error('A document selected nothing.')
      return data
    },
    needs: async (type, document) => {
      if (document !== null) return needsOfDocument(schema, documentOf(document), type)
      const known = needsOfResources.get(type) ?? needsOfResource(schema, resource, type)
      needsOfResources.set(type, known)
      return known
    },
    faults: async (_caller, text) => {
      const read = prepare()
      if (!read) throw new Error('No document can be checked here.')
      const ready = read({ query: text })
      if ('refusal' in ready) return (ready.refusal.errors ?? []).map(({ message }) => message)
      const faults = faultsOfForm(ready.document)
      if (faults.length > 0) return faults
      const checked = checkOperation({ schema, document: ready.document }, mostPoints, system.log)
      // The name of the field stands before the sentence where this is shown.
      return 'errors' in checked ? checked.errors.map(({ message }) => message.replace(/^The document /, '')) : []
    },
  }
}

/** The scopes that a document selects by; of its fragments on events, only those on the event of the type. */
function needsOfDocument(schema: GraphQLSchema, document: DocumentNode, type: string): readonly Scope[] {
  const types = new TypeInfo(schema)
  const needs = new Set<Scope>()
  const event = schema.getType('Event')
  const kind =
    event && 'resolveType' in event ? event.resolveType?.({ type }, undefined, {} as never, event) : undefined
  const isOfOther = () => {
    const on = getNamedType(types.getType())
    const isEvent = isObjectType(on) && on.getInterfaces().some(({ name }) => name === 'Event')
    return isEvent && on.name !== kind ? false : undefined
  }
  visit(
    document,
    visitWithTypeInfo(types, {
      InlineFragment: isOfOther,
      FragmentDefinition: isOfOther,
      Field: () => {
        const field = types.getFieldDef()
        const [need] = field ? needsOf(field) : []
        if (need && need !== 'full access') needs.add(need)
      },
    }),
  )
  return [...needs]
}

/** The scopes of the documents by which `/v1` shows an event. */
async function needsOfResource(
  schema: GraphQLSchema,
  resource: PayloadOptions['resource'],
  type: string,
): Promise<readonly Scope[]> {
  const needs = new Set<Scope>()
  const nothing = new Proxy({}, { get: () => null })
  await resource({ accountId: 0, type, position: 0n, data: {}, createdAt: new Date(0) }, async (document) => {
    for (const need of needsOfDocument(schema, document, type)) needs.add(need)
    return nothing
  })
  return [...needs]
}

type Answer = { data?: unknown; errors?: readonly GraphQLError[] }

/** A webhook is told of each event by itself: there is nothing to follow, and nobody to give variables. */
function faultsOfForm(document: DocumentNode): string[] {
  const operation = getOperationAST(document)
  if (!operation) return ['must hold exactly one operation']
  const [field, ...others] = operation.selectionSet.selections
  if (operation.operation !== 'subscription') return ['must be a subscription']
  if (field?.kind !== 'Field' || field.name.value !== 'events' || others.length > 0) {
    return ['must subscribe to the field `events`, and to nothing else']
  }
  if (field.arguments?.length) {
    return ['must not give `events` any arguments: of which events the webhook is told, its own `events` say']
  }
  return operation.variableDefinitions?.length ? ['must not take variables'] : []
}
