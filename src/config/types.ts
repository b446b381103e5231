/** A variable has an invalid value. The message is one line for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** The type of a variable. */
export interface VariableType<Value> {
  /** The accepted values, as the end of the sentence "PORT must be …". */
  readonly accepts: string
  /** Whether the value can contain a password, so that messages do not show it. */
  readonly isPrivate?: boolean
  /** Returns undefined for an invalid text. The text is not empty. */
  parse(text: string): Value | undefined
}

/** A variable of the environment. */
export interface Variable<Value> {
  readonly type: VariableType<unknown>
  readonly description: string
  readonly default: Value
  /** What applies if the variable is not set and has no fixed default. */
  readonly otherwise?: string
  readonly isSecret?: true
}

type Options = Pick<Variable<unknown>, 'otherwise' | 'isSecret'>

/** Declares a variable. Without a default, its value can be undefined. */
export function variable<Value>(
  type: VariableType<Value>,
  description: string,
  options: Options & { readonly default: NoInfer<Value> },
): Variable<Value>
export function variable<Value>(
  type: VariableType<Value>,
  description: string,
  options?: Options,
): Variable<Value | undefined>
export function variable(type: VariableType<unknown>, description: string, options?: Options): Variable<unknown> {
  return { type, description, default: undefined, ...options }
}

type Values<Table> = { readonly [Name in keyof Table]: Table[Name] extends Variable<infer Value> ? Value : never }

/** Reads all variables of a table. An empty variable counts as not set. **Throws** `ConfigError` for an invalid value. */
export function readVariables<Table extends Readonly<Record<string, Variable<unknown>>>>(
  table: Table,
  env: Readonly<Record<string, string | undefined>>,
): Values<Table> {
  const entries = Object.entries(table).map(([name, row]) => [
    name,
    env[name] ? read(name, row, env[name]) : row.default,
  ])
  return Object.fromEntries(entries) as Values<Table>
}

/** Returns the default of a variable as a sentence. */
export function describeDefault({ default: value, otherwise }: Variable<unknown>): string {
  return `Default: ${value === undefined ? (otherwise ?? 'none') : `\`${String(value)}\``}.`
}

function read(name: string, { type, isSecret }: Variable<unknown>, text: string): unknown {
  const value = type.parse(text)
  if (value !== undefined) return value
  const suffix = isSecret || type.isPrivate ? '' : `, got ${JSON.stringify(text)}`
  throw new ConfigError(`${name} must be ${type.accepts}${suffix}`)
}

/** A text that matches a pattern. */
export function text(pattern = /^/, accepts = 'text'): VariableType<string> {
  return { accepts, parse: (value) => (pattern.test(value) ? value : undefined) }
}

/** A number from 0 to 1, with up to six decimals. */
export const share: VariableType<number> = {
  accepts: 'a number from 0 to 1',
  parse: (value) => (/^(0|1|0?[.]\d{1,6}|1[.]0{1,6})$/.test(value) ? Number(value) : undefined),
}

/** A whole number. */
export function whole(from: number, to: number): VariableType<number> {
  const isValid = (value: string) => /^\d{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to
  return {
    accepts: `a whole number from ${from} to ${to}`,
    parse: (value) => (isValid(value) ? Number(value) : undefined),
  }
}

/** One of several words. */
export function oneOf<const Word extends string>(...words: Word[]): VariableType<Word> {
  const accepts = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  return { accepts, parse: (value) => words.find((word) => word === value) }
}

/** A URL, unchanged, because drivers parse more of it than `URL` does. */
export function url(...schemes: string[]): VariableType<string> {
  const isValid = (value: string) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    const isSocket = schemes.includes('postgres') && parsed?.searchParams.has('host')
    return parsed && schemes.includes(parsed.protocol.slice(0, -1)) && (parsed.hostname || isSocket)
  }
  return {
    accepts: `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    isPrivate: true,
    parse: (value) => (isValid(value) ? value : undefined),
  }
}

/** The start of other URLs: an HTTP URL without what `forbidden` matches, and without a trailing slash. */
export function baseUrl(forbidden: RegExp, without: string): VariableType<string> {
  return {
    accepts: `a URL that starts with http:// or https://, without ${without}`,
    isPrivate: true,
    parse: (value) => (forbidden.test(value) ? undefined : url('http', 'https').parse(value)?.replace(/\/+$/, '')),
  }
}

/** A list with white space between its elements. */
export function list<Value>({ parse, ...type }: VariableType<Value>, plural: string): VariableType<Value[]> {
  return {
    ...type,
    accepts: plural,
    parse(value) {
      const words = value.split(/\s+/).filter((word) => word !== '')
      const values = words.flatMap((word) => parse(word) ?? [])
      return values.length === words.length ? values : undefined
    },
  }
}
