/** The hosts that serve the console. Content of accounts and visitors must not share an origin with it. */
export interface ConsoleHosts {
  /** Whether a host, in lower case and without port, serves the console and accepts its sessions. */
  isConsole(host: string): boolean
  /** Whether the console has a host of its own, which serves no content of accounts. */
  readonly isSeparate: boolean
}

/**
 * Returns the host of `consoleUrl`. Without one, all hosts of this server serve the console, except the hosts of accounts
 * (`<subdomain>.<own host>`).
 */
export function newConsoleHosts(options: {
  readonly console: boolean
  readonly consoleUrl: string | undefined
  readonly ownHost: () => string
}): ConsoleHosts {
  const { console, consoleUrl, ownHost } = options
  if (!console) return { isConsole: () => false, isSeparate: false }
  if (consoleUrl === undefined) return { isConsole: (host) => !host.endsWith(`.${ownHost()}`), isSeparate: false }
  const { hostname } = new URL(consoleUrl)
  return { isConsole: (host) => host === hostname, isSeparate: true }
}
