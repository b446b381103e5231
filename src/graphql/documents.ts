import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  type Token,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Log } from '../kernel/log.ts'
import { cut } from './cut.ts'
import { shown } from './errors.ts'
import { limits, measureDocument, tooManyTokens } from './limits.ts'

/** A document that may be executed, or why it may not. */
export type ReadDocument = { readonly document: DocumentNode } | { readonly errors: readonly GraphQLError[] }

/** How many bytes the documents that are kept may take, as far as that can be told from their text. */
const keptBytes = 64_000_000

/** What a token takes with its part of the tree. */
const bytesPerToken = 300

/**
 * Reads documents from their text: parsed, within the limits, and valid. Keeps what it read, so that a text that comes
 * again is the same document, to which other parts attach what they know of it. Errors are few and short, whatever is
 * wrong: `limits.errors` at most.
 */
export function newDocuments(schema: GraphQLSchema, log: Log): (text: string) => ReadDocument {
  const kept = new LRUCache<string, ReadDocument>({
    maxSize: keptBytes,
    maxEntrySize: keptBytes / 32,
    sizeCalculation: (read, text) => 1_000 + 2 * text.length + bytesPerToken * tokensOf(read),
  })
  return (text) => {
    const known = kept.get(text)
    if (known) return known
    const read = readDocument(schema, text, log)
    kept.set(text, read)
    return read
  }
}

function readDocument(schema: GraphQLSchema, text: string, log: Log): ReadDocument {
  if (text.length > limits.characters) {
    const message = `A document can have ${limits.characters} characters at most. Send long content in variables.`
    return { errors: [new GraphQLError(message, { extensions: { code: 'QUERY_TOO_COMPLEX' } })] }
  }
  try {
    const document = parse(text, { maxTokens: limits.tokens })
    measureDocument(document)
    const errors = validate(schema, document, specifiedRules, { maxErrors: limits.errors })
    return errors.length === 0 ? { document } : { errors: errors.map((error) => short(shown(error, log))) }
  } catch (error) {
    return { errors: [short(shown(error, log))] }
  }
}

/** The error with a message of bounded length: names in a document can be as long as the document. */
function short(error: GraphQLError): GraphQLError {
  // Its nodes would keep the whole tree; the positions are enough to show where it is.
  const { extensions, source, positions } = error
  const code = tooManyTokens.test(error.message) ? 'QUERY_TOO_COMPLEX' : extensions['code']
  return new GraphQLError(cut(error.message, limits.messageLength), {
    source: source ?? null,
    positions: positions ?? null,
    extensions: { ...extensions, code },
  })
}

/** How many tokens hang on a document: the comments too, which no limit counts. */
function tokensOf(read: ReadDocument): number {
  if (!('document' in read)) return 0
  let count = 0
  for (let token: Token | null | undefined = read.document.loc?.startToken; token; token = token.next) count += 1
  return count
}
