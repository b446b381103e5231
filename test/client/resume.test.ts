// @module-tag rows
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { iterate, type ResumeInfo } from '../../src/client/index.ts'
import { newFakeServer, optionsFor, type Position, read } from './fake-server.ts'

const upTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1)

describe.each(['ws', 'sse'] as const)('a subscription over %s', (transport) => {
  it('delivers events in order from its start and ends when the loop is left', async () => {
    const fake = await newFakeServer()
    fake.announce(3)
    const events = iterate<Position>(optionsFor(fake, { transport, variables: { types: ['CONTACT_CREATED'] } }))
    expect(await events.started).toBe('c3')
    fake.announce(2)
    const seen: number[] = []
    for await (const { event, cursor, errors } of events) {
      expect([cursor, events.cursor(), errors]).toEqual([event.cursor, event.cursor, []])
      seen.push(event.position)
      if (event.position === 5) break
    }
    expect(seen).toEqual([4, 5])
    await fake.until(() => fake.connections() === 0)
    expect(fake.subscribed).toEqual([
      { variables: { types: ['CONTACT_CREATED'], after: 'c3' }, transport, authorization: 'Bearer cmp_key' },
    ])
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('resumes after a stored cursor', async () => {
    const fake = await newFakeServer()
    fake.announce(5)
    const events = iterate<Position>(optionsFor(fake, { transport, after: 'c2' }))
    expect([await events.started, events.cursor()]).toEqual(['c2', 'c2'])
    expect(await read(events, 3)).toEqual([3, 4, 5])
    events.close()
  })

  it.each([
    ['a broken connection', (line: { cut(code?: number): void }) => line.cut(), 'CONNECTION_LOST'],
    ['a normal close', (line: { cut(code?: number): void }) => line.cut(1000), 'CONNECTION_LOST'],
    ['the expiry of its token', (line: { cut(code?: number): void }) => line.cut(4403), 'CONNECTION_LOST'],
    [
      'a server error',
      (line: { next(payload: object): void }) =>
        line.next({ data: { events: null }, errors: [{ message: 'Quote 1.', extensions: { code: 'SERVER_ERROR' } }] }),
      'SERVER_ERROR',
    ],
  ])('resumes after %s with the current key', async (_name, end, code) => {
    const fake = await newFakeServer()
    const keys: string[] = []
    const resumes: ResumeInfo[] = []
    const options = optionsFor(fake, { transport, after: 'c0', onResume: (resume) => resumes.push(resume) })
    const events = iterate<Position>({ ...options, key: () => `cmp_${keys.push('asked')}` })
    fake.announce(2)
    expect(await read(events, 2)).toEqual([1, 2])
    for (const line of fake.lines) end(line as never)
    await fake.until(() => fake.subscribed.length === 2)
    fake.announce(2)
    expect(await read(events, 2)).toEqual([3, 4])
    expect(fake.subscribed.map(({ variables, authorization }) => [variables['after'], authorization])).toEqual([
      ['c0', 'Bearer cmp_1'],
      ['c2', 'Bearer cmp_2'],
    ])
    expect(resumes).toMatchObject([{ after: 'c2', attempt: 1, waitMs: 0, cause: { code, isFinal: false } }])
    events.close()
  })

  it('ends if the server completes the subscription', async () => {
    const fake = await newFakeServer()
    const events = iterate<Position>(optionsFor(fake, { transport, after: 'c0' }))
    fake.announce(2)
    expect(await read(events, 1)).toEqual([1])
    for (const line of fake.lines) line.complete()
    expect(await read(events, 1)).toEqual([2])
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(fake.subscribed).toHaveLength(1)
  })

  it('loses and repeats no event if it is interrupted anywhere', async () => {
    const actions = fc.array(fc.constantFrom('announce', 'cut', 'repeat', 'read'), { minLength: 5, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(actions, async (sequence) => {
        const fake = await newFakeServer()
        const events = iterate<Position>(optionsFor(fake, { transport, after: 'c0', bufferSize: 4 }))
        let announced = 0
        const seen: number[] = []
        for (const action of [...sequence, 'announce']) {
          await fake.until(() => fake.subscribed.length > 0)
          if (action === 'announce') fake.announce(3)
          if (action === 'announce') announced += 3
          if (action === 'cut') for (const line of [...fake.lines]) line.cut()
          if (action === 'repeat') {
            for (const line of fake.lines)
              line.next({ data: { events: { cursor: `c${announced}`, position: announced } } })
          }
          if (action === 'read' && seen.length < announced) seen.push(...(await read(events, 1)))
        }
        seen.push(...(await read(events, announced - seen.length)))
        expect(seen).toEqual(upTo(announced))
        events.close()
      }),
      { numRuns: 25 },
    )
  })

  it('closes the connection while the buffer is full and loses no event', async () => {
    const fake = await newFakeServer()
    const causes: string[] = []
    const events = iterate<Position>(
      optionsFor(fake, { transport, after: 'c0', bufferSize: 10, onResume: ({ cause }) => causes.push(cause.code) }),
    )
    await fake.until(() => fake.lines.size === 1)
    fake.announce(25)
    await fake.until(() => fake.lines.size === 0)
    expect(await read(events, 25)).toEqual(upTo(25))
    expect(fake.subscribed.map(({ variables }) => variables['after']).slice(0, 2)).toEqual(['c0', 'c10'])
    // The client announces an attempt before the server has it.
    await fake.until(() => fake.subscribed.length === causes.length + 1)
    expect(new Set(causes)).toEqual(new Set(['BUFFER_FULL']))
    events.close()
  })

  it.each([
    ['UNAUTHORIZED', { status: 401, code: 4401 }],
    ['FORBIDDEN', { status: 403, code: 4403 }],
    ['BAD_REQUEST', { status: 400, code: 4400 }],
  ])('ends with %s if the server rejects the connection', async (code, refusal) => {
    const fake = await newFakeServer()
    fake.rejections.push(refusal)
    const events = iterate<Position>(optionsFor(fake, { transport }))
    await expect(events.started).rejects.toMatchObject({ code })
    await expect(events.next()).rejects.toMatchObject({ name: 'SubscriptionError', code, isFinal: true })
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(fake.subscribed).toEqual([])
  })

  it.each(['CURSOR_EXPIRED', 'FORBIDDEN', 'UNAUTHORIZED', 'VALIDATION_ERROR', 'QUERY_TOO_COMPLEX'])(
    'ends with %s after the events before it',
    async (code) => {
      const fake = await newFakeServer()
      const errors = [{ message: 'No.', extensions: { code } }]
      const events = iterate<Position>(optionsFor(fake, { transport, after: 'c0' }))
      await fake.until(() => fake.lines.size === 1)
      fake.announce(2)
      for (const line of fake.lines) line.next({ errors })
      expect(await read(events, 2)).toEqual([1, 2])
      await expect(events.next()).rejects.toMatchObject({ code, message: 'No.', errors })
      expect(events.cursor()).toBe('c2')
      await fake.until(() => fake.lines.size === 0)
    },
  )

  it('ends with CURSOR_MISSING if the document does not select the cursor', async () => {
    const fake = await newFakeServer()
    fake.overrides.push((line) => line.next({ data: { events: { position: 1 } } }))
    const events = iterate<Position>(optionsFor(fake, { transport, after: 'c0' }))
    await expect(events.next()).rejects.toMatchObject({ code: 'CURSOR_MISSING' })
  })

  it('retries while the server is unavailable and waits for retryAfterSeconds', async () => {
    const fake = await newFakeServer()
    const refusal = { message: 'Slow down.', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 7 } }
    fake.rejections.push({ status: 503, body: 'try later', code: 1013 }, { status: 502, body: {}, code: 1012 })
    fake.overrides.push((line) => line.next({ errors: [refusal] }))
    const resumes: ResumeInfo[] = []
    const options = optionsFor(fake, { transport, after: 'c0', onResume: (resume) => resumes.push(resume) })
    const events = iterate<Position>(options)
    await fake.until(() => fake.lines.size === 1)
    fake.announce()
    expect(await read(events, 1)).toEqual([1])
    expect(resumes.map(({ attempt, cause }) => [attempt, cause.code, cause.retryAfterMs])).toEqual([
      [1, 'CONNECTION_LOST', undefined],
      [2, 'CONNECTION_LOST', undefined],
      [3, 'RATE_LIMITED', 7000],
    ])
    events.close()
  })

  it('delivers a partial event with its errors', async () => {
    const fake = await newFakeServer()
    const errors = [{ message: 'No.', path: ['events', 'order'], extensions: { code: 'FORBIDDEN' } }]
    const event = { cursor: 'c1', position: 1, order: null }
    fake.overrides.push((line) => line.next({ data: { events: event }, errors }))
    const events = iterate<Position>(optionsFor(fake, { transport, after: 'c0' }))
    expect((await events.next()).value).toEqual({ event, cursor: 'c1', data: { events: event }, errors })
    events.close()
  })

  it('can be closed before it is connected and closed twice', async () => {
    const fake = await newFakeServer()
    const early = iterate<Position>(optionsFor(fake, { transport }))
    early.close()
    early.close()
    await expect(early.started).rejects.toMatchObject({ code: 'CLOSED' })
    expect(await early.next()).toEqual({ done: true, value: undefined })
    expect(fake.subscribed).toEqual([])
  })

  it('can be closed while it waits for its next attempt', async () => {
    const fake = await newFakeServer()
    fake.rejections.push({ status: 503, code: 1013 })
    const { promise, resolve } = Promise.withResolvers<ResumeInfo>()
    const events = iterate<Position>(optionsFor(fake, { transport, backOff: () => 3_600_000, onResume: resolve }))
    const ended = events.next()
    await promise
    events.close()
    expect(await ended).toEqual({ done: true, value: undefined })
    expect(fake.subscribed).toEqual([])
  })
})
