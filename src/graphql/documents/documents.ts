import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  type Token,
  type ValidationRule,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../kernel/telemetry/log.ts'
import { toClientError } from '../schema/errors.ts'
import { checkDocumentSize, limits, tooManyTokens } from './limits.ts'
import { truncate } from './truncate.ts'

/** A valid document, or the errors of an invalid one. */
type ParsedDocument = { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] }

/** Size of the document cache, in bytes, estimated from the documents' text. */
const cacheBytes = 64_000_000

/** Estimated memory of one token with its part of the syntax tree. */
const bytesPerToken = 300

/**
 * Returns a function that parses documents, checks their size and validates them. It caches its results, so that the same
 * text gives the same document object, by which other modules cache what they derive from it. It reports at most
 * `limits.errors` errors, with messages of limited length.
 */
export function newDocuments(
  schema: GraphQLSchema,
  { introspection, log }: { introspection: boolean; log: Log },
): (text: string) => ParsedDocument {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule]
  const cache = new LRUCache<string, ParsedDocument>({
    maxSize: cacheBytes,
    maxEntrySize: cacheBytes / 32,
    sizeCalculation: (parsed, text) => 1_000 + 2 * text.length + bytesPerToken * countTokens(parsed),
  })
  return (text) => {
    const cached = cache.get(text)
    if (cached) return cached
    const parsed = parseDocument(schema, text, rules, log)
    cache.set(text, parsed)
    return parsed
  }
}

function parseDocument(
  schema: GraphQLSchema,
  text: string,
  rules: readonly ValidationRule[],
  log: Log,
): ParsedDocument {
  if (text.length > limits.characters) {
    const message = `A document can have ${limits.characters} characters at most. Send long content in variables.`
    return { errors: [new GraphQLError(message, { extensions: { code: 'QUERY_TOO_COMPLEX' } })] }
  }
  try {
    const document = parse(text, { maxTokens: limits.tokens })
    checkDocumentSize(document)
    const errors = validate(schema, document, rules, { maxErrors: limits.errors })
    return errors.length === 0
      ? { document }
      : { errors: errors.map((error) => shortenError(toClientError(error, log))) }
  } catch (error) {
    return { errors: [shortenError(toClientError(error, log))] }
  }
}

/** Truncates the message of an error, because names in a document can be as long as the document. */
function shortenError(error: GraphQLError): GraphQLError {
  // Without its nodes, a cached error does not keep the syntax tree in memory. The positions give the location.
  const { extensions, source, positions } = error
  const code = tooManyTokens.test(error.message) ? 'QUERY_TOO_COMPLEX' : extensions['code']
  return new GraphQLError(truncate(error.message, limits.messageLength), {
    source: source ?? null,
    positions: positions ?? null,
    extensions: { ...extensions, code },
  })
}

/** Counts the tokens of a document, including comments, which `maxTokens` does not limit. */
function countTokens(parsed: ParsedDocument): number {
  if (!('document' in parsed)) return 0
  let count = 0
  for (let token: Token | null | undefined = parsed.document.loc?.startToken; token; token = token.next) count += 1
  return count
}
