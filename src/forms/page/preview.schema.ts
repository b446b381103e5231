import { builder } from '../../graphql/schema/builder.ts'
import { idText } from '../../graphql/schema/descriptions.ts'
import { FormType } from '../form/form.schema.ts'
import * as preview from './preview.ts'

builder.objectFields(FormType, (t) => ({
  url: t.string({
    description: 'URL of the page of the form. It returns 404 unless the form is published.',
    resolve: ({ id }, _args, ctx) => `${ctx.baseUrl()}/f/${id}`,
  }),
  preview: t.string({
    nullable: true,
    description:
      'HTML of a page of the form as a new visitor sees it, also if the form is not published. Defaults to the first page. Throws VALIDATION_ERROR if the form has no such question or outcome.',
    args: {
      questionId: t.arg.id({ description: idText('the question whose page is rendered') }),
      outcomeId: t.arg.id({
        description: `${idText('the outcome whose page is rendered')} Cannot be combined with \`questionId\`.`,
      }),
    },
    complexity: 50,
    resolve: (form, args, ctx) => preview.render(ctx, form, args),
  }),
}))
