import * as z from 'zod'
import { one, page, route } from '../envelope/route.ts'
import { FormListDocument, FormReadDocument } from '../generated/documents.ts'
import { enumFilter, queryId } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { toGraphEnum } from '../values/enums.ts'
import { form, formRow, formStatus, toForm, toFormRow } from './form.ts'

const group = 'Forms'

const listForms = route('GET /v1/forms', FormListDocument, {
  id: 'FORM-LIST',
  scopes: ['forms:read'],
  group,
  summary: 'List forms, newest first',
  errors: ['INVALID_STATUS', 'VALIDATION_ERROR'],
  query: z.object({ status: enumFilter('INVALID_STATUS', 'status', formStatus), ...paging }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: { status: query.status && [toGraphEnum(query.status)] },
  }),
  reply: page(formRow, ({ forms }) => forms, toFormRow),
})

const readForm = route('GET /v1/form', FormReadDocument, {
  id: 'FORM-GET',
  scopes: ['forms:read'],
  group,
  summary: 'Get a form with its questions and outcomes',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'form',
  query: z.object({ id: queryId }),
  variables: ({ query }) => ({ id: query.id }),
  reply: one(form, ({ form: found }) => toForm(found)),
})

/** Forms, from the specification's table “Forms”. */
export const formRoutes = [listForms, readForm]
