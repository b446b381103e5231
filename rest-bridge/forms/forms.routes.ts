import * as z from 'zod'
import { FormListDocument, FormReadDocument } from '../generated/documents.ts'
import { queryId, refusing } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { one, page, route } from '../route.ts'
import { form, formRow, formStatus, toForm, toFormRow, toGraphFormStatus } from './form.ts'

const group = 'Forms'
const statusMessage = `status must be one of ${formStatus.options.join(', ')}.`

const listForms = route(FormListDocument, {
  id: 'FORM-LIST',
  method: 'GET',
  path: '/v1/forms',
  needs: ['forms:read'],
  group,
  summary: 'List forms, newest first',
  errors: ['INVALID_STATUS', 'VALIDATION_ERROR'],
  query: z.object({ status: refusing('INVALID_STATUS', statusMessage, formStatus.optional()), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { status: query.status && toGraphFormStatus(query.status) },
  }),
  reply: page(formRow, ({ forms }) => forms, toFormRow),
})

const readForm = route(FormReadDocument, {
  id: 'FORM-GET',
  method: 'GET',
  path: '/v1/form',
  needs: ['forms:read'],
  group,
  summary: 'Read a form with its questions and outcomes',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'form',
  query: z.object({ id: queryId }),
  variables: ({ query }) => ({ id: query.id }),
  reply: one(form, ({ form: found }) => found && toForm(found)),
})

/** Forms themselves, of the specification's table “Forms”. */
export const formRoutes = [listForms, readForm]
