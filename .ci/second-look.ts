/** An error of a test or of a hook of its file. */
export interface Failure {
  readonly test: string
  /** Name of the class of the error. */
  readonly name: string
  readonly message: string
  readonly stack: string
  /** The compared values, printed with a line for each element and field. Empty if nothing was compared. */
  readonly actual: string
  readonly expected: string
  readonly tags: readonly string[]
}

/** Files that prove what one customer can see and do, and the REST specification: no load makes a wrong answer right. */
const exactFiles = /^test\/(rest\/|[a-z]+\/(isolation|scopes|twin-accounts)\b)/

const timeLimit = /^(Test|Hook) timed out in \d+ms/
/** A server that the run did not start has a limit of connections, as the machine has of time. */
const serverLimit = /sorry, too many clients already/
/** What a server and its driver answer if they had no time, on a machine that is too slow for them. */
const refusal = /"code":"UNAVAILABLE"|timeout exceeded when trying to connect/
const endedProcess = /\bended with (null|-?\d+)\b|exited unexpectedly|ECONNREFUSED|out of memory/

/**
 * Whether a file with this failure may be run a second time: the machine may have been too slow for it. A time limit always may,
 * and an error that says that the server had no time.
 * A wrong answer of an exact file, a row that is lost, doubled or of another account, and a process that ended may not, because
 * such races are faults of the product.
 */
export function hasSecondLook(file: string, failure: Failure): boolean {
  const isLate = [timeLimit, serverLimit, refusal].some((words) => words.test(failure.message))
  if (failure.name === 'TimeoutError' || isLate) return true
  if (exactFiles.test(file) || failure.tags.includes('rows')) return false
  return !endedProcess.test(failure.message) && !haveOtherRows(failure)
}

/**
 * Whether two compared values contain other rows, in any order: an ID, an address or another element of a list that the other
 * value does not have, or not as often.
 */
function haveOtherRows({ message, actual, expected }: Failure): boolean {
  if (/to have a length of \d+ but got \d+/.test(message)) return true
  const [found, awaited] = [rowsOf(actual), rowsOf(expected)]
  return found.join() !== awaited.join()
}

/** The lines of a printed value that identify rows. Texts with blanks are sentences, such as the faults that a check lists. */
function rowsOf(printed: string): string[] {
  if (!/^\s*[[{]|^\w+ [[{]/.test(printed)) return []
  const lines = printed.split('\n').map((line) => line.trim().replace(/,$/, ''))
  return lines.filter((line) => /^("[^"\s]+"|-?[\d.]+n?|"(id|databaseId|email|cursor)": .*)$/.test(line)).sort()
}
