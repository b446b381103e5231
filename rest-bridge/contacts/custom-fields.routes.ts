import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import { ContactFieldSetDocument, CustomFieldListDocument } from '../generated/documents.ts'
import { contactBody, contactRef, id, text } from '../input/input.ts'
import { toRestEnum } from '../values/enums.ts'
import { sortNewestFirst } from '../values/sort.ts'

const group = 'Custom fields'

const customField = z.strictObject({
  id: z.int(),
  name: z.string(),
  type: z.enum(['text', 'select', 'number', 'date', 'boolean', 'url']),
  values: z.string().nullable(),
})

const listFields = route('GET /v1/custom-fields', CustomFieldListDocument, {
  id: 'FIELD-LIST',
  scopes: ['contacts:read'],
  group,
  summary: 'List custom fields',
  variables: () => ({}),
  reply: one(z.array(customField), ({ customFields }) =>
    sortNewestFirst(customFields).map(({ databaseId, name, type, values }) => ({
      id: databaseId,
      name,
      type: toRestEnum(type),
      values: type === 'SELECT' ? (values ?? []).join(',') : null,
    })),
  ),
})

const setField = route('PUT /v1/contact-custom-field', ContactFieldSetDocument, {
  id: 'FIELD-SET',
  scopes: ['contacts:write'],
  group,
  summary: 'Set a custom field of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  body: contactBody({ custom_field_id: id, value: text.meta({ maxLength: 1000 }) }),
  variables: ({ body }) => ({
    input: { contact: contactRef(body), customFieldId: body.custom_field_id, value: body.value },
  }),
  reply: one(
    z.strictObject({ contact_id: z.int(), custom_field_id: z.int(), value: z.string() }),
    ({ contactFieldSet: { contactDatabaseId, customFieldDatabaseId, value } }) => ({
      contact_id: contactDatabaseId,
      custom_field_id: customFieldDatabaseId,
      value: value ?? '',
    }),
  ),
})

/** Custom fields, from the specification's table “Custom fields”. */
export const customFieldRoutes = [listFields, setField]
