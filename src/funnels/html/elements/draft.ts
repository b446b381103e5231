import { type Color, colorOf, colorsOn } from '../../../content/rendering.ts'
import { type Texts, textsIn } from '../../../kernel/texts/texts.ts'
import { accentOf } from '../styles/color-scheme.ts'
import { listOf, type Properties, propertiesOf, textOf, visibleObjectsOf } from '../styles/properties.ts'
import { type Declarations, declarationsOf, newSheet, type Sheet } from '../styles/style.ts'
import { type Markup, markup } from './markup.ts'
import type { FormOnPage, PageSource } from './model.ts'

/** State of a page while it is built: styles, forms and counters that its elements share. */
export interface Draft {
  readonly source: PageSource
  /** BCP 47 language tag of the page, and the texts of the server in it. */
  readonly language: string
  readonly texts: Texts
  /** Colour of buttons and links. */
  readonly accent: Color
  readonly sheet: Sheet
  /** Forms that were built, by key. */
  readonly forms: Map<string, FormOnPage>
  /** Keys of all forms, in document order. Computed first, because a button can precede the form that it submits. */
  readonly formKeys: ReadonlyMap<Properties, string>
  /** Origins of embedded video players. */
  readonly players: Set<string>
  /** Numbers of elements built so far. */
  readonly counts: { images: number; menus: number; mainTitles: number }
  /** Whether an element of the page needs the script. */
  needsScript: boolean
  /** Returns the HTML id of an element. Undefined if its id is invalid or already used. */
  idOf(element: Properties): string | undefined
}

/** Creates the draft of a page. */
export function newDraft(source: PageSource): Draft {
  const document = propertiesOf(source.document)
  const { settings } = document
  const ids = new Set<string>()
  const language = languageOf(propertiesOf(settings)['language'])
  return {
    source,
    language,
    texts: textsIn(language),
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
 * Returns the attributes that all elements can have: the HTML id, the classes, and the class of the element's style. If the
 * style has a background colour, text colours with sufficient contrast are added. Colours of the author take precedence.
 */
export function commonAttributes(draft: Draft, element: Properties, classes: string, more?: Declarations): Markup {
  const id = draft.formKeys.has(element) ? undefined : draft.idOf(element)
  const style = { ...more, ...declarationsOf(element['style']) }
  const background = colorOf(style['background-color'] ?? style['background'] ?? '')
  const styleClass = draft.sheet.classOf({ ...(background && colorsOn(background, draft.accent)), ...style })
  return markup`${id !== undefined && markup` id="${id}"`} class="${[classes, styleClass].filter(Boolean).join(' ')}"`
}

/** Returns the class of the element's alignment with a leading space, or an empty string. */
export function alignmentClass(element: Properties): string {
  const align = textOf(element['align'])
  return ['left', 'center', 'right', 'justify'].includes(align) ? ` to-${align}` : ''
}

function keysOf(nodes: readonly Properties[], ids: Set<string>, keys = new Map<Properties, string>()) {
  for (const node of nodes) {
    if (node['type'] === 'form' || node['type'] === 'order_form') {
      const { id } = node
      const key = isId(id) && !ids.has(id) ? id : `form-${keys.size + 1}`
      ids.add(key)
      keys.set(node, key)
    } else if (listOf(node['children']).length > 0) keysOf(visibleObjectsOf(node['children']), ids, keys)
  }
  return keys
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(id)
}

function languageOf(value: unknown): string {
  try {
    return Intl.getCanonicalLocales(textOf(value))[0] ?? 'en'
  } catch {
    return 'en'
  }
}
