import { Command, InvalidArgumentError } from 'commander'

/** Options of every command. */
export interface OutputOptions {
  /** Whether the result is printed as one JSON document. */
  json?: boolean
}

/** Creates a command that throws a `CommanderError` for wrong arguments and prints nothing. */
export function newCommand(name: string): Command {
  // A failure prints one line. Without this, commander adds hints and the usage.
  return new Command(name).configureOutput({ writeErr: () => undefined }).exitOverride()
}

/** Adds the options of every command. */
export function withOutputOptions(command: Command): Command {
  return command.option('--json', 'print one JSON document')
}

/** Parses an argument of up to nine digits. */
export function wholeNumber(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('It takes a whole number.')
}

/** Parses an argument of up to nine digits that is not 0. */
export function positiveNumber(value: string): number {
  const number = wholeNumber(value)
  if (number > 0) return number
  throw new InvalidArgumentError('It takes a whole number from 1.')
}

/** Checks an argument that is an absolute URL of HTTP. */
export function httpUrl(value: string): string {
  if (/^https?:\/\//.test(value) && URL.canParse(value)) return value
  throw new InvalidArgumentError('It takes a URL that starts with http:// or https://.')
}
