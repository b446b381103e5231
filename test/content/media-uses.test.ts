import { describe, expect, it } from 'vitest'
import { documentOf } from '../mail/content.ts'
import { newTemplate } from '../mail/templates.ts'
import { newWorld, type World } from '../support/world.ts'
import { picture, upload } from './pictures.ts'
import { newReusableBlock } from './reusable.ts'
import { storedMedia } from './stored.ts'

const Uses = 'query ($id: ID!) { mediaItem(id: $id) { usesCount usedIn { kind title node { id } } } }'
const Delete =
  'mutation ($id: ID!, $with: ID) { mediaDelete(input: { id: $id, replaceWithId: $with }) { deletedMediaId } }'
const SetContent = `mutation ($id: ID!, $html: String, $text: String, $content: JSON) {
  campaignContentSet(input: { id: $id, html: $html, text: $text, content: $content }) { campaign { id updatedAt } } }`
const Body = 'query ($id: ID!) { campaign(id: $id) { email { html text content } } }'
const StepContent = `mutation ($id: ID!, $content: JSON!, $publish: Boolean) {
  funnelStepContentSet(input: { id: $id, content: $content, publish: $publish }) { version } }`
const Logo = 'mutation ($url: String) { brandUpdate(input: { logoUrl: $url }) { brand { logoUrl } } }'

const Item = 'query ($id: ID!) { mediaItem(id: $id) { url hash variants { url } } }'

interface File {
  readonly id: string
  readonly url: string
  readonly hash: string
  readonly variants: readonly { readonly url: string }[]
}

/** Stores a picture with a variant. */
async function newFile(world: World): Promise<File> {
  const { id } = await storedMedia(world)
  return { id, ...(await world.run(Item, { id })).mediaItem }
}

/** Returns the places of a file as `KIND title`. */
async function usesOf(world: World, { id }: { id: string }, key?: string): Promise<string[]> {
  const { usesCount, usedIn } = (await world.run(Uses, { id }, key === undefined ? {} : { key })).mediaItem
  expect(usedIn).toHaveLength(usesCount)
  return usedIn.map(({ kind, title, node }: { kind: string; title: string; node: object | null }) => {
    expect(node === null).toBe(kind === 'BRAND' || title === null)
    return `${kind} ${title}`
  })
}

const page = (src: string) => ({
  version: 1,
  root: [
    {
      type: 'section',
      children: [{ type: 'row', children: [{ type: 'column', children: [{ type: 'image', src, alt: '' }] }] }],
    },
  ],
})

/** Creates all kinds of places that use a picture. */
async function usedEverywhere(world: World) {
  const file = await newFile(world)
  const campaign = await world.campaign({ name: 'Spring' })
  await world.run(SetContent, { id: campaign.id, content: documentOf({ type: 'image', src: file.url, alt: '' }) })
  const sequence = await world.sequence({ name: 'Welcome' })
  const stage = await world.stage(sequence, { name: 'Day 1' })
  await world.run(
    'mutation ($id: ID!, $html: String) { sequenceStageContentSet(input: { id: $id, html: $html }) { email { id } } }',
    { id: stage.id, html: `<p>x</p><img src="${file.variants[0]?.url}" alt="">` },
  )
  const funnel = await world.funnel({ name: 'Shop' })
  const step = await world.step(funnel, { name: 'Start' })
  await world.run(StepContent, { id: step.id, content: page(new URL(file.url).pathname) })
  const image = { type: 'image', src: file.url, alt: '' }
  const block = await newReusableBlock(world, 'Hours', [image])
  const template = await newTemplate(world, 'Monthly', image)
  await world.run(Logo, { url: file.url })
  return { file, campaign, sequence, stage, funnel, step, block, template }
}

const all = [
  ...['CAMPAIGN Spring', 'SEQUENCE_STAGE Welcome: Day 1', 'FUNNEL_STEP Shop: Start'],
  ...['REUSABLE_BLOCK Hours', 'EMAIL_TEMPLATE Monthly', 'BRAND Brand'],
]

describe('the places of a media file', () => {
  it('are found in e-mails, pages and the brand, and follow their changes', async () => {
    const world = await newWorld()
    const { file, campaign, step, stage, block, template } = await usedEverywhere(world)
    expect(await usesOf(world, file)).toEqual(all)
    await world.run(SetContent, { id: campaign.id, html: '<p>none</p>' })
    await world.run(Logo, { url: '' })
    expect(await usesOf(world, file)).toEqual(all.slice(1, 5))
    await world.run(
      'mutation ($id: ID!) { reusableBlockUpdate(input: { id: $id, content: [{ type: "divider" }] }) { reusableBlock { id } } }',
      block,
    )
    await world.run(
      'mutation ($id: ID!) { emailTemplateDelete(input: { id: $id }) { deletedEmailTemplateId } }',
      template,
    )
    expect(await usesOf(world, file)).toEqual(all.slice(1, 3))
    // A PDF in the text alone.
    await world.run(SetContent, { id: campaign.id, html: '<p>none</p>', text: `Read ${file.url}.` })
    await world.run('mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId } }', stage)
    await world.run('mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }', step)
    expect(await usesOf(world, file)).toEqual([all[0]])
    await world.run('mutation ($id: ID!) { campaignDelete(input: { id: $id }) { deletedCampaignId } }', campaign)
    expect(await usesOf(world, file)).toEqual([])
    expect((await world.run(Delete, { id: file.id })).mediaDelete.deletedMediaId).toBe(file.id)
  })

  it('are found beside documents that are no text', async () => {
    const world = await newWorld()
    const [file, campaign] = [await newFile(world), await world.campaign({ name: 'Spring' })]
    await world.rows(
      `INSERT INTO document (account_id, token, name, content_type, body, created_at)
       SELECT $1, 'pdf-' || n, 'invoice.pdf', 'application/pdf', '\\xff00'::bytea, now() FROM generate_series(1, 3) n`,
      [world.accountId],
    )
    // So few rows are scanned rather than looked up.
    await world.rows('ANALYZE document')
    await world.run(SetContent, { id: campaign.id, html: `<p>x</p><img src="${file.url}" alt="">` })
    expect(await usesOf(world, file)).toEqual([all[0]])
  })

  it('are those of the published version of a page and of the newest one', async () => {
    const world = await newWorld()
    const files = [await newFile(world), await newFile(world), await newFile(world)]
    const step = await world.step(await world.funnel({ name: 'Shop' }), { name: 'Start' })
    for (const { url } of files) await world.run(StepContent, { id: step.id, content: page(url), publish: false })
    expect(await Promise.all(files.map((file) => usesOf(world, file)))).toEqual([[], [], [all[2]]])
    await world.run('mutation ($id: ID!) { funnelStepPublish(input: { id: $id, version: 1 }) { step { id } } }', step)
    expect(await Promise.all(files.map((file) => usesOf(world, file)))).toEqual([[all[2]], [], [all[2]]])
  })

  it('include copies', async () => {
    const world = await newWorld()
    const { file, campaign, sequence, funnel, block, template } = await usedEverywhere(world)
    const originals = { campaign, sequence, funnel, reusableBlock: block, emailTemplate: template }
    for (const [field, { id }] of Object.entries(originals))
      await world.run(`mutation ($id: ID!) { ${field}Duplicate(input: { id: $id }) { ${field} { id } } }`, { id })
    expect(await usesOf(world, file)).toEqual([
      ...all,
      'CAMPAIGN Copy of Spring',
      'SEQUENCE_STAGE Copy of Welcome: Day 1',
      'FUNNEL_STEP Copy of Shop: Start',
      'REUSABLE_BLOCK Copy of Hours',
      'EMAIL_TEMPLATE Copy of Monthly',
    ])
  })

  it('are only those of the account, by its own URLs', async () => {
    const world = await newWorld()
    const other = await world.other()
    const body = await picture(50, 50).png().toBuffer()
    const [own, foreign] = [await upload(world, body), await upload(other, body)]
    expect(foreign.hash).toBe(own.hash)
    const { id } = await world.campaign()
    await world.run(SetContent, { id, html: `<img src="${foreign.url}" alt=""><p>${own.hash}</p>` })
    expect([await usesOf(world, own), await usesOf(other, foreign)]).toEqual([[], []])
  })

  it('have no title and no node for a key that may not read them', async () => {
    const world = await newWorld()
    const { file } = await usedEverywhere(world)
    const key = await world.key({ scopes: ['media:read', 'sequences:read'] })
    expect(await usesOf(world, file, key)).toEqual([
      ...['CAMPAIGN null', all[1], 'FUNNEL_STEP null'],
      ...['REUSABLE_BLOCK null', 'EMAIL_TEMPLATE null', 'BRAND null'],
    ])
  })

  it('are at most 1,000 files for one place', async () => {
    const world = await newWorld()
    const { url, hash } = await newFile(world)
    await world.rows(
      `WITH file AS (
         INSERT INTO media (account_id, name, content_type, hash, bytes, is_animated, created_at, updated_at)
         SELECT $1, 'x', 'PNG', encode(sha256(n::text::bytea), 'hex'), 1, false, now(), now() FROM generate_series(1, 1001) n
         RETURNING id, hash)
       INSERT INTO media_file (account_id, media_id, hash, bytes) SELECT $1, id, hash, 1 FROM file`,
      [world.accountId],
    )
    const hashes = await world.rows<{ hash: string }>('SELECT hash FROM media WHERE account_id = $1', [world.accountId])
    const html = hashes.map((each) => `<img src="${url.replace(hash, each.hash)}" alt="">`).join('')
    const { id } = await world.campaign()
    expect((await world.fault(SetContent, { id, html })).extensions.details).toEqual({
      'input.html': ['must use at most 1000 media files'],
    })
  })
})

describe('the deletion of a media file that is used', () => {
  it('is refused with the places that the key may read', async () => {
    const world = await newWorld()
    const { file } = await usedEverywhere(world)
    const { extensions, message } = await world.fault(Delete, { id: file.id })
    expect([extensions.code, message]).toEqual([
      'INVALID_STATE',
      'The media file is used by the campaign “Spring”, the stage “Welcome: Day 1”, the step “Shop: Start”, the reusable block “Hours”, the template “Monthly” and 1 more place.',
    ])
    const key = await world.key({ scopes: ['media:write', 'campaigns:read'] })
    const limited = await world.fault(Delete, { id: file.id }, { key })
    expect(limited.message).toBe('The media file is used by the campaign “Spring” and 5 more places.')
    expect((await fetch(file.url)).status).toBe(200)
  })

  it('replaces it in all places, variants by those of the same width', async () => {
    const world = await newWorld()
    const { file, campaign, stage, step, block, template } = await usedEverywhere(world)
    const other = await newFile(world)
    const before = (await world.run('query ($id: ID!) { campaign(id: $id) { updatedAt } }', campaign)).campaign
      .updatedAt
    await world.run(Delete, { id: file.id, with: other.id })
    expect((await fetch(file.url)).status).toBe(404)
    expect(await usesOf(world, other)).toEqual(all)
    const { html, text, content } = (await world.run(Body, campaign)).campaign.email
    expect(html).toContain(other.hash)
    expect(JSON.stringify(content)).toContain(other.hash)
    expect(`${html}${text}${JSON.stringify(content)}`).not.toContain(file.hash)
    const { email } = (await world.run('query ($id: ID!) { sequenceStage(id: $id) { email { html } } }', stage))
      .sequenceStage
    expect(email.html).toContain(other.variants[0]?.url.split('/').at(-2))
    const { brand, funnelStep } = await world.run(
      'query ($id: ID!) { brand { logoUrl } funnelStep(id: $id) { url content } }',
      step,
    )
    expect(brand.logoUrl).toContain(other.hash)
    expect(JSON.stringify(funnelStep.content)).toContain(other.hash)
    const { campaign: after } = await world.run('query ($id: ID!) { campaign(id: $id) { updatedAt } }', campaign)
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before))
    const replaced = await world.run(
      'query ($block: ID!, $template: ID!) { reusableBlock(id: $block) { content } emailTemplate(id: $template) { content } }',
      { block: block.id, template: template.id },
    )
    expect(JSON.stringify(replaced).match(new RegExp(other.hash, 'g'))).toHaveLength(2)
    for (const type of ['reusable_block.updated', 'email_template.updated'])
      expect((await world.announced(type)).length, type).toBe(1)
    for (const type of ['campaign.updated', 'sequence_stage.updated', 'funnel_step.updated', 'brand.updated'])
      expect((await world.announced(type)).length, type).toBeGreaterThanOrEqual(2)
  })

  it('leaves one place where both files were used', async () => {
    const world = await newWorld()
    const [file, other] = [await newFile(world), await newFile(world)]
    const { id } = await world.campaign({ name: 'Both' })
    await world.run(SetContent, { id, html: `<img src="${file.url}" alt=""><img src="${other.url}" alt="">` })
    await world.run(Delete, { id: file.id, with: other.id })
    expect(await usesOf(world, other)).toEqual(['CAMPAIGN Both'])
  })

  it('refuses a replacement of another kind, itself, and that of another account', async () => {
    const world = await newWorld()
    const file = await newFile(world)
    await world.rows(`UPDATE media SET content_type = 'PDF' WHERE account_id = $1`, [world.accountId])
    const other = await newFile(world)
    const foreign = await newFile(await world.other())
    for (const [id, replacement, message] of [
      [file.id, other.id, 'must be a PDF file'],
      [other.id, file.id, 'must be a picture'],
      [file.id, file.id, 'must be another media file'],
    ] as const)
      expect((await world.fault(Delete, { id, with: replacement })).extensions.details).toEqual({
        'input.replaceWithId': [message],
      })
    expect((await world.fault(Delete, { id: other.id, with: foreign.id })).extensions.code).toBe('NOT_FOUND')
  })

  it('needs the scopes to write the places', async () => {
    const world = await newWorld()
    const { file } = await usedEverywhere(world)
    const other = await newFile(world)
    const scopes = ['campaigns:write', 'sequences:write', 'funnels:write', 'mail:write'] as const
    for (const missing of scopes) {
      const key = await world.key({ scopes: ['media:write', ...scopes.filter((scope) => scope !== missing)] })
      const { extensions } = await world.fault(Delete, { id: file.id, with: other.id }, { key })
      expect([missing, extensions.code]).toEqual([missing, 'FORBIDDEN'])
    }
    expect(await usesOf(world, file)).toEqual(all)
    await world.run(
      Delete,
      { id: file.id, with: other.id },
      { key: await world.key({ scopes: ['media:write', ...scopes] }) },
    )
  })

  it('is refused for more than 200 places', async () => {
    const world = await newWorld()
    const [file, other] = [await newFile(world), await newFile(world)]
    await world.rows(
      `WITH mail AS (INSERT INTO email (account_id, created_at, updated_at) SELECT $1, now(), now() FROM generate_series(1, 201) RETURNING id)
       INSERT INTO media_use (account_id, media_id, email_id)
       SELECT $1, (SELECT id FROM media WHERE account_id = $1 AND hash = $2), id FROM mail`,
      [world.accountId, file.hash],
    )
    const { message } = await world.fault(Delete, { id: file.id, with: other.id })
    expect(message).toContain('more than 200 places')
  })
})
