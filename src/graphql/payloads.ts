import {
  type DocumentNode,
  type ExecutionResult,
  execute,
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
import type { EventRecord, Payloads } from '../kernel/payloads.ts'
import type { Caller, Scope } from '../kernel/scopes.ts'
import { newRowBudget } from '../kernel/work/row-budget.ts'
import { limits } from './documents/limits.ts'
import type { Executor } from './execute.ts'
import { checkOperation, limitResult } from './execution/budget.ts'
import { needsOf } from './schema/scopes.ts'

/** Executes a document in this process as the caller, and returns its data. Rejects with the first error. */
type QueryGraph = (document: DocumentNode, variables: Record<string, unknown>) => Promise<unknown>

/** Maximum cost of a webhook's document, in points. It is executed for each event, in addition to client requests. */
const maxPoints = 5_000

/** Maximum size of the long texts that a payload reads, in bytes. Many payloads are built at the same time. */
const maxBytes = 4_000_000

/** Number of parsed webhook documents in the cache. */
const maxParsedDocuments = 500

export interface PayloadOptions {
  schema: GraphQLSchema
  /** Returns the dependencies of the documents, which include these payloads. */
  system: () => System
  /** Returns the resource of an event in the format of the REST API. */
  resource: (event: EventRecord, query: QueryGraph) => Promise<unknown>
  /** Returns the function that parses and validates documents. Undefined in a process that serves no clients. */
  prepare: () => Executor['prepare'] | undefined
}

/** Creates the payloads of webhooks. */
export function newPayloads(options: PayloadOptions): Payloads {
  const { schema, system, resource, prepare } = options
  const cache = new LRUCache<string, DocumentNode>({ max: maxParsedDocuments })
  const documentOf = (text: string): DocumentNode => {
    const document = cache.get(text) ?? parse(text, { noLocation: true })
    cache.set(text, document)
    return document
  }
  const needsOfResources = new Map<string, Promise<readonly Scope[]>>()
  const executeAs = async (caller: Caller, document: DocumentNode, args: object): Promise<ExecutionResult> => {
    const contextValue = newCtx(system(), caller, { rows: newRowBudget({ ...limits, bytes: maxBytes }) })
    return limitResult(await execute({ schema, document, contextValue, ...args }), contextValue.rows, true)
  }
  return {
    resource: (caller, event) =>
      resource(event, async (document, variableValues) => {
        const { data, errors } = await executeAs(caller, document, { variableValues })
        if (errors?.[0]) throw errors[0].originalError ?? errors[0]
        return data
      }),
    // Fields that the key may not read are null, as in a subscription.
    selection: async (caller, document, event) => {
      const { data, errors } = await executeAs(caller, documentOf(document), { rootValue: event })
      if (!data) throw errors?.[0]?.originalError ?? errors?.[0] ?? new Error('A document selected nothing.')
      return data
    },
    needs: async (type, document) => {
      if (document !== null) return needsOfDocument(schema, documentOf(document), type)
      const needs = needsOfResources.get(type) ?? needsOfResource(schema, resource, type)
      needsOfResources.set(type, needs)
      return needs
    },
    faults: async (_caller, text) => {
      const prepareDocument = prepare()
      if (!prepareDocument) throw new Error('This process cannot check documents.')
      const prepared = prepareDocument({ query: text })
      if ('refusal' in prepared) return (prepared.refusal.errors ?? []).map(({ message }) => message)
      const faults = findOperationFaults(prepared.document)
      if (faults.length > 0) return faults
      const checked = checkOperation({ schema, document: prepared.document }, maxPoints, system().log)
      // The error message puts the name of the input field before each fault.
      return 'errors' in checked ? checked.errors.map(({ message }) => message.replace(/^The document /, '')) : []
    },
  }
}

/** Returns the scopes of the fields that a document selects for an event. Skips fragments on other event types. */
function needsOfDocument(schema: GraphQLSchema, document: DocumentNode, type: string): readonly Scope[] {
  const types = new TypeInfo(schema)
  const needs = new Set<Scope>()
  const event = schema.getType('Event')
  const eventType =
    event && 'resolveType' in event ? event.resolveType?.({ type }, undefined, {} as never, event) : undefined
  // `visit` skips a node for which its visitor returns false.
  const skipIfOtherEvent = () => {
    const condition = getNamedType(types.getType())
    const isEvent = isObjectType(condition) && condition.getInterfaces().some(({ name }) => name === 'Event')
    return isEvent && condition.name !== eventType ? false : undefined
  }
  visit(
    document,
    visitWithTypeInfo(types, {
      InlineFragment: skipIfOtherEvent,
      FragmentDefinition: skipIfOtherEvent,
      Field: () => {
        const field = types.getFieldDef()
        const [need] = field ? needsOf(field) : []
        if (need && need !== 'full access') needs.add(need)
      },
    }),
  )
  return [...needs]
}

/** Returns the scopes of the documents that the resource of an event selects in the REST API. */
async function needsOfResource(
  schema: GraphQLSchema,
  resource: PayloadOptions['resource'],
  type: string,
): Promise<readonly Scope[]> {
  const needs = new Set<Scope>()
  const emptyData = new Proxy({}, { get: () => null })
  await resource({ accountId: 0, type, position: 0n, data: {}, createdAt: new Date(0) }, async (document) => {
    for (const need of needsOfDocument(schema, document, type)) needs.add(need)
    return emptyData
  })
  return [...needs]
}

/** Returns why a document cannot be the payload of a webhook. It is executed for one event, without variables. */
function findOperationFaults(document: DocumentNode): string[] {
  const operation = getOperationAST(document)
  if (!operation) return ['must have exactly one operation']
  const [field, ...others] = operation.selectionSet.selections
  if (operation.operation !== 'subscription') return ['must be a subscription']
  if (field?.kind !== 'Field' || field.name.value !== 'events' || others.length > 0) {
    return ['must subscribe to the field `events` and no other field']
  }
  if (field.arguments?.length) {
    return ['must not pass arguments to `events`: the input `events` of the webhook selects the events']
  }
  return operation.variableDefinitions?.length ? ['must not have variables'] : []
}
