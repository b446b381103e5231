import type { Context } from 'koa'
import type { Details } from '../errors.ts'
import { type PageName, textsIn, type Values } from '../texts/texts.ts'

/** The parameters of a path, by name: `/p/:funnel/:path` has `funnel` and `path`. */
type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<Rest>
  : Path extends `${string}:${infer Name}?`
    ? Partial<Record<Name, string>>
    : Path extends `${string}:${infer Name}`
      ? Record<Name, string>
      : unknown

/** A request to a route. */
export interface HttpRequest<Params = unknown> {
  readonly http: Context
  readonly params: Params
  /** Whether the browser isolates the page from the other pages of the host, because the host serves the console. */
  readonly isIsolated: boolean
  /** Reads the body. Throws an error that the dispatcher maps to 413 above the route's limit, and to 400 if it is incomplete. */
  readBody(): Promise<Buffer>
}

/**
 * Who determines the content of the responses: the console, whose sessions only it can use; the server; or accounts and visitors.
 * The host of the console serves such content only in a sandbox with the given permissions, which gives it an origin of its own.
 */
type Area = 'console' | 'server' | { readonly sandbox: string }

/** A row of the route table: a path, its methods, limits and headers, and the handler. `Services` is what the handler needs. */
export interface HttpRoute<Services = never, Params = never> {
  /** `:name` is one segment, `:name?` an optional last segment, and `*` at the end is any path. */
  readonly path: string
  /** What the path serves, for the documentation. */
  readonly summary: string
  readonly area: Area
  /** Whether the handler can read the cookie of a session although its area is not `console`. */
  readonly readsSession?: true
  /** Whether only the hosts of this server serve the path, as those of the area `console`: it shows something without a key. */
  readonly isForOwnHosts?: true
  /** GET includes HEAD. Absent if the handler decides about methods itself. */
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'OPTIONS')[]
  /** Response to another method: 405 with `Allow`, or 404 as for an unknown path. Default: 405. */
  readonly otherMethods?: 405 | 404
  /** Headers of every response, unless the handler replaces them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: 0, because the handler does not read the body or limits it itself. */
  readonly maxBodyBytes?: number
  /** Maximum time until the body has arrived. Default: 30 seconds. */
  readonly bodyTimeoutMs?: number
  /** Limiter of concurrent requests per address; `none` if the handler has its own, or if the request must not be refused. */
  readonly limiter: 'visitors' | 'files' | 'downloads' | 'none'
  /** Label of the request metrics. Default: `http`. Null excludes the requests. */
  readonly transport?: 'page' | null
  /** The page of a 404 if an operation refused the request. */
  readonly notFound?: PageName
  /** Whether the handler sends the response to each POST itself, and sets `respond` of Koa to false. */
  readonly sendsItself?: true
  /** Whether the handler reports text in the query that cannot be stored, in a format of its own. */
  readonly readsQueryItself?: true
  /** Returns the parameters if the route serves the request, instead of matching `path`. */
  match?(http: Context, services: Services): Params | undefined
  handle(request: HttpRequest<Params>, services: Services): void | Promise<void>
  /** Sends an error response in the format of the route. Without it, `{ message, details }` is sent as JSON. */
  sendProblem?(http: Context, problem: HttpProblem): void
}

/** Declares a route. The handler gets the parameters that `match` returns, or those of the path. */
export function httpRoute<const Path extends string, Services, Params = PathParams<Path>>(
  path: Path,
  route: Omit<HttpRoute<Services, Params>, 'path'>,
): HttpRoute<Services> {
  return { path, ...route } as HttpRoute<Services>
}

/** An error response. `title` is the heading of its HTML page, `message` a sentence. */
export class HttpProblem extends Error {
  readonly status: number
  readonly title: string
  readonly details: Details | undefined
  /** The texts of its page, for people who are no users. */
  readonly page: { readonly name: PageName; readonly values?: Values | undefined } | undefined

  constructor(status: number, title: string, message: string, details?: Details, page?: HttpProblem['page']) {
    super(message)
    this.status = status
    this.title = title
    this.details = details
    this.page = page
  }

  /** Creates the error of a page in the catalogue. Its title and message are the English texts, which programs get. */
  static ofPage(status: number, name: PageName, values?: Values, details?: Details): HttpProblem {
    const { title, sentence } = textsIn('en').page(name, values)
    return new HttpProblem(status, title, sentence, details, { name, values })
  }
}

/** Sends an error response as JSON. */
export function sendJsonProblem(http: Context, { status, message, details }: HttpProblem): void {
  http.status = status
  http.body = { message, ...(details && { details }) }
}

/** Ends a request without a response, because its client has disconnected before it was executed. It is counted as closed. */
export function endUnsent(http: Context): void {
  http.respond = false
  http.state['isClosed'] = true
}

/** Permissions of a page with forms and scripts of this server, and with links and files of an account. */
export const pageSandbox = [
  'allow-forms',
  // The policy of the page decides which script runs. Without this permission, browsers ignore `autofocus` too.
  'allow-scripts',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-downloads',
  'allow-top-navigation-by-user-activation',
].join(' ')

/** Sends a page, or 304 if the browser has it already. Sets the entity tag. */
export function sendFresh(http: Context, etag: string, contentType: string, body: string | Buffer): void {
  http.etag = etag
  // `fresh` requires a successful status.
  http.status = 200
  if (http.fresh) {
    http.status = 304
    return
  }
  http.type = contentType
  http.body = body
}

/** Headers of responses that belong to one person: no referrer, no search index, no cache. */
export const privateHeaders = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Cache-Control': 'no-store',
}
