import { isLoopbackName } from '../../kernel/values/address.ts'

/** The names by which clients reach this server. Content of accounts and visitors must not share an origin with the console. */
export interface ConsoleHosts {
  /** Whether a host, in lower case and without port, serves the console and accepts its sessions. */
  isConsole(host: string): boolean
  /** Whether the console is served. */
  readonly hasConsole: boolean
  /** Whether the console has a host of its own, which serves no content of accounts. */
  readonly isSeparate: boolean
  /** Whether a host is a loopback name, or that of BASE_URL or CONSOLE_URL. */
  isOwn(host: string): boolean
  /**
   * Whether a host is neither one of these nor that of an account (`<subdomain>.<own host>`). A web page of anyone can have such
   * a name point to this server, and then read what the server shows without a key.
   */
  isForeign(host: string): boolean
}

/** Returns the host of `consoleUrl`. Without one, all own hosts of this server serve the console. */
export function newConsoleHosts(options: {
  readonly console: boolean
  readonly consoleUrl: string | undefined
  readonly ownHost: () => string
}): ConsoleHosts {
  const { console, consoleUrl, ownHost } = options
  const consoleHost = consoleUrl === undefined ? undefined : new URL(consoleUrl).hostname
  const isOwn = (host: string) => isLoopbackName(host) || host === ownHost() || host === consoleHost
  return {
    isConsole: (host) => console && (consoleHost === undefined ? isOwn(host) : host === consoleHost),
    hasConsole: console,
    isSeparate: console && consoleHost !== undefined,
    isOwn,
    isForeign: (host) => !isOwn(host) && !host.endsWith(`.${ownHost()}`),
  }
}
