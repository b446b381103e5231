import { builder } from './graphql/builder.ts'
import './graphql/errors.ts'
import './graphql/node.ts'
import './account/account.schema.ts'
import './account/api-key.schema.ts'
import './contacts/contact-mutations.schema.ts'
import './mail/figures.schema.ts'
import './sequences/enrolment.schema.ts'
import './sequences/sequence-mutations.schema.ts'
import './mail/deliverability.schema.ts'
import './mail/recipient.schema.ts'
import './campaigns/campaign-mutations.schema.ts'

/** The whole graph: every room has added its part. */
export const schema = builder.toSchema()
