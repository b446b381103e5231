import type { Ctx } from '../db/context.ts'
import { figureObject } from '../db/figures/figures.ts'
import { stepList } from '../funnels/index.ts'
import type { FigureName, FigureObject } from './catalogue.ts'

/** Where a figure is stored: under which figure and objects. Its value is the sum over them. */
interface StoredFigure {
  readonly figure: FigureName
  readonly objects: readonly string[]
}

/**
 * Returns where a figure of an object is stored. A funnel has the figures of its steps, and an opt-in is a completed submission
 * of the form of a step, so neither is stored twice.
 */
export async function storedAs(ctx: Ctx, figure: FigureName, object: FigureObject, id: number): Promise<StoredFigure> {
  if (object !== 'Funnel' && object !== 'FunnelStep') return { figure, objects: [figureObject(object, id)] }
  const steps = object === 'Funnel' ? await ctx.load(stepList.ofFunnel, id) : [await ctx.load(stepList.byId, id)]
  const found = steps.flatMap((step) => step ?? [])
  return figure === 'OPT_INS'
    ? { figure: 'SUBMISSIONS_COMPLETED', objects: found.map(({ formId }) => figureObject('Form', formId)) }
    : { figure, objects: found.map((step) => figureObject('FunnelStep', step.id)) }
}
