import { brands } from '../../content/index.ts'
import { controlPageStyle } from '../../content/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import type { Texts } from '../../kernel/texts/texts.ts'
import type { Form } from '../form/form-list.ts'
import type { StyledForm } from './html/page.ts'

/** Adds the style of the account to a form, so that its pages have the colours and the font of the brand, and their texts. */
export async function styled(ctx: Ctx, form: Form, texts: Texts): Promise<StyledForm> {
  const look = await brands.pageStyleOf(ctx)
  return { ...form, style: look ? controlPageStyle(look) : '', texts }
}
