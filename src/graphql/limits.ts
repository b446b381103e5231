import type { Plugin } from '@envelop/core'
import { maxAliasesPlugin } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth'
import { type GraphQLError, parse } from 'graphql'

/** How large a document may be, before it is looked at any closer. */
export const limits = { tokens: 2_000, depth: 16, aliases: 30, bodyBytes: 1_048_576 } as const

/** graphql-js's own words for a document with too many tokens. */
export const tooManyTokens = /more tha[tn] \d+ tokens/

/** Refuses documents that are too long, too deep or too wide, as QUERY_TOO_COMPLEX, before they are executed. */
export function documentLimits(): Plugin[] {
  const onReject = [
    (_context: unknown, error: GraphQLError) => Object.assign(error.extensions, { code: 'QUERY_TOO_COMPLEX' }),
  ]
  return [
    {
      onParse: ({ setParseFn }) =>
        setParseFn((source, options) => parse(source, { ...options, maxTokens: limits.tokens })),
    },
    maxDepthPlugin({ n: limits.depth, onReject }) as Plugin,
    maxAliasesPlugin({ n: limits.aliases, onReject }) as Plugin,
  ]
}
