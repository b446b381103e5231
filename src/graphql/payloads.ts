import { type DocumentNode, execute, type GraphQLError, type GraphQLSchema, getOperationAST, parse } from 'graphql'
import { LRUCache } from 'lru-cache'
import { type Caller, newCtx, type System } from '../kernel/context.ts'
import type { Payloads, Told } from '../kernel/payloads.ts'
import { boundOf } from './cost.ts'
import type { Executor } from './execute.ts'

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
  const answer = async (caller: Caller, document: DocumentNode, more: object): Promise<unknown> => {
    const result = await execute({ schema, document, contextValue: newCtx(system, caller), ...more })
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
    faults: async (caller, text) => {
      const read = prepare()
      if (!read) throw new Error('No document can be checked here.')
      const ready = read({ query: text }, { admitted: caller } as never)
      if ('refusal' in ready) return (ready.refusal.errors ?? []).map(({ message }) => message)
      const faults = faultsOfForm(ready.document)
      if (faults.length > 0) return faults
      const contextValue = newCtx(system, caller)
      const bound = boundOf({ schema, document: ready.document, variableValues: {}, contextValue })
      if (bound !== undefined && bound <= mostPoints) return []
      return [
        `can cost ${bound ?? 'any number of'} points; ${mostPoints} are the most. Ask for smaller pages or fewer lists.`,
      ]
    },
  }
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
