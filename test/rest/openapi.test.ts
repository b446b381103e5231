import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { openApi } from '../../rest-bridge/openapi.ts'
import { v1Routes } from '../../rest-bridge/routes.ts'

describe('openapi.json', () => {
  it('passes the recommended rules of its linter', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(openApi()), absoluteRef: 'openapi.json', config })
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual([])
  })

  it('contains each endpoint of the table once', () => {
    const { paths } = openApi()
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map((operation) => Object(operation).operationId),
    )
    expect(ids.toSorted()).toEqual(v1Routes.map(({ id }) => id).toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('contains each error code with its status', () => {
    const { paths, components } = openApi()
    const refs = (path: string, method: string) =>
      Object.values(Object(paths[path])[method].responses as Record<string, { $ref?: string }>)
        .flatMap(({ $ref }) => ($ref ? [$ref.split('/').at(-1) ?? ''] : []))
        .toSorted()
    expect(refs('/v1/contact', 'post')).toEqual([
      '400.VALIDATION_ERROR',
      '401.UNAUTHORIZED',
      '403.FORBIDDEN',
      '409.CONTACT_EXISTS.IDEMPOTENCY_CONFLICT',
      '413.VALIDATION_ERROR',
      '422.VALIDATION_ERROR',
      '500.SERVER_ERROR',
      'TooManyRequests',
    ])
    expect(refs('/v1/contacts', 'get')).toContain('400.INVALID_PERIOD')
    const conflict = Object(components.responses['409.CONTACT_EXISTS.IDEMPOTENCY_CONFLICT'])
    const { error } = conflict.content['application/json'].schema.properties
    expect(error.properties.code.enum).toEqual(['CONTACT_EXISTS', 'IDEMPOTENCY_CONFLICT'])
  })
})
