import type { SenderDomain } from '../../../prisma/generated/client/client.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { deletedNode, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import * as senderDomains from './sender-domains.ts'

const SenderDomainStatus = builder.enumType('SenderDomainStatus', {
  description: 'Whether an account may send from a domain when the server requires verification.',
  values: {
    PENDING: {
      description: 'No DNS record was found yet, or the records have been absent for 7 days. Nothing is sent.',
    },
    VERIFIED: { description: 'The account has proven that it controls the domain.' },
  },
})

const DnsRecord = builder.objectRef<senderDomains.ProofRecord>('DnsRecord').implement({
  description: 'A TXT record of the DNS that proves control of a domain.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Full DNS name of the TXT record.' }),
    value: t.exposeString('value', { description: 'Text of the TXT record.' }),
    isFound: t.exposeBoolean('isFound', { description: 'Whether the last check found the record with this value.' }),
  }),
})

export const SenderDomainType = builder.objectRef<SenderDomain>('SenderDomain').implement({
  description:
    'A domain that the account sends e-mail from. It covers its subdomains. Campaigns from an unverified domain end in ERROR with SENDER_REJECTED if the server requires verification.',
  interfaces: [Node],
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'Domain name in lower case, such as `example.com`.' }),
    status: t.field({
      type: SenderDomainStatus,
      description: 'Whether the domain may be used.',
      resolve: ({ verifiedAt }) => (verifiedAt ? 'VERIFIED' : 'PENDING'),
    }),
    records: t.field({
      type: [DnsRecord],
      description:
        'DNS records that prove control of the domain: the verification record, and the DKIM record if the account has a DKIM key for this domain. One of them is enough.',
      complexity: listCost('dnsRecords'),
      resolve: (domain, _args, ctx) => senderDomains.listProofRecords(ctx, domain),
    }),
    problem: t.exposeString('problem', { description: 'What the last check found missing. Empty if nothing was.' }),
    verifiedAt: t.exposeTime('verifiedAt', {
      nullable: true,
      description: 'Time of the first successful check. Null while the domain is not verified.',
    }),
    checkedAt: t.exposeTime('checkedAt', {
      nullable: true,
      description: 'Time of the last check. Null before the first one. Verified domains are checked once a day.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the domain was added.' }),
  }),
})

nodeSource(SenderDomainType, 'mail:read', senderDomains.byId)

builder.queryField('senderDomains', (t) =>
  t.field({
    type: [SenderDomainType],
    description: `Returns the domains that the account sends from, by name. Maximum ${senderDomains.maxSenderDomains}.`,
    complexity: listCost('senderDomains'),
    resolve: (_root, _args, ctx) => senderDomains.list(ctx),
  }),
)

const payload = (t: Payload<{ senderDomain: SenderDomain }>) => ({
  senderDomain: t.expose('senderDomain', {
    type: SenderDomainType,
    description: 'The domain, with the DNS records to publish.',
  }),
})

mutation('senderDomainAdd', {
  needs: 'mail:write',
  description:
    'Adds a domain that the account wants to send from, and returns the DNS record that verifies it. Adding a domain again changes nothing.',
  input: (t) => ({
    domain: t.string({ required: true, description: 'Domain name of the sender address, such as `example.com`.' }),
  }),
  run: senderDomains.add,
  payload,
})

mutation('senderDomainVerify', {
  needs: 'mail:write',
  description:
    'Looks up the DNS records of a domain now. The answer takes up to 5 seconds. Unverified domains are also checked every hour during the first week.',
  input: (t) => ({ domain: t.string({ required: true, description: 'Name of a domain that was added.' }) }),
  run: senderDomains.verify,
  outside: 'preparation',
  payload,
})

mutation('senderDomainRemove', {
  needs: 'mail:write',
  description: 'Removes a domain. If the server requires verification, nothing is sent from it any more.',
  input: (t) => ({ domain: t.string({ required: true, description: 'Name of a domain that was added.' }) }),
  run: senderDomains.remove,
  payload: (t) => ({
    ...deletedNode(t, SenderDomainType),
    domain: t.exposeString('domain', { description: 'The domain that was removed.' }),
  }),
})
