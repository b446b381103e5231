import { campaignList } from '../campaigns/index.ts'
import { contactList, segmentList, tags } from '../contacts/index.ts'
import { mediaList } from '../content/index.ts'
import type { Ctx } from '../db/context.ts'
import type { Page } from '../db/lists/list.ts'
import { invoiceList, orderList } from '../finance/index.ts'
import { formList } from '../forms/index.ts'
import { funnelList } from '../funnels/index.ts'
import { invalid } from '../kernel/errors.ts'
import { may, type Scope } from '../kernel/scopes.ts'
import { checkAt, text } from '../kernel/values/check.ts'
import { sequences } from '../sequences/index.ts'

/** Maximum number of results of each kind. */
export const maxResults = 10

/** Minimum number of characters of a search. Fewer match too many contacts. */
export const minCharacters = 2

const Text = text(200)

interface Words {
  readonly first: number
  readonly filter: { readonly search: string }
}

/** How objects of a kind are found, and the texts that show one. */
interface SearchedList<Row> {
  /** Name of the GraphQL type. */
  readonly type: string
  readonly needs: Scope
  readonly list: (ctx: Ctx, args: Words) => Promise<Page<Row>>
  readonly title: (row: Row) => string
  readonly detail?: (row: Row) => string
}

const searched = <Row extends { id: number }>(list: SearchedList<Row>) =>
  list as unknown as SearchedList<{ id: number }>
const title = ({ name }: { readonly name: string }) => name

/** The kinds of objects that a search finds, in the order of its results. */
export const searchKinds = {
  CONTACT: searched({
    ...{ type: 'Contact', needs: 'contacts:read', list: contactList.list },
    title: ({ firstName, lastName, email }) => `${firstName} ${lastName}`.trim() || email,
    detail: ({ email }) => email,
  }),
  CAMPAIGN: searched({ type: 'Campaign', needs: 'campaigns:read', list: campaignList.list, title }),
  SEQUENCE: searched({ type: 'Sequence', needs: 'sequences:read', list: sequences.list, title }),
  SEGMENT: searched({ type: 'Segment', needs: 'contacts:read', list: segmentList.list, title }),
  FORM: searched({ type: 'Form', needs: 'forms:read', list: formList.list, title }),
  FUNNEL: searched({ type: 'Funnel', needs: 'funnels:read', list: funnelList.list, title }),
  ORDER: searched({
    ...{ type: 'Order', needs: 'finance:read', list: orderList.list },
    title: ({ idOrder }) => idOrder,
  }),
  INVOICE: searched({
    ...{ type: 'Invoice', needs: 'finance:read', list: invoiceList.list },
    title: ({ prefix, number }) => `${prefix}${String(number).padStart(6, '0')}`,
  }),
  TAG: searched({ type: 'Tag', needs: 'contacts:read', list: tags.list, title }),
  MEDIA: searched({ type: 'Media', needs: 'media:read', list: mediaList.list, title }),
} as const

export type SearchKind = keyof typeof searchKinds

/** An object that a search found. */
export interface SearchResult {
  readonly kind: SearchKind
  readonly title: string
  readonly detail: string | null
  readonly node: { readonly id: number; readonly __typename: string }
}

/**
 * Finds objects by words in their names, numbers and e-mail addresses: at most `maxResults` of each kind that the caller may
 * read, as their lists find and sort them. **Throws** VALIDATION_ERROR for fewer than `minCharacters` characters.
 */
export async function search(
  ctx: Ctx,
  input: { readonly text: string; readonly kinds?: readonly SearchKind[] | null | undefined },
): Promise<SearchResult[]> {
  const words = checkAt('text', Text, input.text).trim()
  if ([...words].length < minCharacters) throw invalid({ text: [`must have at least ${minCharacters} characters`] })
  const kinds = Object.keys(searchKinds) as SearchKind[]
  const asked = kinds.filter((kind) => (input.kinds?.includes(kind) ?? true) && may(ctx, searchKinds[kind].needs))
  const results = await Promise.all(asked.map((kind) => find(ctx, kind, words)))
  return results.flat()
}

async function find(ctx: Ctx, kind: SearchKind, words: string): Promise<SearchResult[]> {
  const { list, type, title, detail } = searchKinds[kind]
  const page = await list(ctx, { first: maxResults, filter: { search: words } })
  const { rows } = await page.content()
  return rows.map((row) => ({
    kind,
    title: title(row),
    detail: detail?.(row) ?? null,
    node: { ...row, __typename: type },
  }))
}
