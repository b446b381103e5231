import { type Need, scopeName } from './query.ts'

/** Describes an ID of an input: `object` names the object with its article, such as `the tag`. */
export function idText(object: string): string {
  return `Global ID or integer ID of ${object}.`
}

/** Describes a list of IDs of an input: `objects` is a plural, with the length of the list if it is limited. */
export function idsText(objects: string): string {
  return `Global IDs or integer IDs of ${objects}.`
}

/** Returns the options of an ID that an input requires. */
export function requiredId(object: string) {
  return { required: true, description: idText(object) } as const
}

/** Describes what a field or a value needs of a key. `condition` says when, such as `unless empty`. */
export function scopeText(need: Need, condition?: string): string {
  const what = need === 'full access' ? 'an API key with full access' : `the scope \`${scopeName(need)}\``
  return `Needs ${what}${condition === undefined ? '' : ` ${condition}`}.`
}
