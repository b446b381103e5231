import { t } from '@lingui/core/macro'
import type { QuestionEditFragment } from '../generated/forms.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'

export type QuestionType = QuestionEditFragment['type']
type ContactField = NonNullable<QuestionEditFragment['contactField']>

/** How a type of question is named, and what can be set for it. */
interface QuestionKind {
  readonly type: QuestionType
  readonly label: string
  /** What an answer means beyond itself. */
  readonly description?: string
  readonly hasOptions?: boolean
  /** The fixed answers, which can give points. */
  readonly answers?: readonly string[]
  /** Contact fields that the answer can fill. */
  readonly fills?: readonly ContactField[]
}

const texts = contactTexts.map(({ field }) => field).filter((field) => field !== 'EMAIL')

/** The types of questions, in the order of the menu. */
export const questionKinds = (): readonly QuestionKind[] => [
  { type: 'SHORT_TEXT', label: t`Short text`, fills: texts },
  { type: 'LONG_TEXT', label: t`Long text` },
  { type: 'EMAIL', label: t`E-mail address`, fills: ['EMAIL'] },
  { type: 'PHONE', label: t`Phone number`, fills: texts },
  { type: 'SINGLE_CHOICE', label: t`Single choice`, hasOptions: true, fills: texts },
  { type: 'MULTIPLE_CHOICE', label: t`Multiple choice`, hasOptions: true },
  { type: 'DROPDOWN', label: t`Dropdown`, hasOptions: true, fills: texts },
  { type: 'YES_NO', label: t`Yes or no`, answers: ['yes', 'no'], fills: texts },
  { type: 'RATING', label: t`Rating, 1 to 5`, answers: ['1', '2', '3', '4', '5'] },
  {
    type: 'OPINION_SCALE',
    label: t`Scale, 0 to 10`,
    answers: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  },
  { type: 'NUMBER', label: t`Number` },
  { type: 'DATE', label: t`Date` },
  { type: 'URL', label: t`Web address`, fills: texts },
  {
    type: 'CONSENT',
    label: t`Consent to marketing e-mail`,
    description: t`A tick grants consent to marketing e-mail, with this text as its wording. Time and IP address are stored as proof.`,
    answers: ['true', 'false'],
  },
  {
    type: 'TERMS',
    label: t`Terms to accept`,
    description: t`The form can only be sent with a tick. It accepts this text, such as terms of use, and grants no consent. Text, time and IP address are stored as proof.`,
  },
  { type: 'STATEMENT', label: t`Statement without an answer` },
  { type: 'HIDDEN', label: t`Hidden field`, fills: ['EMAIL', ...texts] },
]

/** Returns the kind of a type. A type that only a newer server has gets its own name. */
export function kindOf(type: QuestionType): QuestionKind {
  return questionKinds().find((each) => each.type === type) ?? { type, label: type }
}
