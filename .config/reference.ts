import { describeDefault, type Variable } from '../src/config/types.ts'
import type { HttpRoute } from '../src/kernel/web/http-route.ts'

/** Gives the page of all HTTP paths, made of the route table. */
export function httpPage(routes: readonly HttpRoute[]): string {
  const rows = routes.map(({ path, methods, maxBodyBytes, limiter, summary }) => {
    const limit = maxBodyBytes ? `${maxBodyBytes / 1024} kB` : ''
    return `| \`${path === '*' ? '/*' : path}\` | ${methods?.join(', ') ?? 'any'} | ${limit} | ${limiter === 'none' ? '' : limiter} | ${summary} |`
  })
  return `<!-- Made of src/server/routes.ts by npm run generate -->
# HTTP paths

The first row that matches a path serves it. \`:name\` is one segment, \`:name?\` an optional one, and \`*\` any path. GET includes
HEAD. Another method returns 405 with \`Allow\`, or 404 for files and pages about this server. \`body\` is the maximum size.
\`slots\` are those of concurrent requests that a request takes by the network of its client; GraphQL and REST have slots by
account. A process with \`ROLES=bridge\` has only the rows from \`/livez\` on, and a worker the health checks.

| path | methods | body | slots | content |
|---|---|---|---|---|
${rows.join('\n')}

Errors of pages are pages; others are JSON with a \`message\`. 413 means that the body is too large, 400 that it is incomplete, and
503 (with \`Retry-After\`) that the server is overloaded or its database does not answer.
`
}

/** Gives the page of all variables of the environment, made of their declarations. */
export function configurationPage(variables: Readonly<Record<string, Variable<unknown>>>): string {
  const rows = Object.entries(variables).map(([name, row]) => {
    const secret = row.isSecret ? ' Secret.' : ''
    const standard = describeDefault(row).replace(/^Default: (.*)[.]$/, '$1')
    const accepts = row.type.accepts === 'text' ? '' : ` Must be ${row.type.accepts}.`
    return `| \`${name}\` | ${row.description}${accepts}${secret} | ${standard} |`
  })
  return `<!-- Made of src/config/variables.ts by npm run generate -->
# Configuration

A process reads these variables of the environment when it starts. An empty variable counts as not set. An invalid value stops the
start with one line that names the variable and the accepted values. \`npm start -- --help\` lists them.

| variable | meaning | default |
|---|---|---|
${rows.join('\n')}
`
}
