import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Ctx } from '../../src/db/context.ts'
import { emit } from '../../src/events/index.ts'
import { declarationOf, eventTypes } from '../../src/events/types/event-types.ts'
import { type FigureName, figures } from '../../src/figures/catalogue.ts'
import { fillPorts, newPorts, portsMustBeFilled } from '../../src/kernel/ports.ts'
import '../../src/server/ports.ts'

describe('the ports of a module', () => {
  it('are filled by server/ports.ts', () => {
    expect(() => portsMustBeFilled()).not.toThrow()
  })

  it('throw with their name if they are read, or a process starts, before they are filled', () => {
    const ports = newPorts<{ ring(): string }>('gates')
    expect(() => ports.ring()).toThrow('The port ring of gates is not filled.')
    expect(() => portsMustBeFilled()).toThrow('The ports of these modules are not filled: gates.')
    fillPorts(ports, { ring: () => 'rung' })
    expect(ports.ring()).toBe('rung')
    expect(() => portsMustBeFilled()).not.toThrow()
  })
})

describe('the data of an event', () => {
  it('has the type of the sample that its module declares', () => {
    expectTypeOf(emit<'contact.tag_added'>).parameters.toEqualTypeOf<
      [
        tx: Ctx,
        types: 'contact.tag_added' | readonly 'contact.tag_added'[],
        data: { contactId: number; tagId: number; changes?: readonly string[] },
      ]
    >()
  })
})

describe('the figure that counts events', () => {
  it.each(eventTypes().flatMap((type) => declarationOf(type).counts ?? []))(
    '$figure is in the catalogue with its objects',
    ({ figure, of, isOfAccount = true }) => {
      const { objects }: { objects: readonly string[] } = figures[figure as FigureName]
      expect(objects.includes('Account')).toBe(isOfAccount)
      if (of) expect(objects).toContain(of.type)
    },
  )
})
