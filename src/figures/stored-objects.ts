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
 * Returns where a figure of an object is stored. A funnel has the figures of its steps, and the opt-ins of a step are those of
 * its form, so neither is stored twice.
 */
export async function storedAs(ctx: Ctx, figure: FigureName, object: FigureObject, id: number): Promise<StoredFigure> {
  if (object !== 'Funnel' && object !== 'FunnelStep') return { figure, objects: [figureObject(object, id)] }
  const steps = object === 'Funnel' ? await ctx.load(stepList.ofFunnel, id) : [await ctx.load(stepList.byId, id)]
  const found = steps.flatMap((step) => step ?? [])
  const objects = found.map((step) =>
    figure === 'OPT_INS' ? figureObject('Form', step.formId) : figureObject('FunnelStep', step.id),
  )
  return { figure, objects }
}
