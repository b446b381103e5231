import { Parser } from 'htmlparser2'
import { urlIn } from './html-outline.ts'

/** Faults that recipients notice, and how many pictures or links of an HTML body have each. */
export interface HtmlFaults {
  PICTURE_WITHOUT_ALT: number
  PICTURE_NOT_SECURE: number
  LINK_WITHOUT_TARGET: number
  LINK_WITHOUT_SCHEME: number
}

/** Counts faults of pictures and links. A picture with an empty alternative text is decoration. */
export function htmlFaultsOf(html: string): HtmlFaults {
  const faults: HtmlFaults = {
    PICTURE_WITHOUT_ALT: 0,
    PICTURE_NOT_SECURE: 0,
    LINK_WITHOUT_TARGET: 0,
    LINK_WITHOUT_SCHEME: 0,
  }
  const parser = new Parser({
    onopentag: (name, { alt, src = '', href, name: anchor, id }) => {
      if (name === 'img') {
        if (alt === undefined) faults.PICTURE_WITHOUT_ALT += 1
        if (/^\s*http:/i.test(src)) faults.PICTURE_NOT_SECURE += 1
      }
      const isPlace = href === undefined && (anchor ?? id) !== undefined
      if (name === 'a' && !isPlace && /^\s*#?\s*$/.test(href ?? '')) faults.LINK_WITHOUT_TARGET += 1
      if ((name === 'a' || name === 'area') && hasNoScheme(urlIn(href ?? ''))) faults.LINK_WITHOUT_SCHEME += 1
    },
  })
  parser.end(html)
  return faults
}

/**
 * Whether a mail program finds no page at an address, because it is relative, as `www.example.com` is: a message has no address
 * of its own. A merge field can contain the whole address.
 */
function hasNoScheme(url: string): boolean {
  return url !== '' && !/^(?:#|(?:\{|%7b){2}|[a-z][a-z0-9+-]*:)/i.test(url)
}

/** Maximum number of pictures of a body that are looked up. */
const maxPictures = 1_000

/** Returns the URLs of the pictures of an HTML body that may be in the media library, each once. */
export function libraryPicturesOf(html: string): string[] {
  const urls = new Set<string>()
  const parser = new Parser({
    onopentag: (name, { src, background }) => {
      for (const url of [name === 'img' ? src : undefined, background]) {
        if (url !== undefined && urls.size < maxPictures && /\/m\/[0-9a-z-]+\/[0-9a-f]{64}/.test(url))
          urls.add(url.trim())
      }
    },
  })
  parser.end(html)
  return [...urls]
}
