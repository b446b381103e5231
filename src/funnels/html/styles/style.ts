import { propertiesOf } from './properties.ts'

// CSS that authors can set. Values contain only letters, digits and characters that cannot end a declaration: no quotes,
// braces, semicolons, colons, backslashes or at-signs. They contain only allowedFunctions that load no resources.

/** CSS values by property name in kebab case. */
export type Declarations = Readonly<Record<string, string>>

/** Unit of a value that is a number. */
type Unit = 'px' | 'number'

const sides = ['Top', 'Right', 'Bottom', 'Left']
const boxes = ['margin', 'padding'].flatMap((box) => [box, ...sides.map((side) => box + side)])
const borders = ['', ...sides].flatMap((side) => ['', 'Width', 'Style', 'Color'].map((part) => `border${side}${part}`))
const corners = ['', 'TopLeft', 'TopRight', 'BottomRight', 'BottomLeft'].map((corner) => `border${corner}Radius`)

const pixelProperties = [
  ...boxes,
  ...borders,
  ...corners,
  ...['marginInline', 'marginBlock', 'paddingInline', 'paddingBlock', 'gap', 'rowGap', 'columnGap'],
  ...['width', 'minWidth', 'maxWidth', 'height', 'minHeight', 'maxHeight', 'flexBasis'],
  ...['fontSize', 'letterSpacing', 'wordSpacing', 'textIndent', 'textUnderlineOffset', 'outlineWidth', 'outlineOffset'],
]
const unitlessProperties = [
  ...['color', 'background', 'backgroundColor', 'backgroundImage', 'boxShadow', 'textShadow', 'opacity', 'outline'],
  ...['fontFamily', 'fontWeight', 'fontStyle', 'fontVariant', 'lineHeight', 'outlineColor', 'outlineStyle'],
  ...['textAlign', 'textTransform', 'textDecoration', 'textDecorationColor', 'textDecorationLine', 'textWrap'],
  ...['whiteSpace', 'wordBreak', 'overflowWrap', 'hyphens', 'verticalAlign', 'listStyleType', 'aspectRatio'],
  ...['display', 'flex', 'flexDirection', 'flexWrap', 'flexGrow', 'flexShrink', 'order', 'overflow', 'objectFit'],
  ...['justifyContent', 'justifyItems', 'justifySelf', 'alignContent', 'alignItems', 'alignSelf', 'objectPosition'],
]
const units = new Map<string, Unit>([
  ...pixelProperties.map((name) => [name, 'px'] as const),
  ...unitlessProperties.map((name) => [name, 'number'] as const),
])

const maxValueLength = 200
const allowedFunctions = /\b(?:rgba?|hsla?|hwb|oklch|oklab|linear-gradient|radial-gradient|calc|min|max|clamp)\(/gi

/**
 * Converts a style with property names in camel case to CSS declarations. Properties and values that are not allowed are left
 * out.
 */
export function declarationsOf(style: unknown): Declarations {
  const declarations: Record<string, string> = {}
  for (const [name, rawValue] of Object.entries(propertiesOf(style))) {
    const unit = units.get(name)
    const value = unit && safeValue(name, rawValue, unit)
    if (value) declarations[kebab(name)] = value
  }
  return declarations
}

/** Converts the text of a style attribute to CSS declarations, at most 2,000 characters of it. */
export function declarationsIn(attribute: string): Declarations {
  const style: Record<string, string> = {}
  for (const declaration of attribute.slice(0, 2_000).split(';')) {
    const [name = '', value = ''] = declaration.split(/:(.*)/s)
    style[name.trim().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value.trim()
  }
  return declarationsOf(style)
}

/** Returns a valid CSS colour, or undefined. */
export function safeColor(value: unknown): string | undefined {
  return typeof value === 'string' ? safeValue('color', value, 'number') : undefined
}

/** Returns a valid CSS font list with quoted names, or undefined if no name is valid. */
export function safeFontFamily(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 255) return undefined
  const names = value
    .split(',')
    .map((name) => name.replace(/["']/g, '').trim())
    .filter((name) => /^[\p{L}\p{N}_ -]+$/u.test(name))
  // Names with spaces need quotes. Generic CSS names such as `serif` must not have quotes.
  const quoted = names.map((name) =>
    /^(?:ui-|system-ui$|[a-z]*-?serif$|monospace$|cursive$)/.test(name) ? name : `'${name}'`,
  )
  return quoted.length > 0 ? quoted.join(', ') : undefined
}

function safeValue(name: string, rawValue: unknown, unit: Unit): string | undefined {
  if (name === 'fontFamily') return safeFontFamily(rawValue)
  if (typeof rawValue === 'number') {
    if (!Number.isFinite(rawValue) || Math.abs(rawValue) > 100_000) return undefined
    return unit === 'px' && rawValue !== 0 ? `${rawValue}px` : String(rawValue)
  }
  if (typeof rawValue !== 'string' || rawValue.length > maxValueLength) return undefined
  const value = rawValue.trim()
  const isPlain = /^[\w#.,%+*/() -]+$/.test(value) && !/\/\*|\*\//.test(value)
  return isPlain && !value.replace(allowedFunctions, '<').includes('(') && isBalanced(value) ? value : undefined
}

/** Whether all parentheses are closed. An open parenthesis would include the following declarations. */
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

/** Style sheet of a page. */
export interface Sheet {
  /** Returns the class with these declarations. Undefined if there are none. */
  classOf(declarations: Declarations): string | undefined
  /** Returns the CSS of all classes. */
  css(): string
}

/**
 * Creates an empty style sheet. Styles are classes in one style block, so that the Content-Security-Policy needs only its hash.
 */
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
      const className = `s${classes.size + 1}`
      classes.set(body, className)
      return className
    },
    css: () => [...classes].map(([body, name]) => `.${name}{${body}}`).join('\n'),
  }
}
