import { builder } from '../../graphql/schema/builder.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import * as accounts from './accounts.ts'
import { own as ownAccount } from './accounts.ts'
import type { Quota } from './quotas.ts'
import * as quotas from './quotas.ts'
import { ruleInput, ruleTypes } from './sending-rules.schema.ts'
import { rulesOf } from './sending-rules.ts'

const trustTypedAddresses =
  "Whether a visitor who types an e-mail address is treated as its owner. If true, the account's pages show the visitor the stored data of that contact, and typed values replace it. If false, data of existing contacts stays hidden until the address is confirmed. Defaults to false. Has no effect while `doubleOptIn` is true."

const softBounceLimit =
  'Number of soft bounces of an address in a row, without a delivery in between, after which it is suppressed: from 0 to 100. 0 never suppresses. Defaults to 5.'
const softBounceDays =
  'Minimum number of days between the first and the last of these soft bounces, from 0 to 365. Defaults to 14.'
const doubleOptIn =
  'Whether an opt-in on a page of the account counts only after the contact confirms it by e-mail. Until then the contact receives no marketing e-mail. Defaults to false.'
const oneClickConfirmation =
  'Whether the page of the link in a confirmation e-mail confirms by itself as soon as a person sees it. If false, the person also clicks a button there. The button always appears in the first three minutes after the e-mail was sent, because programs follow its links then, and without scripts. Defaults to true.'
const confirmationReminder =
  'Whether an opt-in that was not confirmed within a day is requested once more, with the same message. Defaults to true.'

const refusedDomains =
  'E-mail domains, such as `example.com`, of which pages and forms of the account accept no addresses. Subdomains are refused as well.'

const PlanType = builder.enumType('Plan', {
  description: 'Subscription plan of an account.',
  values: {
    FREE_TRIAL: { description: 'Free trial. API keys are not available.' },
    STARTER: { description: 'Smallest paid plan.' },
    PRO: { description: 'Larger paid plan.' },
    UNLIMITED: { description: 'Paid plan without default limits.' },
  },
})

const Limits = builder.objectRef<accounts.Limits>('AccountLimits').implement({
  description: 'Limits of an account. Null means unlimited.',
  fields: (t) => ({
    contacts: t.int({
      nullable: true,
      description: 'Maximum number of contacts.',
      resolve: (account) => account.limitContacts,
    }),
    campaigns: t.int({
      nullable: true,
      description: 'Maximum number of campaigns.',
      resolve: (account) => account.limitCampaigns,
    }),
    emails: t.int({
      nullable: true,
      description: 'Maximum number of messages per calendar month.',
      resolve: (account) => account.limitEmails,
    }),
    funnels: t.int({
      nullable: true,
      description: 'Maximum number of funnels.',
      resolve: (account) => account.limitFunnels,
    }),
    monthlyRecipients: t.int({
      nullable: true,
      description: 'Maximum number of different recipients per calendar month.',
      resolve: (account) => account.limitMonthlyRecipients,
    }),
    mediaKilobytes: t.int({
      nullable: true,
      description: 'Maximum size of all media files and their variants, in kilobytes of 1,024 bytes.',
      resolve: (account) => account.limitMediaKilobytes,
    }),
  }),
})

const QuotaType = builder.objectRef<Quota>('Quota').implement({
  description: 'Limit and usage of a resource.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { nullable: true, description: 'Maximum number. Null means unlimited.' }),
    used: t.exposeInt('used', { description: 'Number in use.' }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description: '`limit` minus `used`, at least 0. Null if there is no limit.',
    }),
  }),
})

const MonthlyQuota = builder.objectRef<Quota>('MonthlyQuota').implement({
  description: 'Limit and usage of a resource in the current calendar month.',
  fields: (t) => ({
    limit: t.exposeInt('limit', {
      nullable: true,
      description: 'Maximum number per month. Null means unlimited.',
    }),
    used: t.exposeInt('used', { description: 'Number used in the current month.' }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description: '`limit` minus `used`, at least 0. Null if there is no limit.',
    }),
    resetsAt: t.field({
      type: 'DateTime',
      description: "Start of the next calendar month in the account's time zone, when `used` returns to 0.",
      resolve: (_quota, _args, ctx) => quotas.resetsAt(ctx),
    }),
  }),
})

const QuotaSlots = builder.objectRef<object>('QuotaSlots').implement({
  description: 'Limit and usage of each metered resource of an account.',
  fields: (t) => ({
    monthlyRecipients: t.field({
      type: MonthlyQuota,
      description: 'Different recipients in the current calendar month.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'monthly_recipients'),
    }),
    contacts: t.field({
      type: QuotaType,
      description: 'Contacts of the account.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'contacts'),
    }),
    campaigns: t.field({
      type: QuotaType,
      description: 'Campaigns of the account.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'campaigns'),
    }),
    funnels: t.field({
      type: QuotaType,
      description: 'Funnels of the account.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'funnels'),
    }),
    mediaKilobytes: t.field({
      type: QuotaType,
      description: 'Size of all media files and their variants, in kilobytes of 1,024 bytes.',
      resolve: (_slots, _args, ctx) => quotas.quotaOf(ctx, 'media'),
    }),
  }),
})

export const AccountType = builder.prismaObject('Account', {
  description: 'A customer of the service. Every other object belongs to one account.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the account. Confirmation e-mails show it to contacts.' }),
    email: t.exposeString('email', { description: 'E-mail address of the account owner.' }),
    plan: t.expose('plan', {
      type: PlanType,
      description: 'Subscription plan of the account. Only operators can change it.',
    }),
    onTrial: t.boolean({
      description: 'Whether the plan is `FREE_TRIAL`.',
      resolve: ({ plan }) => plan === 'FREE_TRIAL',
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description:
        'IANA time zone in which days and months begin, for example `Europe/Paris`. Null if none is set; `Europe/Paris` then applies.',
    }),
    currency: t.expose('currency', { type: 'CurrencyCode', description: 'Default currency of amounts and totals.' }),
    subdomain: t.exposeString('subdomain', {
      nullable: true,
      description: 'Subdomain of the public pages. Null if none is set; the account then has no public pages.',
    }),
    senderName: t.exposeString('senderName', { description: 'Default sender name of new e-mails. May be empty.' }),
    senderEmail: t.exposeString('senderEmail', {
      description: 'Default sender address of new e-mails. May be empty.',
    }),
    doubleOptIn: t.exposeBoolean('doubleOptIn', { description: doubleOptIn }),
    oneClickConfirmation: t.exposeBoolean('oneClickConfirmation', { description: oneClickConfirmation }),
    confirmationReminder: t.exposeBoolean('confirmationReminder', { description: confirmationReminder }),
    softBounceLimit: t.exposeInt('softBounceLimit', { description: softBounceLimit }),
    softBounceDays: t.exposeInt('softBounceDays', { description: softBounceDays }),
    trustTypedAddresses: t.exposeBoolean('trustTypedAddresses', { description: trustTypedAddresses }),
    refusedDomains: t.exposeStringList('refusedDomains', {
      description: `${refusedDomains} By name, at most ${accounts.maxRefusedDomains.toLocaleString('en')}.`,
    }),
    frequencyCap: t.field({
      ...ruleTypes.frequencyCap,
      nullable: true,
      resolve: (account) => rulesOf(account).frequencyCap,
    }),
    quietHours: t.field({
      ...ruleTypes.quietHours,
      nullable: true,
      resolve: (account) => rulesOf(account).quietHours,
    }),
    daysOff: t.field({ ...ruleTypes.daysOff, resolve: (account) => rulesOf(account).daysOff as never }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change of the settings, the plan or the limits.',
    }),
    limits: t.field({ type: Limits, description: 'Limits of the account.', resolve: (account) => account }),
    quota: t.field({ type: QuotaSlots, description: 'Usage of the metered resources.', resolve: () => ({}) }),
  }),
})

nodeSource(AccountType, 'account:read', accounts.byId)

builder.queryField('account', (t) =>
  t.field({
    type: AccountType,
    description: 'Returns the account of the API key.',
    resolve: (_root, _args, ctx) => ownAccount(ctx),
  }),
)

mutation('accountUpdate', {
  needs: 'full access',
  description:
    'Updates the account of the API key. Fields that are not sent stay unchanged. `plan` and `limits` cannot be changed here. Throws VALIDATION_ERROR if `subdomain` is reserved or used by another account.',
  input: (t) => ({
    name: t.string({ description: 'Name of the account. Maximum 255 characters.' }),
    email: t.string({ description: 'E-mail address of the account owner.' }),
    timezone: t.string({ description: 'IANA time zone, for example `Europe/Paris`. Null removes it.' }),
    currency: t.field({
      type: 'CurrencyCode',
      description: 'Default currency of amounts and totals: an ISO 4217 code.',
    }),
    subdomain: t.string({
      description:
        'Subdomain of the public pages, unique among all accounts: lowercase letters, digits and inner hyphens. Maximum 63 characters. Null removes it.',
    }),
    senderName: t.string({ description: 'Default sender name of new e-mails. Maximum 255 characters.' }),
    senderEmail: t.string({ description: 'Default sender address of new e-mails. An empty string removes it.' }),
    doubleOptIn: t.boolean({ description: doubleOptIn }),
    oneClickConfirmation: t.boolean({ description: oneClickConfirmation }),
    confirmationReminder: t.boolean({ description: confirmationReminder }),
    softBounceLimit: t.int({ description: softBounceLimit }),
    softBounceDays: t.int({ description: softBounceDays }),
    trustTypedAddresses: t.boolean({ description: trustTypedAddresses }),
    refusedDomains: t.stringList({
      description: `${refusedDomains} They replace all others. Maximum ${accounts.maxRefusedDomains.toLocaleString('en')}. Contacts that exist are not affected, nor are the API and imports.`,
    }),
    ...ruleInput(t),
  }),
  run: accounts.updateOwn,
  lock: accounts.lockOwn,
  payload: (t) => ({
    account: t.expose('account', { type: AccountType, description: 'The updated account.' }),
  }),
})
