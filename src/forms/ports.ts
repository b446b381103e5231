import type { Ctx } from '../db/context.ts'
import { newPorts } from '../kernel/ports.ts'

/** Consent of a visitor to a form or a page. */
export interface Consent {
  readonly source: string
  /** The wording as the visitor saw it. */
  readonly text: string
  readonly ip: string
}

/** A submission that was just completed. `contactId` is null if the contact is unknown. */
export interface CompletedSubmission {
  readonly formId: number
  readonly submissionId: number
  readonly contactId: number | null
  /** Whether the visitor must still confirm the e-mail address. */
  readonly isUnproven: boolean
  /** Whether the contact existed before, and the visitor has not confirmed its address. */
  readonly isStranger: boolean
  /** Consent to marketing e-mail that the visitor gave, in the answers or outside. */
  readonly consent?: Consent | undefined
}

/** Hooks that higher modules fill. They run in the transaction of the operation. */
export interface Ports {
  /**
   * Called before a submission of a form is completed. Returns what is called afterwards, for example to process the opt-in of a
   * funnel step: what that needs is read with the form.
   */
  completing(tx: Ctx, formId: number): Promise<(submission: CompletedSubmission) => Promise<void>>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('forms')
