import type { Question } from '../../../forms/index.ts'
import type { Field } from './form-fields.ts'
import type { Markup } from './markup.ts'

/** Input of the page builder. */
export interface PageSource {
  readonly title: string
  readonly description: string
  /** Page document as it is stored. Null if no version is published. */
  readonly document: unknown
  /** Questions of the step's form. */
  readonly questions: readonly Question[]
  /** URL that forms post to: the path of the page. */
  readonly action: string
  /** URL of the next step. Null on the last step. */
  readonly nextUrl: string | null
}

/** Product of an order form. */
export interface Product {
  readonly name: string
  /** Price as a decimal string. */
  readonly amount: string
  /** ISO 4217 code in upper case. Null means the currency of the account. */
  readonly currency: string | null
}

/** Names of the checkboxes of a form, posted with the value `yes`. Terms grant nothing; `consent` is to marketing e-mail. */
export type BoxName = 'terms' | 'consent'

/** A checkbox with which the visitor declares something. */
export interface FormBox {
  readonly name: BoxName
  /** Exactly as shown. */
  readonly text: string
  readonly required: boolean
}

/** A form of a page, as needed to process its submissions. */
export interface PageForm {
  /** Value of the hidden field `form`. */
  readonly key: string
  readonly fields: readonly {
    /** `q<id>`, or the name of the contact field if there is no question for it. */
    readonly name: string
    readonly questionId: number | null
    readonly contactField: Question['contactField']
    readonly required: boolean
  }[]
  /** The checkboxes below the fields, in order. */
  readonly boxes: readonly FormBox[]
  /** Hash of the texts of the checkboxes, which the form posts in the field `shown`. Null without checkboxes. */
  readonly shown: string | null
  /** Link to open after the submission. Null means the next step. */
  readonly action: string | null
  /** Product of an order form. Null for other forms. */
  readonly product: Product | null
}

/** A form with the data to render it. Plain data, except for `Markup`. */
export interface FormOnPage extends PageForm {
  /** URL that the form posts to. */
  readonly postsTo: string
  /** BCP 47 language tag of the page. */
  readonly language: string
  readonly isLong: boolean
  /** HTML attributes of the form. Built once, because building them adds classes to the style sheet. */
  readonly face: Markup
  readonly head: Markup | null
  readonly asked: readonly Field[]
  /** Label of the submit button. */
  readonly words: Markup
}
