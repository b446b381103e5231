import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Challenge } from 'altcha-lib/types'
import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { useOnce } from '../../db/requests/idempotency.ts'

/** Name of the form field with a proof: JSON text with the challenge and its solution. */
export const proofName = 'campanile_proof'

/** What a challenge requires: a key of PBKDF2 that begins with the prefix. 256 keys are derived for it on average. */
const work = { algorithm: 'PBKDF2/SHA-256', cost: 2_000, keyPrefix: '00' }

/** Time in which a challenge can be used, in milliseconds. */
const validMs = 10 * 60 * 1_000

/** Maximum length of a proof in characters. */
const maxLength = 2_000

/** The form for which a challenge is solved. */
interface FormKey {
  readonly accountId: number
  readonly formId: number
}

const Proof = z.object({
  challenge: z.object({
    // The signature is about all parameters.
    parameters: z.looseObject({
      ...{ algorithm: z.string(), cost: z.number(), keyLength: z.number(), keyPrefix: z.string(), salt: z.string() },
      nonce: z.string().regex(/^[0-9a-f]{32}$/),
      data: z.object({ form: z.string(), until: z.number(), isForeign: z.boolean() }),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }).optional(),
})

/** What a client sent as a proof. Nothing in it is verified. */
type ProofClaim = z.output<typeof Proof>

/**
 * Creates a challenge for one post to a form. `isForeign` means that another site sent the post: the page of the challenge sends
 * it again, and it must not count as a post of our own page then.
 */
export function newChallenge(
  { signer, clock }: Pick<Ctx, 'signer' | 'clock'>,
  form: FormKey,
  isForeign: boolean,
): Promise<Challenge> {
  const until = clock.now().getTime() + validMs
  return createChallenge({
    ...work,
    deriveKey,
    hmacSignatureSecret: signer.sign('challenges'),
    data: { form: nameOf(form), until, isForeign },
  })
}

/** Parses the field of a proof. Returns undefined if it is absent or has another form. */
export function parseProof(text: string | undefined): ProofClaim | undefined {
  if (text === undefined || text.length > maxLength) return undefined
  try {
    return Proof.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

/**
 * Returns what a client proved: that it solved a challenge of the form, or only that it has received one. Returns undefined for
 * a challenge that is forged, of another form or expired, and for a wrong solution.
 */
export async function verifyProof(
  { signer, clock }: Pick<Ctx, 'signer' | 'clock'>,
  form: FormKey,
  { challenge, solution }: ProofClaim,
): Promise<'solved' | 'received' | undefined> {
  const { data } = challenge.parameters
  if (data.form !== nameOf(form) || data.until < clock.now().getTime()) return undefined
  const { verified, invalidSignature } = await verifySolution({
    challenge: challenge as Challenge,
    solution: solution ?? { counter: 0, derivedKey: '' },
    deriveKey,
    hmacSignatureSecret: signer.sign('challenges'),
  })
  if (verified) return 'solved'
  return invalidSignature || solution ? undefined : 'received'
}

/** Uses up the challenge of a verified proof. Returns false if it was used before, by any process. */
export function useChallenge(ctx: Ctx, { challenge }: ProofClaim): Promise<boolean> {
  return useOnce(ctx, 'challenge', challenge.parameters.nonce)
}

function nameOf({ accountId, formId }: FormKey): string {
  return `${accountId}/${formId}`
}
