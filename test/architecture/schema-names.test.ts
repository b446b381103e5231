import { readFileSync } from 'node:fs'
import { buildSchema, isInputObjectType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const objects = types.filter(isObjectType)

describe('names in schema.graphql', () => {
  it('lets a client remove a deleted node from its cache', () => {
    const deletions = objects.flatMap(({ name }) => /^(.+)DeletePayload$/.exec(name)?.[1] ?? [])
    expect(deletions.length).toBeGreaterThan(10)
    for (const name of deletions) {
      const fields = schema.getType(`${name}DeletePayload`)
      // The mutations of the parts of a form begin with `form`, their types do not.
      const type = schema.getType(name) ? name : name.replace(/^Form/, '')
      const id = isObjectType(fields) ? fields.getFields()[`deleted${type}Id`] : undefined
      expect(String(id?.type).replace('!', ''), name).toBe('ID')
    }
  })

  it('ends the name of every input with Input', () => {
    const inputs = types.filter(isInputObjectType).map(({ name }) => name)
    expect(inputs.filter((name) => !name.endsWith('Input'))).toEqual([])
  })
})
