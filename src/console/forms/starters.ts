import { t } from '@lingui/core/macro'
import type { FormCreateMutationVariables } from '../generated/forms.documents.ts'

/** A form to begin with. */
export interface Starter {
  readonly label: string
  readonly description: string
  readonly input: FormCreateMutationVariables['input']
}

const email = () => ({ label: t`Your e-mail address`, type: 'EMAIL', required: true }) as const
const firstName = () => ({ label: t`Your first name`, type: 'SHORT_TEXT', contactField: 'FIRST_NAME' }) as const

/** The answers of a new question that has some to choose from. */
export const firstAnswers = () => [t`First answer`, t`Second answer`]

/** The forms of the menu “New form”. */
export const starters = (): readonly Starter[] => [
  {
    label: t`Quiz`,
    description: t`Scores the answers and ends with a result`,
    input: {
      name: t`New quiz`,
      type: 'QUIZ',
      questions: [
        {
          label: t`First question`,
          type: 'SINGLE_CHOICE',
          required: true,
          options: firstAnswers(),
          points: firstAnswers().map((answer, index) => ({ answer, points: index === 0 ? '0' : '10' })),
        },
        email(),
      ],
      outcomes: [
        { key: 'hot', title: t`A perfect match`, text: t`We will write to you soon.`, bucket: 'HOT' },
        { key: 'warm', title: t`Nearly there`, text: t`Here is what to read next.`, bucket: 'WARM' },
        { key: 'cold', title: t`Thank you`, text: t`Thank you for your answers.`, bucket: 'COLD' },
      ],
    },
  },
  {
    label: t`Survey`,
    description: t`Collects opinions`,
    input: {
      name: t`New survey`,
      type: 'SURVEY',
      questions: [
        { label: t`How likely are you to recommend us?`, type: 'OPINION_SCALE', required: true },
        { label: t`What should we do better?`, type: 'LONG_TEXT' },
      ],
    },
  },
  {
    label: t`Opt-in`,
    description: t`Collects e-mail addresses`,
    input: { name: t`New opt-in`, type: 'OPTIN', questions: [email(), firstName()] },
  },
  {
    label: t`Checkout`,
    description: t`Collects the details of an order`,
    input: {
      name: t`New checkout`,
      type: 'CHECKOUT',
      questions: [email(), firstName(), { label: t`Your phone number`, type: 'PHONE', contactField: 'PHONE' }],
    },
  },
]
