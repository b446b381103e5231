// cspell:disable -- character references and names of several languages
import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'

const ContentSet =
  'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'

describe('the name of a custom field', () => {
  const names = ['Größe', 'R&D budget', 'Shoe: EU', "Élan d'été", 'Price <b> "x"', 'Discount 20%']
  const texts = [
    '1 [{{FIELD.Größe}}] [{{FIELD.Gr&ouml;&szlig;e}}] [{{FIELD.Gr&#246;&#xDF;e}}] [{{FIELD.Gro\u0308ße}}]',
    '2 [{{FIELD.R&D budget}}] [{{FIELD.R&amp;D budget}}] [{{FIELD.R&amp;D&nbsp;budget:none}}]',
    '3 [{{FIELD.Shoe: EU}}] [{{FIELD.Shoe: EU:none}}] [{{FIELD.Shoe:&nbsp;EU}}] [{{FIELD.Shoe: US}}]',
    '4 [{{FIELD.&Eacute;lan d&rsquo;&#233;t&#233;}}] [{{FIELD.&Eacute;lan d&#39;&#233;t&#233;}}]',
    '5 [{{FIELD.Price &lt;b&gt; &quot;x&quot;}}] [{{FIELD.Discount 20%}}]',
  ]
  const link = '<a href="https://shop.example/?a=%7B%7BEMAIL%7D%7D&amp;b=%7B%7BFIELD.R%26D%20budget%7D%7D">go</a>'

  it('is found as editors of texts and programs that check links write it', async () => {
    const world = await newWorld()
    const { id: contact } = await world.contact({ email: 'ada@example.com' })
    for (const [index, name] of names.entries()) {
      const { id } = await world.customField({ name, type: 'TEXT' })
      const set = 'mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { contact { id } } }'
      await world.run(set, { input: { contact: { id: contact }, customFieldId: id, value: `v${index + 1}` } })
    }
    const html = `${texts.map((text) => `<p>${text}</p>`).join('')}${link}<a href="{{UNSUBSCRIBE_URL}}">Leave</a>`
    const { id } = await world.campaign({ subject: '{{FIELD.Shoe: EU}}', fromEmail: 'ada@example.com' })
    await world.run(ContentSet, { input: { id, html } })
    const query = `query ($id: ID!, $contact: ID) {
      campaign(id: $id) { email { preview(contactId: $contact) { subject html text } } }
      campaignCheck(id: $id) { findings { code mergeField } } }`
    const { campaign, campaignCheck } = await world.run(query, { id, contact })
    const { preview } = campaign.email
    expect(preview.subject).toBe('v3')
    const shown = ['1 [v1] [v1] [v1] [v1]', '2 [v2] [v2] [v2]', '3 [v3] [v3] [v3] [US]', '4 [] [v4]', '5 [v5] [v6]']
    for (const line of shown) {
      expect(preview.html).toContain(line)
      expect(preview.text).toContain(line)
    }
    for (const body of [preview.html, preview.text])
      expect(body.replaceAll('&amp;', '&')).toContain('https://shop.example/?a=ada%40example.com&b=v2')
    expect(campaignCheck.findings.filter(({ code }: { code: string }) => /MERGE/.test(code))).toEqual([
      { code: 'MERGE_FIELD_UNKNOWN', mergeField: '{{FIELD.Shoe}}' },
      { code: 'MERGE_FIELD_UNKNOWN', mergeField: '{{FIELD.&Eacute;lan d&rsquo;&#233;t&#233;}}' },
    ])
    // A contact without a value gets the fallback of the whole name.
    const other = await world.contact({ email: 'bob@example.com' })
    const empty = await world.run(query, { id, contact: other.id })
    expect(empty.campaign.email.preview.text).toContain('3 [] [none] [] [US]')
    const example = await world.run(query, { id, contact: null })
    expect(example.campaign.email.preview.text).toContain('3 [] [none] [] [US]')
  })
})
