import type { FormCreateMutationVariables } from '../generated/forms.documents.ts'

/** A form to begin with. */
export interface Starter {
  readonly label: string
  readonly description: string
  readonly input: FormCreateMutationVariables['input']
}

const email = { label: 'Your e-mail address', type: 'EMAIL', required: true } as const
const firstName = { label: 'Your first name', type: 'SHORT_TEXT', contactField: 'FIRST_NAME' } as const

/** The forms of the menu “New form”. */
export const starters: readonly Starter[] = [
  {
    label: 'Quiz',
    description: 'Scores the answers and ends with a result',
    input: {
      name: 'New quiz',
      type: 'QUIZ',
      questions: [
        {
          label: 'First question',
          type: 'SINGLE_CHOICE',
          required: true,
          options: ['First answer', 'Second answer'],
          points: [
            { answer: 'First answer', points: '0' },
            { answer: 'Second answer', points: '10' },
          ],
        },
        email,
      ],
      outcomes: [
        { key: 'hot', title: 'A perfect match', text: 'We will write to you soon.', bucket: 'HOT' },
        { key: 'warm', title: 'Nearly there', text: 'Here is what to read next.', bucket: 'WARM' },
        { key: 'cold', title: 'Thank you', text: 'Thank you for your answers.', bucket: 'COLD' },
      ],
    },
  },
  {
    label: 'Survey',
    description: 'Collects opinions',
    input: {
      name: 'New survey',
      type: 'SURVEY',
      questions: [
        { label: 'How likely are you to recommend us?', type: 'OPINION_SCALE', required: true },
        { label: 'What should we do better?', type: 'LONG_TEXT' },
      ],
    },
  },
  {
    label: 'Opt-in',
    description: 'Collects e-mail addresses',
    input: { name: 'New opt-in', type: 'OPTIN', questions: [email, firstName] },
  },
  {
    label: 'Checkout',
    description: 'Collects the details of an order',
    input: {
      name: 'New checkout',
      type: 'CHECKOUT',
      questions: [email, firstName, { label: 'Your phone number', type: 'PHONE', contactField: 'PHONE' }],
    },
  },
]
