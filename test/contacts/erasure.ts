import { vi } from 'vitest'
import type { World } from '../support/world.ts'

export const Erase = `mutation ($input: ContactEraseInput!) { contactErase(input: $input) {
  deletedContactId deletedContactDatabaseId contactErasureId contactErasure { id status redactSales contactDatabaseId completedAt } } }`

/** Erases a contact, and returns the erasure. */
export async function eraseContact(world: World, contact: object, input: object = {}) {
  return (await world.run(Erase, { input: { contact, ...input } })).contactErase.contactErasure
}

const Read =
  'query ($id: ID!) { node(id: $id) { ... on ContactErasure { status redactSales contactDatabaseId completedAt } } }'

/** Reads an erasure. */
export async function readErasure(world: World, id: string) {
  return (await world.run(Read, { id })).node
}

/** Waits until an erasure is complete, and returns it. */
export async function waitForErasure(world: World, id: string, timeout = 100_000) {
  await vi.waitUntil(async () => (await readErasure(world, id)).status === 'COMPLETED', {
    timeout,
    interval: 100,
  })
  return readErasure(world, id)
}
