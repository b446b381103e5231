import { create, type Font, type FontCollection } from 'fontkit'

/** A font beside DejaVu, in two weights. */
export interface ExtraFont {
  readonly name: string
  readonly plain: Font
  readonly bold: Font
}

/** A path of a glyph, as fontkit returns it. */
interface GlyphPath {
  readonly commands: readonly { readonly command: string; readonly args: readonly number[] }[]
}

/** The parts of fontkit's fonts and subsets that are changed here. */
interface FontWithSubset {
  createSubset(): { glyphEncoder?: { encodeSimple(path: GlyphPath): Uint8Array } }
}

/** Parses a font file. Returns the fonts of a collection, too. */
export function parseFonts(bytes: Uint8Array): Font[] {
  const parsed: Font | FontCollection = create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  return ('fonts' in parsed ? parsed.fonts : [parsed]).map(withCharacters)
}

/**
 * Lets the glyphs of a font know their characters, from which readers of a PDF copy its text. fontkit keeps a glyph as it was
 * first asked for, and asks for the parts of another one (Z of Ż) without characters; the font is used for many documents.
 */
function withCharacters(font: Font): Font {
  const getGlyph = font.getGlyph.bind(font)
  const charactersOf = (id: number) =>
    Array.from(font.stringsForGlyph(id)[0] ?? '', (each) => each.codePointAt(0) as number)
  font.getGlyph = (id, characters = []) => getGlyph(id, characters.length > 0 ? characters : charactersOf(id))
  return font
}

/**
 * Returns a weight of a variable font; any other font itself. pdfkit takes two fonts of one name for the same font, so each
 * weight and each file gets a name of its own.
 */
export function withWeight(font: Font, weight: number, name: string): Font {
  if (!('wght' in (font.variationAxes ?? {}))) return font
  const instance = withCharacters(font.getVariation({ wght: weight }))
  Object.defineProperty(instance, 'postscriptName', { value: `${name.replace(/[^\w-]/g, '')}-${weight}` })
  const changeable = instance as unknown as FontWithSubset
  const createSubset = changeable.createSubset.bind(instance)
  changeable.createSubset = () => {
    const subset = createSubset()
    // The encoder of fontkit 2.0.4 throws, because it creates its stream without a buffer.
    subset.glyphEncoder = { encodeSimple: encodeGlyph }
    return subset
  }
  return instance
}

/** Encodes a path as a simple glyph of the table `glyf`, without instructions and with coordinates of two bytes. */
function encodeGlyph(path: GlyphPath): Uint8Array {
  const { points, ends } = readContours(path)
  if (points.length === 0) return new Uint8Array()
  const columns = [points.map(({ x }) => x), points.map(({ y }) => y)] as const
  const bounds = [Math.min, Math.max].flatMap((pick) => columns.map((each) => each.reduce((a, b) => pick(a, b))))
  // The length of each glyph is a multiple of four.
  const length = 12 + 2 * ends.length + 5 * points.length
  const bytes = Buffer.alloc(length + (-length & 3))
  let at = 0
  const write = (value: number) => {
    at = bytes.writeInt16BE(value, at)
  }
  for (const value of [ends.length, ...bounds, ...ends, 0]) write(value)
  for (const { isOnCurve } of points) at = bytes.writeUInt8(isOnCurve ? 1 : 0, at)
  for (const column of columns) {
    for (const [index, value] of column.entries()) write(value - (column[index - 1] ?? 0))
  }
  return bytes
}

function readContours({ commands }: GlyphPath) {
  const points: { x: number; y: number; isOnCurve: boolean }[] = []
  const ends: number[] = []
  for (const { command, args } of commands) {
    for (let index = 0; index < args.length; index += 2) {
      const isOnCurve = index === args.length - 2
      points.push({ x: Math.round(args[index] as number), y: Math.round(args[index + 1] as number), isOnCurve })
    }
    if (command === 'closePath') ends.push(points.length - 1)
  }
  return { points, ends }
}
