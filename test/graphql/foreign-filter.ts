import type { ObjectReference, ObjectReferences } from './foreign.ts'

type Form = (thing: ObjectReference) => string | number

/** Filters for contacts with ids of another account: `include` matches no contact, `exclude` all. With their paths. */
export function foreignFilters(foreign: ObjectReferences, form: Form) {
  const related = {
    tags: foreign.tag,
    segments: foreign.segment,
    sequences: foreign.sequence,
    forms: foreign.form,
    campaignsSent: foreign.sent,
    campaignsOpened: foreign.sent,
    campaignsNotOpened: foreign.sent,
    campaignsClicked: foreign.sent,
    campaignsNotClicked: foreign.sent,
  }
  const entries = Object.entries(related)
  const ids = (operator: string) => entries.map(([name, thing]) => ({ [name]: { [operator]: [form(thing)] } }))
  const paths = (operator: string) => entries.map(([name]) => `${name}.${operator}`)
  return {
    include: {
      paths: ['id.in', 'customFields.id', ...paths('all'), ...paths('any')],
      filter: {
        or: [
          { id: { in: [form(foreign.contact)] } },
          { customFields: [{ id: form(foreign.customField), exists: true }] },
          ...ids('all'),
          ...ids('any'),
        ],
      },
    },
    exclude: { paths: paths('none'), filter: { and: ids('none') } },
  }
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
