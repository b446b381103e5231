import { columnFacet, type Facets } from '../../db/lists/facets.ts'
import { sql } from '../../db/sql.ts'
import { invalid } from '../../kernel/errors.ts'
import * as customFields from '../custom-fields/custom-fields.ts'

/** The fields of contacts whose values can be counted. */
export type ContactFacetField =
  | 'COUNTRY'
  | 'CITY'
  | 'COMPANY_NAME'
  | 'EMAIL_MARKETING'
  | 'GDPR'
  | 'TAG'
  | 'CUSTOM_FIELD'

/** The facets of contacts. The value of a tag is its ID. */
export const contactFacets: Facets<ContactFacetField> = {
  COUNTRY: columnFacet(sql`c.country`),
  CITY: columnFacet(sql`c.city`),
  COMPANY_NAME: columnFacet(sql`c.company_name`),
  EMAIL_MARKETING: columnFacet(sql`c.email_marketing`),
  GDPR: columnFacet(sql`c.gdpr`),
  TAG: {
    sourceOf: (ctx) => ({
      idType: 'Tag',
      value: sql`c.id`,
      each: sql`SELECT t.id::text, t.name FROM contact_tag h JOIN tag t ON t.account_id = h.account_id AND t.id = h.tag_id
        WHERE h.account_id = ${ctx.sql.account} AND h.contact_id = counted.value`,
    }),
  },
  CUSTOM_FIELD: {
    object: { type: 'CustomField', argument: 'customFieldId' },
    sourceOf: async (ctx, id) => {
      const field = await ctx.load(customFields.byId, id)
      if (!field) return undefined
      if (field.type !== 'SELECT' && field.type !== 'BOOLEAN') {
        throw invalid({ customFieldId: ['must be the id of a custom field of the type SELECT or BOOLEAN'] })
      }
      return {
        value: sql`c.id`,
        each: sql`SELECT v.value, v.value FROM contact_field v
          WHERE v.account_id = ${ctx.sql.account} AND v.contact_id = counted.value AND v.custom_field_id = ${id}::int`,
      }
    },
  },
}
