import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLField,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../rest/specification.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const objects = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type))
const argumentsOf = (field: GraphQLField<unknown, unknown>) => field.args.map(({ name, type }) => `${name}: ${type}`)

describe('the GraphQL schema', () => {
  it('names mutations nounVerb, each with one input and one payload of its name', () => {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const name = field.name.replace(/^./, (letter) => letter.toUpperCase())
      expect([argumentsOf(field), String(field.type)]).toEqual([[`input: ${name}Input!`], `${name}Payload`])
      expect(field.name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/)
    }
  })

  it('has only nullable objects in payloads, so that a failure inside leaves the ids beside them', () => {
    const payloads = objects.filter(({ name }) => name.endsWith('Payload'))
    const found = payloads.flatMap((payload) =>
      Object.values(payload.getFields()).flatMap(({ name, type }) =>
        isObjectType(getNamedType(type)) ? [{ path: `${payload.name}.${name}`, isRequired: isNonNullType(type) }] : [],
      ),
    )
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter(({ isRequired }) => isRequired)).toEqual([])
  })

  it('has forward, backward and offset pagination, filter, order and totalCount for every long list', () => {
    const lists = objects.flatMap((type) =>
      Object.values(type.getFields()).filter(({ type: of }) => /Connection!?$/.test(String(of))),
    )
    expect(lists.length).toBeGreaterThan(30)
    // A union of tables of all modules: it is read from the newest entry on, and not counted.
    const timeline = lists.splice(
      lists.findIndex(({ name }) => name === 'timeline'),
      1,
    )
    expect(timeline.flatMap(argumentsOf)).toEqual(['after: String', 'first: Int', 'types: [TimelineEntryType!]'])
    const paging = ['after: String', 'before: String', 'first: Int', 'last: Int', 'offset: Int']
    for (const list of lists) {
      const input = argumentsOf(list)
      expect(input, list.name).toEqual(expect.arrayContaining(paging))
      expect(
        input.filter((each) => /^(filter: \w+FilterInput|orderBy: \[\w+OrderInput!\])$/.test(each)),
        list.name,
      ).toHaveLength(2)
    }
    for (const type of objects.filter(({ name }) => name.endsWith('Connection'))) {
      const total = type.name === 'TimelineEntryConnection' ? [] : ['totalCount']
      expect(Object.keys(type.getFields()), type.name).toEqual(
        expect.arrayContaining(['nodes', 'edges', 'pageInfo', ...total]),
      )
    }
  })

  it('has the integer ID of REST in every node type', () => {
    const nodes = objects.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
    expect(nodes.length).toBeGreaterThan(15)
    // Their IDs exceed Int. REST returns only those of deliveries.
    const large = {
      Answer: 0,
      AuditEntry: 0,
      BulkJobError: 0,
      Consent: 0,
      ContactImportError: 0,
      Recipient: 0,
      SenderProblem: 0,
      Suppression: 0,
      WebhookDelivery: 'Float!',
    }
    for (const node of nodes) {
      const expected = { ...large }[node.name as keyof typeof large] ?? 'Int!'
      expect(node.getFields()['databaseId']?.type.toString() ?? 0, node.name).toBe(expected)
    }
  })

  it('spells scopes as values of the enum Scope', () => {
    const text = readFileSync('schema.graphql', 'utf8')
    expect(text.match(/`CONTACTS_READ`/g)?.length).toBeGreaterThan(20)
    expect(text.match(/\b[a-z]+:(?:read|write)\b/g)).toBeNull()
  })

  it('has every error code of REST', () => {
    const type = schema.getType('ErrorCode')
    const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : []
    expect(codes).toEqual(expect.arrayContaining(errorCodes.map((code) => code.replace(/-400$/, ''))))
  })
})
