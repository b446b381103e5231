import { propertiesOf } from './properties.ts'

// How an author may dress an element. What becomes CSS is made of letters, digits and a few signs that end nothing: no
// quotes, no braces, no semicolons, no colons, no backslashes, no at-signs; and of functions that fetch and run nothing.

/** Declarations as CSS has them, by property. */
export type Declarations = Readonly<Record<string, string>>

/** What a number without a unit means. */
type Unit = 'px' | 'number'

const sides = ['Top', 'Right', 'Bottom', 'Left']
const boxes = ['margin', 'padding'].flatMap((box) => [box, ...sides.map((side) => box + side)])
const borders = ['', ...sides].flatMap((side) => ['', 'Width', 'Style', 'Color'].map((part) => `border${side}${part}`))
const corners = ['', 'TopLeft', 'TopRight', 'BottomRight', 'BottomLeft'].map((corner) => `border${corner}Radius`)

const inPixels = [
  ...boxes,
  ...borders,
  ...corners,
  ...['marginInline', 'marginBlock', 'paddingInline', 'paddingBlock', 'gap', 'rowGap', 'columnGap'],
  ...['width', 'minWidth', 'maxWidth', 'height', 'minHeight', 'maxHeight', 'flexBasis'],
  ...['fontSize', 'letterSpacing', 'wordSpacing', 'textIndent', 'textUnderlineOffset', 'outlineWidth', 'outlineOffset'],
]
const asTheyAre = [
  ...['color', 'background', 'backgroundColor', 'backgroundImage', 'boxShadow', 'textShadow', 'opacity', 'outline'],
  ...['fontFamily', 'fontWeight', 'fontStyle', 'fontVariant', 'lineHeight', 'outlineColor', 'outlineStyle'],
  ...['textAlign', 'textTransform', 'textDecoration', 'textDecorationColor', 'textDecorationLine', 'textWrap'],
  ...['whiteSpace', 'wordBreak', 'overflowWrap', 'hyphens', 'verticalAlign', 'listStyleType', 'aspectRatio'],
  ...['display', 'flex', 'flexDirection', 'flexWrap', 'flexGrow', 'flexShrink', 'order', 'overflow', 'objectFit'],
  ...['justifyContent', 'justifyItems', 'justifySelf', 'alignContent', 'alignItems', 'alignSelf', 'objectPosition'],
]
const units = new Map<string, Unit>([
  ...inPixels.map((name) => [name, 'px'] as const),
  ...asTheyAre.map((name) => [name, 'number'] as const),
])

const maxValueLength = 200
const functions = /\b(?:rgba?|hsla?|hwb|oklch|oklab|linear-gradient|radial-gradient|calc|min|max|clamp)\(/gi

/** The declarations of a style as an editor writes it, in camel case; what is not allowed is left out. */
export function declarationsOf(style: unknown): Declarations {
  const declarations: Record<string, string> = {}
  for (const [name, given] of Object.entries(propertiesOf(style))) {
    const unit = units.get(name)
    const value = unit && safeValue(name, given, unit)
    if (value) declarations[kebab(name)] = value
  }
  return declarations
}

/** The same of a style attribute. */
export function declarationsIn(attribute: string): Declarations {
  const style: Record<string, string> = {}
  for (const declaration of attribute.slice(0, 2_000).split(';')) {
    const [name = '', value = ''] = declaration.split(/:(.*)/s)
    style[name.trim().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value.trim()
  }
  return declarationsOf(style)
}

/** A colour as CSS may have it; undefined where it is none. */
export function safeColor(value: unknown): string | undefined {
  return typeof value === 'string' ? safeValue('color', value, 'number') : undefined
}

/** Names of fonts as CSS may have them; undefined where there are none. */
export function safeFontFamily(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 255) return undefined
  const names = value
    .split(',')
    .map((name) => name.replace(/["']/g, '').trim())
    .filter((name) => /^[\p{L}\p{N}_ -]+$/u.test(name))
  // Quotes keep a name together; the names that CSS has itself are known only without.
  const quoted = names.map((name) =>
    /^(?:ui-|system-ui$|[a-z]*-?serif$|monospace$|cursive$)/.test(name) ? name : `'${name}'`,
  )
  return quoted.length > 0 ? quoted.join(', ') : undefined
}

function safeValue(name: string, given: unknown, unit: Unit): string | undefined {
  if (name === 'fontFamily') return safeFontFamily(given)
  if (typeof given === 'number') {
    if (!Number.isFinite(given) || Math.abs(given) > 100_000) return undefined
    return unit === 'px' && given !== 0 ? `${given}px` : String(given)
  }
  if (typeof given !== 'string' || given.length > maxValueLength) return undefined
  const value = given.trim()
  const isPlain = /^[\w#.,%+*/() -]+$/.test(value) && !/\/\*|\*\//.test(value)
  return isPlain && !value.replace(functions, '<').includes('(') && isBalanced(value) ? value : undefined
}

/** An open bracket would swallow what follows. */
function isBalanced(value: string): boolean {
  let depth = 0
  for (const character of value) {
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The classes of one page. */
export interface Sheet {
  /** The class that has these declarations; undefined where there are none. */
  classOf(declarations: Declarations): string | undefined
  /** All that was asked for. */
  css(): string
}

/** Styles are classes in the page's one style block: its hash is all that the page's policy has to allow. */
export function newSheet(): Sheet {
  const classes = new Map<string, string>()
  return {
    classOf: (declarations) => {
      const body = Object.entries(declarations)
        .map(([name, value]) => `${name}:${value}`)
        .join(';')
      if (body === '') return undefined
      const known = classes.get(body)
      if (known !== undefined) return known
      const made = `s${classes.size + 1}`
      classes.set(body, made)
      return made
    },
    css: () => [...classes].map(([body, name]) => `.${name}{${body}}`).join('\n'),
  }
}
