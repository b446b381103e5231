import { domainToASCII } from 'node:url'
import { z } from 'zod'
import { text } from './check.ts'

/** Regular expression of a label of a domain in ASCII and lower case. */
export const domainLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/** Schema of a domain with at least two labels. Converted to ASCII and lower case. */
export const domainName = text(253)
  .transform((name) => domainToASCII(name.trim()) || name)
  .pipe(
    z
      .string()
      .toLowerCase()
      .max(253)
      .regex(new RegExp(`^(?:${domainLabel}\\.)+${domainLabel}$`), 'must be a domain name such as example.com'),
  )

/** Returns a domain and the domains above it, without the last label alone, the nearest first. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}
