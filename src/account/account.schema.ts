import { builder } from '../graphql/builder.ts'
import { asOfNow, mutation, needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { accounts, ownAccount, quotas } from './index.ts'
import type { Quota } from './quota.ts'

const trusting =
  'Whether visitors of its pages are taken for the owners of the addresses that they type: pages then show them what is stored of that contact, and what they type replaces it. False by default, because whoever types the address of another person would see that data. Has no effect while `doubleOptIn` is true.'

export const PlanType = builder.enumType('Plan', {
  description: 'What an account has paid for.',
  values: {
    FREE_TRIAL: { description: 'Trying it out; has no API keys.' },
    STARTER: { description: 'The smallest paid plan.' },
    PRO: { description: 'The larger paid plan.' },
    UNLIMITED: { description: 'The plan without limits of its own.' },
  },
})

const Limits = builder.objectRef<accounts.Limits>('AccountLimits').implement({
  description: 'How much the plan allows of each; null is no limit.',
  fields: (t) => ({
    contacts: t.int({ nullable: true, description: 'Contacts stored.', resolve: (account) => account.limitContacts }),
    campaigns: t.int({
      nullable: true,
      description: 'Campaigns created.',
      resolve: (account) => account.limitCampaigns,
    }),
    emails: t.int({
      nullable: true,
      description: 'Messages sent in a calendar month.',
      resolve: (account) => account.limitEmails,
    }),
    funnels: t.int({ nullable: true, description: 'Funnels created.', resolve: (account) => account.limitFunnels }),
    monthlyRecipients: t.int({
      nullable: true,
      description: 'Different people written to in a calendar month.',
      resolve: (account) => account.limitMonthlyRecipients,
    }),
  }),
})

const QuotaType = builder.objectRef<Quota>('Quota').implement({
  description: 'How full a metered slot is.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { nullable: true, description: 'How much the plan allows; null is no limit.' }),
    used: t.exposeInt('used', { description: 'How much of it is used.' }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description: 'How much is left; null where there is no limit.',
    }),
  }),
})

const MonthlyQuota = builder.objectRef<Quota>('MonthlyQuota').implement({
  description: 'How full a slot is that starts again every calendar month.',
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      nullable: true,
      description: 'How much the plan allows in a month; null is no limit.',
    }),
    used: t.exposeInt('used', { description: 'How much of it is used this month.' }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description: 'How much is left; null where there is no limit.',
    }),
    resetsAt: t.field({
      type: 'DateTime',
      description: "The start of the next calendar month in the account's zone.",
      resolve: (_quota, _args, ctx) => quotas.resetsAt(ctx),
    }),
  }),
})

const QuotaSlots = builder.objectRef<object>('QuotaSlots').implement({
  description: 'What is metered, slot by slot.',
  fields: (t) => ({
    monthlyRecipients: t.field({
      type: MonthlyQuota,
      description: 'Different people written to in the current calendar month.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'monthly_recipients'),
    }),
    contacts: t.field({
      type: QuotaType,
      description: 'Contacts stored.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'contacts'),
    }),
    campaigns: t.field({
      type: QuotaType,
      description: 'Campaigns created.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'campaigns'),
    }),
    funnels: t.field({
      type: QuotaType,
      description: 'Funnels created.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'funnels'),
    }),
  }),
})

export const AccountType = builder.prismaObject('Account', {
  description: 'A customer of the service: everything else belongs to one.',
  interfaces: [Node],
  findUnique: ({ id }) => ({ id }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the account is called.' }),
    email: t.exposeString('email', { description: 'Where its owner can be reached.' }),
    plan: t.expose('plan', { type: PlanType, description: 'What it has paid for.' }),
    onTrial: t.boolean({
      description: 'Whether it is trying the service out.',
      resolve: ({ plan }) => plan === 'FREE_TRIAL',
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description:
        'The IANA zone in which its days and months begin; null where none is set, and then Europe/Paris applies.',
    }),
    currency: t.expose('currency', { type: 'CurrencyCode', description: 'The currency of its totals.' }),
    subdomain: t.exposeString('subdomain', {
      nullable: true,
      description: 'The name under which its public pages are served.',
    }),
    senderName: t.exposeString('senderName', { description: 'The sender that a new e-mail starts with: the name.' }),
    senderEmail: t.exposeString('senderEmail', {
      description: 'The sender that a new e-mail starts with: the address.',
    }),
    doubleOptIn: t.exposeBoolean('doubleOptIn', {
      description:
        'Whether those who opt in on its pages are asked by e-mail to confirm it before they are written to.',
    }),
    trustTypedAddresses: t.exposeBoolean('trustTypedAddresses', {
      description: trusting,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was opened.' }),
    limits: t.field({ type: Limits, description: 'How much its plan allows.', resolve: (account) => account }),
    quota: t.field({ type: QuotaSlots, description: 'How much of that it has used.', resolve: () => ({}) }),
  }),
})

nodeSource('Account', 'account:read', accounts.byId)

builder.queryField('account', (t) =>
  t.field({
    type: AccountType,
    description: needing('account:read', 'The account of the key.'),
    resolve: allowed('account:read', (_root, _args, ctx) => ownAccount(ctx)),
  }),
)

mutation('accountUpdate', {
  needs: 'full access',
  description: 'Changes the account of the key: only what is sent. Plan and limits are not for the account to change.',
  input: (t) => ({
    name: t.string({ description: 'What the account is called.' }),
    email: t.string({ description: 'Where its owner can be reached.' }),
    timezone: t.string({ description: 'An IANA zone such as Europe/Paris; null for none.' }),
    currency: t.field({ type: 'CurrencyCode', description: 'The currency of its totals.' }),
    subdomain: t.string({
      description: 'Small letters, digits and inner hyphens, no other account has it; null for none.',
    }),
    senderName: t.string({ description: 'The sender that a new e-mail starts with: the name.' }),
    senderEmail: t.string({ description: 'The sender that a new e-mail starts with: the address.' }),
    doubleOptIn: t.boolean({
      description:
        'Whether those who opt in on its pages are asked by e-mail to confirm it before they are written to.',
    }),
    trustTypedAddresses: t.boolean({ description: trusting }),
  }),
  run: accounts.updateOwn,
  payload: (t) => ({
    account: t.field({
      type: AccountType,
      description: 'The account after the change.',
      resolve: asOfNow(accounts.byId, (result) => result.account),
    }),
  }),
})
