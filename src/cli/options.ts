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
