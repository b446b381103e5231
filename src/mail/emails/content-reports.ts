import { customFields, examplePerson, mergeFieldNames, mergeValuesOf } from '../../contacts/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { zoneOf } from '../../db/zone.ts'
import { checkContentOf } from '../bodies/body-parser.ts'
import type { ContentReport, ContentSource } from '../bodies/content-check.ts'
import type { BodyProblem } from '../bodies/email-body.ts'
import { exampleAddresses, exampleRef, withMessageLinks } from '../messages/message-links.ts'
import { byId, contentById } from './emails.ts'

/**
 * Checks the contents of e-mails as an example contact would get them, by id of the e-mail. A report is null if there is no
 * such e-mail, and a problem if its body cannot be sent. A fixed number of statements. **Throws** RATE_LIMITED if too many
 * tasks wait.
 */
export const contentReports = one<number, ContentReport | BodyProblem>(async (ctx, ids) => {
  const rows = await Promise.all(ids.map((id) => ctx.load(byId, id)))
  const contents = await contentById.batch(ctx, ids)
  const example = await exampleOf(ctx)
  const reports = new Map<number, ContentReport | BodyProblem>()
  // One at a time: an account has one thread at most, and the number of its waiting tasks is limited.
  for (const { id, subject } of rows.filter((email) => email !== null)) {
    const { html, text } = contents.get(id) ?? {}
    reports.set(id, await checkContentOf(ctx, { ...example, subject, html: html ?? '', text: text ?? null }))
  }
  return reports
})

/** The values of merge fields in a message to the example contact, and its tracked URLs. */
async function exampleOf(ctx: Ctx): Promise<Pick<ContentSource, 'values' | 'addresses'>> {
  const fields = await customFields.list(ctx)
  const ref = exampleRef(ctx)
  const values = withMessageLinks(ctx, ref, mergeValuesOf(examplePerson, ctx.clock.now(), await zoneOf(ctx)))
  const names = [...mergeFieldNames, 'UNSUBSCRIBE_URL', 'VIEW_URL', ...fields.map(({ name }) => `FIELD.${name}`)]
  return {
    values: Object.fromEntries(names.map((name) => [name, values(name)])),
    addresses: exampleAddresses(ctx, ref),
  }
}
