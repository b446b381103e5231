import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { t } from '@lingui/core/macro'
import { useRef } from 'react'
import { useClient } from 'urql'
import { CurrentDocument } from '../generated/graph.documents.ts'
import { reasonOf, useAction } from './use-screen.ts'

/** An object as a screen shows it, with the time of its last change. */
interface Shown {
  readonly id: string
  readonly updatedAt: string
}

/**
 * Attempts of a save, each refused because other fields of the object had changed: by another person, or by other saves of this
 * screen that are under way, which may share one reading of the object.
 */
const maxAttempts = 10

/** The reason if another person changed what was to be saved. */
export const changedMeanwhile = () => t`It was changed meanwhile. Here is the current value.`

/**
 * Returns a function that saves properties of the object that `target` identifies, and returns the reason if they were
 * refused. Also returns whether it is under way. A property that another person changed since it was shown is not overwritten:
 * the cache then has the current value. Changes of other properties do not matter.
 */
export function useSave<Data, Input extends object>(
  document: TypedDocumentNode<Data, { input: Input }>,
  target: Partial<Input>,
  shown: Shown,
) {
  const client = useClient()
  const [update, isSaving] = useAction(document)
  const latest = useRef(shown)
  latest.current = shown
  const own = useRef<object>({})
  const readAgain = async () => {
    const { id } = latest.current
    const { data } = await client.query(CurrentDocument, { id }, { requestPolicy: 'network-only' })
    return data?.node ? fieldsOf(data.node) : undefined
  }
  const save = async (change: Partial<Input>) => {
    const [before, sentBefore] = [latest.current, own.current]
    own.current = { ...sentBefore, ...change }
    let expectedUpdatedAt: string | undefined = before.updatedAt
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await update({ input: { ...target, ...change, expectedUpdatedAt } as unknown as Input })
      if (outcome.code !== 'CONFLICT') {
        if (isOvertaken(outcome.data, latest.current)) await readAgain()
        return reasonOf(outcome, ...Object.keys(change))
      }
      const current = await readAgain()
      const isUntouched = (name: string) =>
        [before, sentBefore].some((known) => isSame(storedValue(known, name), storedValue(current ?? {}, name)))
      if (!current || attempt === maxAttempts || !Object.keys(change).every(isUntouched)) return changedMeanwhile()
      expectedUpdatedAt = current.updatedAt
    }
  }
  return [save, isSaving] as const
}

/** Whether a later state of the object was shown before the response to a save, with which the cache has replaced it. */
function isOvertaken(data: unknown, { id, updatedAt }: Shown): boolean {
  const [payload] = Object.values(data ?? {}) as (object | null)[]
  const saved = Object.values(payload ?? {}).find((each) => Object(each).id === id) as Partial<Shown> | undefined
  return saved?.updatedAt !== undefined && saved.updatedAt < updatedAt
}

/** Returns the fields of an object by their names, and those of its e-mail. */
function fieldsOf(node: object) {
  const fields = Object.fromEntries(Object.entries(node).map(([name, value]) => [name.replace(/^[a-z]+_/, ''), value]))
  return { ...fields['message'], ...fields } as { readonly updatedAt: string }
}

/** Returns what an object has for a field of an input, which names related objects by their ids. */
function storedValue(object: object, name: string): unknown {
  const values = object as Readonly<Record<string, unknown>>
  if (name in values) return values[name]
  const related = values[name.replace(/Id(s?)$/, '$1')]
  if (Array.isArray(related)) return related.map(({ id }) => id)
  return name.endsWith('Id') ? (related as { id: string } | null | undefined)?.id : undefined
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && inOrder(one) === inOrder(other)
}

/** Returns the JSON of a value with its properties in one order, in which the server may store them otherwise. */
export const inOrder = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  )
