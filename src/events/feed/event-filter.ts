import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Subjects } from '../../kernel/feed.ts'
import { may, mustBeAllowed } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { declarationOf, type EventType, eventTypes } from '../types/event-types.ts'

/**
 * The filter fields with the ids of objects: the type of the objects, and the field of the data with the id. The most
 * selective first.
 */
const subjectFields = {
  contactIds: { type: 'Contact', field: 'contactId' },
  tagIds: { type: 'Tag', field: 'tagId' },
  formIds: { type: 'Form', field: 'formId' },
  funnelIds: { type: 'Funnel', field: 'funnelId' },
  sequenceIds: { type: 'Sequence', field: 'sequenceId' },
  campaignIds: { type: 'Campaign', field: 'campaignId' },
} as const

type SubjectField = keyof typeof subjectFields

/** Maximum ids of a field of the filter. Each id is looked up for each event type. */
export const maxSubjects = 20

/** Selects events by type, and by the objects that they are about. All fields that are set must match. */
export type EventFilter = { readonly types?: readonly EventType[] | null | undefined } & {
  readonly [Field in SubjectField]?: readonly (string | number)[] | null | undefined
}

/** The events that a filter selects. */
interface EventSelection {
  readonly types: readonly EventType[]
  readonly subjects: Subjects
}

/**
 * Reads a filter. Without `types`, it selects the types that the key can read. `path` is the path of the filter in errors.
 *
 * **Throws** FORBIDDEN if the key cannot read one of `types`, and VALIDATION_ERROR for an empty list of types, an id of another
 * type, and more than 20 ids.
 */
export function readFilter(ctx: Ctx, filter: EventFilter, path = 'filter'): EventSelection {
  const subjects = subjectsOf(filter, path)
  for (const type of filter.types ?? []) mustBeAllowed(ctx, declarationOf(type).needs)
  if (filter.types?.length === 0)
    throw invalid({ [`${path}.types`]: ['must contain at least one type, or be absent'] }, 'REQUIRED')
  const types = new Set(filter.types ?? eventTypes().filter((type) => may(ctx, declarationOf(type).needs)))
  return { types: [...types].filter((type) => isAboutAll(type, subjects)), subjects }
}

function subjectsOf(filter: EventFilter, path: string): Subjects {
  const read = (Object.keys(subjectFields) as SubjectField[]).flatMap((name) => {
    const ids = filter[name]
    if (ids == null) return []
    const place = `${path}.${name}`
    if (ids.length > maxSubjects) throw invalid({ [place]: [`must have at most ${maxSubjects} ids`] }, 'TOO_LONG')
    const { type, field } = subjectFields[name]
    return [[field, [...new Set(ids.map((id) => idOf(type, id, place)))]]]
  })
  return Object.fromEntries(read)
}

/** Returns whether the data of events of a type has the ids of all subjects. */
function isAboutAll(type: EventType, subjects: Subjects): boolean {
  const { sample } = declarationOf(type)
  return Object.keys(subjects).every((field) => Object.hasOwn(sample, field))
}
