// What an account does with its contacts besides writing to them.
import { campaigns } from '../campaigns/index.ts'
import {
  applyNextChunk,
  bulkJobs,
  contacts,
  contactTags,
  erasures,
  imports,
  merging,
  processNext,
  tags,
} from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { recorderOf } from '../db/requests/audit.ts'
import { globalId } from '../kernel/values/ids.ts'

/** The fair where the imported contacts signed up. The third row has no valid address, so the import has an error. */
const fair = `Email,First name,Last name,City,Country
maja@clay-fair.example,Maja,Novak,Wien,Austria
sara@clay-fair.example,Sara,Weber,Utrecht,Netherlands
no address,Sven,Lind,Malmö,Sweden
elif@clay-fair.example,Elif,Rossi,Bologna,Italy
jan@clay-fair.example,Jan,Hansen,Gdynia,Poland
`

/** The subscribers of a gallery that closes. Some have left, so the import waits until someone has looked at what it will do. */
const gallery = `Email Address,First Name,Status
livia@gallery-mailing.example,Livia,subscribed
bruno@gallery-mailing.example,Bruno,unsubscribed
chloe@gallery-mailing.example,Chloé,subscribed
otto@gallery-mailing.example,Otto,cleaned
`

/** The tags that `keepPeople` adds. */
interface PeopleTags {
  readonly customerId: number
  readonly giftGuideId: number
}

/**
 * Changes contacts with the API key of the context, as its owner would: a bulk job, an import with an error and one that waits
 * for a review, two contacts that are merged, one that is erased, and a campaign that is archived. The audit log contains each
 * of them.
 */
export async function keepPeople(ctx: Ctx, { customerId, giftGuideId }: PeopleTags): Promise<void> {
  const bulkJob = await recorded(ctx, 'contactsBulk', ['contacts', 'action.addTagIds'], 'BulkJob', async () => {
    const filter = { country: { eq: 'France' }, tags: { any: [customerId] } }
    return (await bulkJobs.create(ctx, { contacts: { filter }, action: { addTagIds: [giftGuideId] } })).bulkJob
  })
  while (!(await processNext(ctx, bulkJob.id))) ctx.load.clear()
  const fairTag = await recorded(ctx, 'tagCreate', ['name'], 'Tag', async () => {
    return (await tags.create(ctx, { name: 'ceramics fair' })).tag
  })
  const input = { fileName: 'ceramics-fair.csv', csv: fair, addTagIds: [fairTag.id] }
  const fields = ['csv', 'fileName', 'addTagIds']
  const contactImport = await recorded(ctx, 'contactImportCreate', fields, 'ContactImport', async () => {
    return (await imports.create(ctx, input)).contactImport
  })
  while (!(await applyNextChunk(ctx, contactImport.id))) ctx.load.clear()
  await recorded(ctx, 'contactImportCreate', ['csv', 'fileName', 'review'], 'ContactImport', async () => {
    return (await imports.create(ctx, { fileName: 'gallery-subscribers.csv', csv: gallery, review: true }))
      .contactImport
  })
  await mergeOne(ctx, customerId)
  const former = await recorded(ctx, 'contactCreate', ['email', 'firstName'], 'Contact', async () => {
    return (await contacts.create(ctx, { email: 'former.customer@example.com', firstName: 'Agnes' })).contact
  })
  await recorded(ctx, 'contactErase', ['contact.id'], 'ContactErasure', async () => {
    return (await erasures.erase(ctx, { contact: { id: former.id } })).contactErasure
  })
  const old = await recorded(ctx, 'campaignCreate', ['name'], 'Campaign', async () => {
    return (await campaigns.create(ctx, { name: 'Christmas market, cancelled' })).campaign
  })
  await recorded(ctx, 'campaignArchive', ['id'], 'Campaign', async () => {
    return (await campaigns.archive(ctx, { id: old.id })).campaign
  })
}

/** Merges the second address of a customer into the first one, with the tag that only the second one has. */
async function mergeOne(ctx: Ctx, customerId: number): Promise<void> {
  const create = (email: string) =>
    recorded(ctx, 'contactCreate', ['email', 'firstName', 'lastName'], 'Contact', async () => {
      return (await contacts.create(ctx, { email, firstName: 'Camille', lastName: 'Lambert' })).contact
    })
  const [kept, merged] = [await create('camille@lambert.example'), await create('camille.lambert@example.com')]
  await recorded(ctx, 'contactTagAdd', ['contact.id', 'tagId'], 'Contact', async () => {
    await contactTags.add(ctx, { contact: { id: merged.id }, tagId: customerId })
    return merged
  })
  await recorded(ctx, 'contactMerge', ['contact.id', 'into.id'], 'Contact', async () => {
    return (await merging.merge(ctx, { contact: { id: merged.id }, into: { id: kept.id } })).contact
  })
}

/** Runs an operation with its entry in the audit log, as the mutation does. `fields` are the paths of its input. */
async function recorded<Row extends { id: number }>(
  ctx: Ctx,
  action: string,
  fields: readonly string[],
  type: string,
  run: (ctx: Ctx) => Promise<Row>,
): Promise<Row> {
  const row = await run(ctx)
  await recorderOf(() => ({ action, objects: [globalId(type, row.id)], fields })).afterwards(ctx, row)
  ctx.load.clear()
  return row
}
