import type { Ctx } from '../db/context.ts'
import { column, type Export, exportOf } from '../db/lists/export.ts'
import { inDictionary, join, raw, type Sql, sql } from '../db/sql.ts'
import { consents } from './consents/consents.ts'
import { customFields, list as listFields } from './custom-fields/custom-fields.ts'
import type { ContactFilter } from './filters/contact-filter.ts'
import { imports } from './imports/import-list.ts'
import { customFieldPrefix } from './imports/rows/columns.ts'
import { contacts } from './people/contact-list.ts'
import { consentFields, regionalFields, textFields } from './record/fields.ts'
import { tags } from './tags/tags.ts'

const { flag, json, number, text, time } = column

const exportedTexts = Object.values(textFields).map(({ column }) => column)
/** Without what follows from the country, because an import would store it as given. */
const exportedRegional = Object.values(regionalFields).map(({ column }) => ({
  column,
  value: sql`CASE WHEN c.${raw(column)}_source <> 'DERIVED' THEN c.${raw(column)} ELSE '' END AS ${raw(column)}`,
}))
const consentColumns = Object.values(consentFields).map(({ column }) => column)

/** Tag names in the format that an import reads: separated by semicolons, and quoted if a name contains a separator. */
const joinedTagNames = sql`string_agg(
  CASE WHEN t.name ~ '[,;"]' THEN '"' || replace(t.name, '"', '""') || '"' ELSE t.name END, ';' ORDER BY ${inDictionary(sql`t.name`)})`

/** Contacts with their tags and custom fields. CSV has one column for each custom field of the account. */
const contactExport: Export<ContactFilter> = {
  needs: ['contacts:read'],
  list: contacts,
  shape: async (ctx, format) => {
    const fields = await listFields(ctx)
    const [anyTag] = await ctx.sql`SELECT FROM contact_tag h WHERE h.account_id = ${ctx.sql.account} LIMIT 1`
    const isCsv = format === 'CSV'
    const pageJoins = [...(anyTag ? [tagsOfPage(isCsv)] : []), ...(fields.length > 0 ? [fieldsOfPage(isCsv)] : [])]
    const emptyList = sql`'[]'::jsonb`
    return {
      row: sql`${join(exportedRegional.map(({ value }) => value))}, ${raw([...exportedTexts, ...consentColumns].map((name) => `c.${name}`).join(', '))}, c.created_at, c.updated_at, c.last_active_at`,
      ...(pageJoins.length > 0 && {
        joins: (pageCtx: Ctx) =>
          sql`${join(
            pageJoins.map((toSql) => toSql(pageCtx)),
            ' ',
          )}`,
      }),
      columns: [
        number('id'),
        ...exportedTexts.map((name) => text(name)),
        ...exportedRegional.map(({ column }) => text(column)),
        ...consentColumns.map((name) => flag(name)),
        time('created_at'),
        time('updated_at'),
        time('last_active_at'),
        ...(isCsv
          ? [
              text('tags', anyTag ? sql`(tags.map->>p.id::text)` : sql`NULL::text`),
              ...fields.map(({ id, name }) =>
                text(`${customFieldPrefix}${name}`, sql`(fields.map->p.id::text->>${String(id)}::text)`),
              ),
            ]
          : [
              json('tags', anyTag ? sql`coalesce(tags.map->p.id::text, ${emptyList})` : emptyList),
              json(
                'custom_fields',
                fields.length > 0 ? sql`coalesce(fields.map->p.id::text, ${emptyList})` : emptyList,
              ),
            ]),
      ],
    }
  },
}

const inPage = (column: Sql) => sql`${column} = ANY((SELECT array_agg(id) FROM p)::int[])`

/** Joins the tags of a page as one JSON map by contact id. A join per row can get a nested-loop plan from bad estimates. */
const tagsOfPage = (isCsv: boolean) => (ctx: Ctx) =>
  sql`
  CROSS JOIN (SELECT jsonb_object_agg(g.contact_id, g.names) AS map FROM (
    SELECT h.contact_id, ${isCsv ? joinedTagNames : sql`jsonb_agg(t.name ORDER BY ${inDictionary(sql`t.name`)})`} AS names
    FROM contact_tag h JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
    WHERE h.account_id = ${ctx.sql.account} AND ${inPage(sql`h.contact_id`)} GROUP BY h.contact_id) g) tags`

/** Joins the custom field values of a page in the same way. */
const fieldsOfPage = (isCsv: boolean) => (ctx: Ctx) =>
  sql`
  CROSS JOIN (SELECT jsonb_object_agg(g.contact_id, g.field_values) AS map FROM (
    SELECT v.contact_id, ${
      isCsv
        ? sql`jsonb_object_agg(v.custom_field_id, v.value)`
        : sql`jsonb_agg(jsonb_build_object('label', f.name, 'value', v.value) ORDER BY f.id)`
    } AS field_values
    FROM contact_field v JOIN custom_field f ON f.account_id = v.account_id AND f.id = v.custom_field_id
    WHERE v.account_id = ${ctx.sql.account} AND ${inPage(sql`v.contact_id`)} GROUP BY v.contact_id) g) fields`

const needs = ['contacts:read'] as const

/** Lists of this module that can be exported. */
export const contactExports = {
  CONTACTS: contactExport,
  TAGS: exportOf(tags, ['id', 'name', 'createdAt'], { needs }),
  CUSTOM_FIELDS: exportOf(
    customFields,
    ['id', 'name', 'type', json('values', sql`CASE WHEN p.type = 'SELECT' THEN to_json(p."values") END`), 'createdAt'],
    { needs, reads: ['values'] },
  ),
  CONSENTS: exportOf(
    consents,
    ['id', 'contactId', text('email', sql`c.email`), 'kind', 'granted', 'source', 'text', 'ip', 'createdAt'],
    {
      needs,
      joins: ({ sql: { account } }) => sql`LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id`,
    },
  ),
  CONTACT_IMPORTS: exportOf(
    imports,
    [
      'id',
      'fileName',
      'status',
      'error',
      'rowsTotal',
      'rowsDone',
      'created',
      'updated',
      'unchanged',
      'failed',
      'createdAt',
      'startedAt',
      'finishedAt',
    ],
    { needs },
  ),
} as const
