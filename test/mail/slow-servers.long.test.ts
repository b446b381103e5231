import { describe, it } from 'vitest'
import { delayOnlyBriefly } from './slow-recipients.ts'

describe('recipients whose RCPT TO gets no reply', { timeout: 150_000 }, () => {
  it.each([
    ['in the domain of all others', 'example.com'],
    ['in one domain of their own', 'slow.example'],
    ['in a domain each', undefined],
  ])('%s delay other recipients only by seconds, and are retried', (_, domain) =>
    delayOnlyBriefly({ bad: 20, others: 500, domain }),
  )
})
