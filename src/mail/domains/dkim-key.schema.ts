import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import * as dkimKeys from './dkim-keys.ts'

export const DkimKeyType = builder.objectRef<dkimKeys.PublicDkimKey>('DkimKey').implement({
  description: 'A DKIM key that signs messages from a domain. The private key is never returned.',
  interfaces: [Node],
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'Domain whose messages are signed. Includes its subdomains.' }),
    selector: t.exposeString('selector', { description: 'DKIM selector of the key.' }),
    dnsName: t.string({
      description: 'Full DNS name of the TXT record with the public key.',
      resolve: (key) => dkimKeys.dnsRecordOf(key).name,
    }),
    dnsValue: t.string({
      description: 'Text of that TXT record. Publish it so that receivers can verify signatures.',
      resolve: (key) => dkimKeys.dnsRecordOf(key).value,
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the key was set.' }),
  }),
})

nodeSource(DkimKeyType, 'mail:read', dkimKeys.byId)

builder.queryField('dkimKeys', (t) =>
  t.field({
    type: [DkimKeyType],
    description: `Returns the DKIM keys of the account, by domain. Maximum ${dkimKeys.maxDkimKeys}.`,
    complexity: listCost('dkimKeys'),
    resolve: (_root, _args, ctx) => dkimKeys.list(ctx),
  }),
)

mutation('dkimKeySet', {
  needs: 'mail:write',
  description:
    'Sets the DKIM key of a domain and replaces the previous one. To change keys without unsigned mail, use a new selector and publish its DNS record first.',
  input: (t) => ({
    domain: t.string({ required: true, description: 'Domain of the sender address, such as `example.com`.' }),
    selector: t.string({
      required: true,
      description: 'DKIM selector, such as `mail2026`. Lower-case letters, digits and inner hyphens.',
    }),
    privateKey: t.string({
      description:
        'RSA private key of 1,024 to 4,096 bits in PEM form, without a password. Defaults to a new key of 2,048 bits.',
    }),
  }),
  run: dkimKeys.set,
  payload: (t) => ({
    dkimKey: t.expose('dkimKey', { type: DkimKeyType, description: 'The key, with the DNS record to publish.' }),
  }),
})

mutation('dkimKeyRemove', {
  needs: 'mail:write',
  description:
    'Deletes the DKIM key of a domain. Messages from it are no longer signed. Returns NOT_FOUND if there is none.',
  input: (t) => ({ domain: t.string({ required: true, description: 'Domain of the key.' }) }),
  run: dkimKeys.remove,
  payload: (t) => ({
    ...deletedNode(t, DkimKeyType),
    domain: t.exposeString('domain', { description: 'Domain whose key was deleted.' }),
  }),
})
