import type { Named, World } from '../support/world.ts'
import { documentOf, paragraph } from './content.ts'

/** Creates a template of one block, by default a text. */
export async function newTemplate(
  world: World,
  name = 'Monthly',
  block: Readonly<Record<string, unknown>> = { type: 'text', content: paragraph(name) },
): Promise<Named> {
  const document = `mutation ($name: String!, $content: JSON) {
    emailTemplateCreate(input: { name: $name, content: $content }) { emailTemplate { id databaseId } } }`
  return (await world.run(document, { name, content: documentOf(block) })).emailTemplateCreate.emailTemplate
}
