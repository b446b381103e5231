import { contactParts } from '../contacts/index.ts'
import type { PersonParts } from '../db/persons/person-parts.ts'
import { financeParts } from '../finance/index.ts'
import { formParts } from '../forms/index.ts'
import { funnelParts } from '../funnels/index.ts'
import { mailParts } from '../mail/index.ts'
import { sequenceParts } from '../sequences/index.ts'

/** Everything that is held about a person, by the name of its file. */
export const personParts: PersonParts = {
  ...contactParts,
  ...mailParts,
  ...sequenceParts,
  ...financeParts,
  ...formParts,
  ...funnelParts,
}
