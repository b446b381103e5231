import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import {
  AccountDocument,
  type AccountQuotaFragment,
  KeyCheckDocument,
  SendingQuotaDocument,
} from '../generated/documents.ts'
import { isoMicroseconds, isoTime } from '../values/time.ts'

const figure = z.int()

/** Null means no limit. */
const limit = z.int().nullable()

const slot = z.strictObject({ limit, used: figure, remaining: limit })

const quota = z.strictObject({
  monthly_recipients: slot.extend({ resets_at: isoTime }),
  contacts: slot,
  campaigns: slot,
  funnels: slot,
})

const plans = { FREE_TRIAL: 'free-trial', STARTER: 'starter', PRO: 'pro', UNLIMITED: 'unlimited' } as const

const account = z.strictObject({
  name: z.string(),
  email: z.string(),
  plan: z.enum(Object.values(plans)),
  on_trial: z.boolean(),
  limits: z.strictObject({
    contacts: limit,
    campaigns: limit,
    emails: limit,
    funnels: limit,
    monthly_recipients: limit,
  }),
  quota,
})

function toQuota({ monthlyRecipients, contacts, campaigns, funnels }: AccountQuotaFragment) {
  const { resetsAt, ...recipients } = monthlyRecipients
  return { monthly_recipients: { ...recipients, resets_at: isoMicroseconds(resetsAt) }, contacts, campaigns, funnels }
}

const checkKey = route('GET /v1/api', KeyCheckDocument, {
  id: 'ACC-API',
  scopes: [],
  group: 'Account and key check',
  summary: 'Verify the API key',
  variables: () => ({}),
  reply: one(z.strictObject({ email: z.string() }), ({ viewer }) => ({ email: viewer.email })),
})

const readAccount = route('GET /v1/account', AccountDocument, {
  id: 'ACC-GET',
  scopes: ['account:read'],
  group: 'Account and key check',
  summary: 'Get the account',
  description: 'Includes the limits and the usage of the quotas. A null limit means unlimited.',
  variables: () => ({}),
  reply: one(account, ({ account: { name, email, plan, onTrial, limits, quota } }) => ({
    name,
    email,
    plan: plans[plan],
    on_trial: onTrial,
    limits: {
      contacts: limits.contacts,
      campaigns: limits.campaigns,
      emails: limits.emails,
      funnels: limits.funnels,
      monthly_recipients: limits.monthlyRecipients,
    },
    quota: toQuota(quota),
  })),
})

const readQuota = route('GET /v1/sending-quota', SendingQuotaDocument, {
  id: 'ACC-QUOTA',
  scopes: ['account:read'],
  group: 'Account and key check',
  summary: 'Get the usage of the quotas',
  variables: () => ({}),
  reply: one(quota, ({ account }) => toQuota(account.quota)),
})

/** The specification's table “Account and key check”. */
export const accountRoutes = [checkKey, readAccount, readQuota]
