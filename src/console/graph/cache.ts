import {
  type Cache,
  cacheExchange,
  type OptimisticMutationResolver,
  type UpdateResolver,
} from '@urql/exchange-graphcache'
import { introspection } from '../generated/introspection.documents.ts'

type TypeRef = { readonly kind: string; readonly name?: string | null; readonly ofType?: TypeRef | null }
interface ObjectType {
  readonly kind: string
  readonly name: string
  readonly fields?: readonly { readonly name: string; readonly type: TypeRef }[] | null
}

const objectTypes = (introspection.__schema.types as unknown as readonly ObjectType[]).filter(
  ({ kind }) => kind === 'OBJECT',
)

/** Types without an id are stored inside the object that contains them. */
const keys = Object.fromEntries(
  objectTypes
    .filter(({ fields }) => !fields?.some(({ name }) => name === 'id'))
    .map(({ name }) => [name, () => null] as const),
)

/** Lists whose members a mutation changes, by the beginning of the mutation's name. Read again after it if they are shown. */
const listsOf: Readonly<Record<string, readonly string[]>> = {
  contact: ['contacts'],
  contactImport: ['contactImports'],
  tag: ['tags'],
  topic: ['topics'],
  segment: ['segments'],
  customField: ['customFields'],
  media: ['media'],
  reusableBlock: ['reusableBlocks'],
  emailTemplate: ['emailTemplates'],
  campaign: ['campaigns'],
  sequence: ['sequences'],
  form: ['forms'],
  funnel: ['funnels'],
  apiKey: ['apiKeys'],
  webhook: ['webhooks'],
  senderDomain: ['senderDomains'],
  suppression: ['suppressions'],
  order: ['orders', 'invoices', 'creditNotes'],
}

const changesLists =
  /^([a-zA-Z]+?)(?:Create|Delete|Erase|Merge|Duplicate|Upsert|Add|Remove|Disable)$|^(order)(?:Complete|Cancel|Refund)$/

const invalidateLists: UpdateResolver = (_result, _args, cache, { fieldName }) => {
  const [, creating, changing] = changesLists.exec(fieldName) ?? []
  const noun = creating ?? changing ?? ''
  for (const list of listsOf[noun] ?? []) invalidateField(cache, 'Query', list)
  const account = cache.resolve('Query', 'account')
  // Orders are counted by the figures over time.
  if (noun === 'order' && typeof account === 'string') invalidateField(cache, account, 'series')
}

function invalidateField(cache: Cache, entity: string, name: string): void {
  for (const { fieldName, fieldKey } of cache.inspectFields(entity)) {
    if (fieldName === name) cache.invalidate(entity, fieldKey)
  }
}

const mutationFields = objectTypes.find(({ name }) => name === introspection.__schema.mutationType?.name)?.fields ?? []
const mutations = mutationFields.map(({ name }) => name)

/** Updates whose input has the names of the object's fields. */
const optimisticUpdates = new Set([
  'formUpdate',
  'formQuestionUpdate',
  'formOutcomeUpdate',
  'sequenceUpdate',
  'sequenceStageUpdate',
  'funnelUpdate',
  'funnelStepUpdate',
  'webhookUpdate',
])

const namedType = (type: TypeRef): TypeRef => (type.ofType ? namedType(type.ofType) : type)
const typeNamed = (name: string | null | undefined) => objectTypes.find((each) => each.name === name)

/** Returns what an update will make of an object: shown until the server answers, and taken back if it refuses. */
function optimisticUpdate({
  name,
  type,
}: {
  readonly name: string
  readonly type: TypeRef
}): [string, OptimisticMutationResolver] {
  const payload = typeNamed(namedType(type).name)
  const changed = payload?.fields?.find(
    (field) => keys[namedType(field.type).name ?? ''] === undefined && namedType(field.type).kind === 'OBJECT',
  )
  const object = changed && typeNamed(namedType(changed.type).name)
  const scalars = new Set(
    object?.fields?.filter((field) => namedType(field.type).kind === 'SCALAR').map((field) => field.name),
  )
  return [
    name,
    ({ input }) => {
      const fields = Object.entries(input as object).filter(([field]) => scalars.has(field))
      if (!payload || !changed || !object) return null
      return { __typename: payload.name, [changed.name]: { __typename: object.name, ...Object.fromEntries(fields) } }
    },
  ]
}

/**
 * Returns the cache of the graph. It stores each object once by its id, so that a change is shown wherever the object is.
 * It knows the schema: a field that failed is null, and the rest of the screen is shown.
 */
export const newCache = () =>
  cacheExchange({
    schema: introspection as never,
    keys,
    updates: {
      Mutation: Object.fromEntries(
        mutations.filter((name) => changesLists.test(name)).map((name) => [name, invalidateLists]),
      ),
    },
    optimistic: {
      ...Object.fromEntries(mutationFields.filter(({ name }) => optimisticUpdates.has(name)).map(optimisticUpdate)),
      contactUpdate: ({ input }) => {
        const {
          contact,
          expectedUpdatedAt: _,
          ...fields
        } = input as { contact: { id: string }; expectedUpdatedAt?: string }
        return { __typename: 'ContactUpdatePayload', contact: { __typename: 'Contact', ...contact, ...fields } }
      },
    },
  })
