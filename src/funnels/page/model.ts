import type { Question } from '../../forms/index.ts'
import type { Field } from './form-fields.ts'
import type { Markup } from './markup.ts'

/** What a page is made of. */
export interface PageSource {
  readonly title: string
  readonly description: string
  /** As it is stored; null where nothing was published. */
  readonly document: unknown
  /** Those of the step's form. */
  readonly questions: readonly Question[]
  /** Where its forms post to: the page's own path. */
  readonly action: string
  /** The next step; null on the last. */
  readonly nextUrl: string | null
}

/** What an order form sells. */
export interface Product {
  readonly name: string
  /** Decimal text. */
  readonly amount: string
  /** In capitals; null means the account's own. */
  readonly currency: string | null
}

/** A form of a page, as whoever takes its answers needs it. */
export interface PageForm {
  /** The value of its field `form`. */
  readonly key: string
  readonly fields: readonly {
    /** `q<id>`; the name of the contact's field where there is no question for it. */
    readonly name: string
    readonly questionId: number | null
    readonly contactField: Question['contactField']
    readonly required: boolean
  }[]
  /** What is agreed to by `consent=yes`, word by word as it is shown; null where nothing is. */
  readonly consentText: string | null
  /** Where the visitor goes afterwards; null means the next step. */
  readonly action: string | null
  /** What an order form sells; null for any other. */
  readonly product: Product | null
}

/** A form with all that showing it takes; plain data but for its markup. */
export interface FormOnPage extends PageForm {
  /** Where it posts to. */
  readonly postsTo: string
  readonly isLong: boolean
  /** Its id and classes: made once, for what is counted by it must not grow with each visitor. */
  readonly face: Markup
  readonly head: Markup | null
  readonly asked: readonly Field[]
  /** What its button says. */
  readonly words: Markup
}
