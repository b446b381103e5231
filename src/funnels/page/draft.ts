import { type Color, colorOf } from './color.ts'
import { accentOf, colorsOn } from './color-scheme.ts'
import { type Markup, markup } from './markup.ts'
import type { FormOnPage, PageSource } from './model.ts'
import { listOf, type Properties, propertiesOf, textOf, visibleObjectsOf } from './properties.ts'
import { type Declarations, declarationsOf, newSheet, type Sheet } from './style.ts'

/** A page while it is made: what its elements add up to beside their own HTML. */
export interface Draft {
  readonly source: PageSource
  /** As `Intl` and HTML take it. */
  readonly language: string
  /** The colour of its buttons and links. */
  readonly accent: Color
  readonly sheet: Sheet
  /** The forms that were made, by key. */
  readonly forms: Map<string, FormOnPage>
  /** The keys of all forms, in order. They are known from the start: a button may stand before the form that it sends. */
  readonly formKeys: ReadonlyMap<Properties, string>
  /** Where its players are framed from. */
  readonly players: Set<string>
  /** What was counted so far. */
  readonly counts: { images: number; menus: number; mainTitles: number }
  /** Whether anything on it wants the script. */
  needsScript: boolean
  /** The `id` of an element in the page, unless another has it already. */
  idOf(element: Properties): string | undefined
}

/** A page of which nothing was made yet. */
export function newDraft(source: PageSource): Draft {
  const document = propertiesOf(source.document)
  const { settings } = document
  const ids = new Set<string>()
  return {
    source,
    language: languageOf(propertiesOf(settings)['language']),
    accent: accentOf(settings),
    sheet: newSheet(),
    forms: new Map(),
    formKeys: keysOf(visibleObjectsOf(document['root']), ids),
    players: new Set(),
    counts: { images: 0, menus: 0, mainTitles: 0 },
    needsScript: false,
    idOf: ({ id }) => (isId(id) && !ids.has(id) && ids.add(id) ? id : undefined),
  }
}

/**
 * The attributes that everything can have: its place to be linked to, its classes, and the class of its own style. On a
 * background of its own, its words have colours that can be read there, unless its author chose them.
 */
export function commonAttributes(draft: Draft, element: Properties, classes: string, more?: Declarations): Markup {
  const id = draft.formKeys.has(element) ? undefined : draft.idOf(element)
  const style = { ...more, ...declarationsOf(element['style']) }
  const background = colorOf(style['background-color'] ?? style['background'] ?? '')
  const own = draft.sheet.classOf({ ...(background && colorsOn(background, draft.accent)), ...style })
  return markup`${id !== undefined && markup` id="${id}"`} class="${[classes, own].filter(Boolean).join(' ')}"`
}

/** The class that an alignment has. */
export function alignmentClass(element: Properties): string {
  const align = textOf(element['align'])
  return ['left', 'center', 'right', 'justify'].includes(align) ? ` to-${align}` : ''
}

function keysOf(branches: readonly Properties[], ids: Set<string>, keys = new Map<Properties, string>()) {
  for (const branch of branches) {
    if (branch['type'] === 'form' || branch['type'] === 'order_form') {
      const { id } = branch
      const key = isId(id) && !ids.has(id) ? id : `form-${keys.size + 1}`
      ids.add(key)
      keys.set(branch, key)
    } else if (listOf(branch['children']).length > 0) keysOf(visibleObjectsOf(branch['children']), ids, keys)
  }
  return keys
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(id)
}

function languageOf(given: unknown): string {
  try {
    return Intl.getCanonicalLocales(textOf(given))[0] ?? 'en'
  } catch {
    return 'en'
  }
}
