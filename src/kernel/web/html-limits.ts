import { Parser } from 'htmlparser2'

/** Limits on HTML. */
interface HtmlLimits {
  readonly elements: number
  /** Depth of nested elements. */
  readonly depth: number
  /** Attributes of one element. */
  readonly attributes: number
}

/** Ends the parsing at the first fault, because the rest of the HTML does not matter. */
class Fault extends Error {}

/**
 * Returns which limit HTML exceeds, as a message for a field ("must have …"), or undefined if it exceeds none. HTML is
 * parsed once from start to end as browsers do, including optional end tags. The time is linear, because searches are
 * limited to `depth` open elements.
 */
export function htmlFault(html: string, limits: HtmlLimits): string | undefined {
  const counts = { elements: 0, depth: 0, attributes: 0 }
  const count = (what: keyof HtmlLimits, message: string) => {
    counts[what] += 1
    if (counts[what] > limits[what]) throw new Fault(`${message}, at most ${limits[what]}`)
  }
  const parser = new Parser(
    {
      onopentagname: () => {
        counts.attributes = 0
        count('elements', 'must not have so many elements')
      },
      onattribute: () => count('attributes', 'must not have so many attributes on one element'),
      onopentag: () => count('depth', 'must not have so many elements inside each other'),
      onclosetag: () => {
        counts.depth -= 1
      },
    },
    { decodeEntities: false },
  )
  try {
    parser.end(html)
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}
