import { numberOf, type Properties, propertiesOf, visibleObjectsOf } from '../styles/properties.ts'
import { declarationsOf, safeColor } from '../styles/style.ts'
import { commonAttributes, type Draft } from './draft.ts'
import { renderElement } from './elements.ts'
import { type Markup, markup, staticLink } from './markup.ts'

/** Renders a section over the full width of the page. Returns null if it has neither content nor a background image. */
export function section(draft: Draft, properties: Properties): Markup | null {
  const background = propertiesOf(properties['background'])
  const picture = staticLink(background['src'])
  const color = safeColor(background['color'])
  const rows = visibleObjectsOf(properties['children']).flatMap((each) => row(draft, each) ?? [])
  if (rows.length === 0 && !picture) return null
  const style = declarationsOf(properties['style'])
  const isPlain =
    color === undefined && !style['background'] && !style['background-color'] && !style['background-image']
  const classes = picture ? 'band pictured' : isPlain ? 'band plain' : 'band'
  const attributes = commonAttributes(
    draft,
    properties,
    classes,
    color === undefined ? {} : { 'background-color': color },
  )
  const backdrop = picture && markup`<img class="backdrop" src="${picture}" alt="" decoding="async">`
  return markup`<section${attributes}>${backdrop}<div class="in">${rows}</div></section>\n`
}

/** Renders a row. Its columns are stacked on small screens and side by side on larger ones. Returns null without content. */
function row(draft: Draft, properties: Properties): Markup | null {
  const columns = visibleObjectsOf(properties['children']).flatMap((each) => {
    const elements = visibleObjectsOf(each['children']).flatMap((element) => renderElement(draft, element) ?? [])
    return elements.length === 0 ? [] : [{ properties: each, elements, width: numberOf(each['width'], 1, 12) }]
  })
  if (columns.length === 0) return null
  const isEven = columns.every(({ width }) => width === undefined)
  const classes = isEven ? `row even-${Math.min(columns.length, 6)}` : 'row twelve'
  const usedTwelfths = columns.reduce((sum, { width = 0 }) => sum + Math.round(width), 0)
  const withoutWidth = columns.filter(({ width }) => width === undefined).length
  const share = Math.max(1, Math.floor((12 - usedTwelfths) / Math.max(withoutWidth, 1)))
  return markup`<div${commonAttributes(draft, properties, classes)}>${columns.map(
    ({ properties: each, elements, width }) =>
      markup`<div${commonAttributes(draft, each, isEven ? 'column' : `column of-${Math.round(width ?? share)}`)}>${elements}</div>`,
  )}</div>`
}
