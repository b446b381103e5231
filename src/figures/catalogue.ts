import { contactFacts } from '../contacts/index.ts'
import { financeFigures } from '../finance/index.ts'
import { formFigures, formPartFigures } from '../forms/index.ts'
import { funnelFigures } from '../funnels/index.ts'
import { linkFigures, messageFigures } from '../mail/index.ts'
import { enrolmentFigures } from '../sequences/index.ts'

/** The figures of all modules. */
export const figures = {
  ...financeFigures,
  ...contactFacts.figures,
  ...messageFigures,
  ...formFigures,
  ...funnelFigures,
} as const

export type FigureName = keyof typeof figures

/** Types of the objects that have series of figures. */
export type FigureObject = (typeof figures)[FigureName]['objects'][number]

/** Tables from whose rows figures are counted. */
export type FigureSource = Exclude<(typeof figures)[FigureName]['source'], null>

/** Figures that are counted by parts, such as answers by value, and the rows that they are counted from. They are not series. */
export const partFigures = { ...formPartFigures, ...linkFigures, ...enrolmentFigures } as const

export type PartSource = (typeof partFigures)[keyof typeof partFigures]

/** Figures by parts that are states. Their parts have no time. */
export const partStates: readonly string[] = Object.keys(enrolmentFigures)
