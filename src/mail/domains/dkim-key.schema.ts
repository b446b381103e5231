import { builder } from '../../graphql/builder.ts'
import { mutation, needing } from '../../graphql/mutation.ts'
import { allowed } from '../../graphql/query.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { listCost } from '../../graphql/sizes.ts'
import { dkimKeys } from '../index.ts'

const DkimKeyType = builder.objectRef<dkimKeys.ShownDkimKey>('DkimKey').implement({
  description: 'What signs the messages from a domain (DKIM). Its private half is shown to nobody.',
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'The domain it signs for, and the domains below it.' }),
    selector: t.exposeString('selector', { description: 'What tells it from other keys of the domain.' }),
    dnsName: t.string({
      description: 'The name in the DNS under which receivers look for its public half.',
      resolve: (key) => dkimKeys.recordOf(key).name,
    }),
    dnsValue: t.string({
      description: 'What the TXT record of that name must say.',
      resolve: (key) => dkimKeys.recordOf(key).value,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was set.' }),
  }),
})

readableWith('DkimKey', 'mail:read')

builder.queryField('dkimKeys', (t) =>
  t.field({
    type: [DkimKeyType],
    description: needing(
      'mail:read',
      `What signs the account's messages, by domain: ${dkimKeys.mostDkimKeys} at most.`,
    ),
    complexity: listCost('dkimKeys'),
    resolve: allowed('mail:read', (_root, _args, ctx) => dkimKeys.list(ctx)),
  }),
)

mutation('dkimKeySet', {
  needs: 'mail:write',
  description:
    'Sets what signs the messages from a domain; a key that it had before is forgotten, so publish the new one first and set it with a selector of its own.',
  input: (t) => ({
    domain: t.string({ required: true, description: 'The domain of the sender, such as `example.com`.' }),
    selector: t.string({ required: true, description: 'A name for the key, such as `mail2026`.' }),
    privateKey: t.string({
      description: 'An RSA key of 1,024 to 4,096 bits in PEM form; one of 2,048 bits is made where absent.',
    }),
  }),
  run: dkimKeys.set,
  payload: (t) => ({
    dkimKey: t.field({
      type: DkimKeyType,
      description: 'The key, and what to write into the DNS for it.',
      resolve: ({ dkimKey }) => dkimKey,
    }),
  }),
})

mutation('dkimKeyRemove', {
  needs: 'mail:write',
  description: "Forgets a domain's key: messages from it are no longer signed. Where there is none it is NOT_FOUND.",
  input: (t) => ({ domain: t.string({ required: true, description: 'The domain.' }) }),
  run: dkimKeys.remove,
  payload: (t) => ({ domain: t.exposeString('domain', { description: 'The domain that had it.' }) }),
})
