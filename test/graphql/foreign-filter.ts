import type { ObjectReference, ObjectReferences } from './foreign.ts'

const rowIds = ['id.eq', 'id.in', 'id.ne']

type Form = (thing: ObjectReference) => string | number

/**
 * A filter of a list with ids of another account: `include` matches no row, `exclude` all. With the paths of the ids. `things`
 * are the row itself and the objects that the filter names by their ids.
 */
export function foreignFilterOf({ id, ...things }: Readonly<Record<string, ObjectReference>>, form: Form) {
  const entries = Object.entries(things)
  const ids = (operator: string) => entries.map(([name, thing]) => ({ [name]: { [operator]: [form(thing)] } }))
  const paths = (operator: string) => entries.map(([name]) => `${name}.${operator}`)
  const row = id ? [{ id: { in: [form(id)], eq: form(id), ne: form(id) } }] : []
  return {
    include: {
      paths: [...(id ? rowIds : []), ...paths('all'), ...paths('any')],
      filter: { or: [...row, ...ids('all'), ...ids('any')] },
    },
    exclude: { paths: paths('none'), filter: { and: ids('none') } },
  }
}

/** The objects that the filters of forms, funnels, webhooks, API keys and users name, by the root field of the list. */
export function foreignListThings(foreign: ObjectReferences) {
  return {
    forms: { id: foreign.form },
    submissions: { id: foreign.submission, forms: foreign.form, contacts: foreign.contact },
    funnels: { id: foreign.funnel, forms: foreign.form },
    webhooks: { id: foreign.webhook },
    apiKeys: { id: foreign.apiKey },
    users: { id: foreign.user },
  }
}

/** Filters for contacts with ids of another account: `include` matches no contact, `exclude` all. With their paths. */
export function foreignFilters(foreign: ObjectReferences, form: Form) {
  const related = {
    tags: foreign.tag,
    topics: foreign.topic,
    topicsLeft: foreign.topic,
    segments: foreign.segment,
    sequences: foreign.sequence,
    nextStages: foreign.letterStage,
    stagesSent: foreign.letterStage,
    stagesOpened: foreign.letterStage,
    stagesClicked: foreign.letterStage,
    forms: foreign.form,
    outcomes: foreign.outcome,
    funnelsVisited: foreign.funnel,
    stepsVisited: foreign.step,
    campaignsSent: foreign.sent,
    campaignsOpened: foreign.sent,
    campaignsNotOpened: foreign.sent,
    campaignsClicked: foreign.sent,
    campaignsNotClicked: foreign.sent,
  }
  const { include, exclude } = foreignFilterOf({ id: foreign.contact, ...related }, form)
  const custom = { customFields: [{ id: form(foreign.customField), exists: true }] }
  return {
    include: { paths: [...include.paths, 'customFields.id'], filter: { or: [...include.filter.or, custom] } },
    exclude,
  }
}

/**
 * Filters for other lists with ids of another account, which match no row, by their name in an export. Each has the paths of
 * the ids.
 */
export function foreignListFilters(foreign: ObjectReferences, form: Form) {
  const fields: Readonly<Record<string, Readonly<Record<string, ObjectReference>>>> = {
    tags: { id: foreign.tag },
    consents: { topics: foreign.topic },
    segments: { id: foreign.segment },
    contactImports: { id: foreign.contactImport },
    bulkJobs: { id: foreign.bulkJob },
    media: { id: foreign.media },
    reusableBlocks: { id: foreign.reusableBlock },
    emailTemplates: { id: foreign.emailTemplate },
    sequences: { id: foreign.sequence },
    campaigns: { id: foreign.sent },
    recipients: {
      ...{ contacts: foreign.contact, campaigns: foreign.sent },
      ...{ sequences: foreign.sequence, stages: foreign.letterStage },
    },
    enrolments: {
      ...{ id: foreign.enrolment, contacts: foreign.contact, sequences: foreign.sequence },
      ...{ lastStages: foreign.stage, nextStages: foreign.stage },
    },
  }
  return Object.entries(fields).map(([list, things]) => {
    const each = Object.entries(things).flatMap(([name, thing]) =>
      (name === 'id' ? ['eq', 'in', 'ne'] : ['all', 'any', 'none']).map((operator) => ({
        path: `${name}.${operator}`,
        condition: { [name]: { [operator]: operator === 'eq' || operator === 'ne' ? form(thing) : [form(thing)] } },
        isExcluding: operator === 'none' || operator === 'ne',
      })),
    )
    return {
      list,
      paths: each.map(({ path }) => path),
      filter: { or: each.map(({ condition, isExcluding }) => (isExcluding ? { not: condition } : condition)) },
    }
  })
}

/** The lists of the REST API with ids of another account, and their names. */
export function foreignLists(foreign: ObjectReferences, form: Form) {
  const things = {
    Tag: foreign.tag,
    Segment: foreign.segment,
    Sequence: foreign.sequence,
    Opened: foreign.sent,
    NotOpened: foreign.sent,
    Clicked: foreign.sent,
    NotClicked: foreign.sent,
  }
  const those = (direction: 'include' | 'exclude') =>
    Object.fromEntries(Object.entries(things).map(([name, thing]) => [`${direction}${name}Ids`, [form(thing)]]))
  return { include: those('include'), exclude: those('exclude') }
}
