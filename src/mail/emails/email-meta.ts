import { z } from 'zod'
import { topics } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { check, email, sent, text } from '../../kernel/values/check.ts'
import { languageTag, maxLanguage } from '../bodies/language.ts'
import { maxPreheader } from '../bodies/preheader.ts'
import { type Utm, utmNames } from '../bodies/utm.ts'

/** Maximum characters of a UTM parameter. */
export const maxUtm = 200

/** One line: a line break in a header would begin another header. */
const line = (max: number) => text(max).refine((value) => !/[\r\n]/.test(value), 'must be one line')

/** The envelope of an e-mail: all but its body. Longer subjects exceed the line limit of RFC 5322. */
const meta = z
  .object({
    subject: line(900),
    fromName: line(255),
    fromEmail: z.union([z.literal(''), email], 'must be a valid e-mail address'),
    replyTo: z.union([z.literal(''), email], 'must be a valid e-mail address'),
    preheader: line(maxPreheader),
    language: z
      .string()
      .refine(
        (tag) => tag === '' || (tag.length <= maxLanguage && languageTag.test(tag)),
        'must be a language tag such as en or pt-BR',
      ),
  })
  .partial()

const Parameters = z.object(Object.fromEntries(utmNames.map((name) => [name, line(maxUtm).trim()]))).partial()

type NullableInput<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }
type Meta = z.output<typeof meta>

/** The envelope of an e-mail as clients send it. Null and absent fields stay; an empty `topicId` removes the topic. */
export type EmailMeta = NullableInput<Meta & { utm: NullableInput<Utm>; topicId: string | number }>

/** Validates the given fields of an envelope. **Throws** VALIDATION_ERROR. */
export function checkMeta({
  utm,
  topicId: _,
  ...input
}: EmailMeta): { [Key in keyof Meta]?: NonNullable<Meta[Key]> } & { utm?: Utm } {
  const fields = sent(check(meta, sent(input)))
  if (utm == null) return fields
  const given = sent(check(z.object({ utm: Parameters }), { utm: sent(utm) }).utm)
  return { ...fields, utm: given as Utm }
}

/** Returns UTM parameters as they are stored. */
export function withoutEmpty(utm: Utm): Utm {
  return Object.fromEntries(Object.entries(utm).filter(([, value]) => value !== ''))
}

/**
 * Reads the topic that an envelope names: its id, null for none, undefined if it stays. `before` is the present one. **Throws**
 * NOT_FOUND, and INVALID_STATE if the topic is archived.
 */
export async function readTopic(
  tx: Ctx,
  { topicId }: EmailMeta,
  before: number | null = null,
): Promise<number | null | undefined> {
  if (topicId == null) return undefined
  if (topicId === '') return null
  const topic = await topics.mustExist(tx, topicId)
  if (topic.archivedAt && topic.id !== before)
    throw refuseValue('topicId', 'INVALID_STATE', `The topic “${topic.name}” is archived; restore it first.`)
  return topic.id
}
