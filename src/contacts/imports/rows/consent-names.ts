// cspell:disable -- the names are of many languages and systems
import type { ConsentMeaning } from './consent-words.ts'

/** How the cells of a column about consent are read, with the names in the GraphQL API. */
export const consentReadings = ['CONSENT', 'INVERTED', 'REFUSAL', 'BOUNCE', 'STATUS'] as const

export type ConsentReading = (typeof consentReadings)[number]

/** How a column is read, and what some of its cells mean, by their words in lower case. */
export interface KnownConsent {
  readonly reading: ConsentReading
  readonly values?: Readonly<Record<string, ConsentMeaning>>
}

/** Returns a name in lower-case letters and digits of any script, without diacritics. */
export function plainName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .normalize('NFC')
    .replaceAll('ł', 'l')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

const namesByReading: Readonly<Record<Exclude<ConsentReading, 'INVERTED' | 'STATUS'>, readonly string[]>> = {
  CONSENT: [
    // Shopify
    ...['acceptsemailmarketing', 'acceptsmarketing', 'emailmarketingconsentstate', 'emailmarketingstate'],
    ...['akzeptiertemailmarketing', 'accepteemailmarketing', 'accepteslemarketingparemail', 'aceptaemailmarketing'],
    // HubSpot
    ...['marketingcontactstatus', 'marketingemailconfirmationstatus', 'marketingemailconfirmation'],
    // Klaviyo
    ...['emailmarketingconsent', 'emailconsent', 'emailmarketingstatus', 'emailmarketingsubscription'],
    // listmonk, Kit, ActiveCampaign, Brevo, Mailchimp
    ...['subscriptionstatus', 'emailsubscriptionstatus', 'subscriberstatus', 'emailstatus', 'emailmarketingsubscribed'],
    ...['optinstatus', 'doubleoptinstatus', 'marketingstatus'],
  ],
  REFUSAL: [
    // Mailchimp
    ...['unsubtime', 'unsubcampaigntitle', 'unsubcampaignid', 'unsubreason', 'unsubreasonother'],
    // HubSpot
    ...['unsubscribedfromallemail', 'unsubscribedfromallemails', 'hsemailoptout', 'vonallenemailsabgemeldet'],
    ...['vonallenemailnachrichtenabgemeldet', 'desabonnedetouslesemails', 'desinscritdetouslesemails'],
    ...['desabonnedetouteslesadressesemail', 'suscripcioncanceladaatodosloscorreoselectronicos'],
    ...['suscripcioncanceladaatodosloscorreos', 'canceladalasuscripcionatodosloscorreoselectronicos'],
    ...['canceladalasuscripciondetodosloscorreoselectronicos', 'suscripcioncanceladadetodosloscorreos'],
    // Salesforce
    ...['hasoptedoutofemail', 'emailoptout', 'optedoutofemail', 'pieceemailoptout', 'hasoptedoutsolicit'],
    // Brevo
    ...['emailblacklisted', 'emailblocklisted', 'blacklisted', 'blocklisted', 'emailunsubscribed'],
    ...['aufderblockliste', 'surlistenoire', 'enlistanegra'],
    // ActiveCampaign, systeme.io, Klaviyo
    ...['unsubscribed', 'unsubscribedat', 'dateunsubscribed', 'unsubscribedate', 'unsubscribeddate'],
    ...['unsubscribetime', 'unsubscribereason'],
  ],
  BOUNCE: [
    ...['cleantime', 'cleancampaigntitle', 'cleancampaignid'],
    ...['emailhardbouncereason', 'emailhardbouncereasonenum', 'hsemailhardbouncereason', 'invalidemailaddress'],
    ...['hsemailhardbouncereasonenum', 'emailaddressquarantined', 'grundfurharteemailbounces'],
    ...['isemailbounced', 'emailbouncedreason', 'emailbounceddate', 'emailbounced'],
    ...['emailsuppressions', 'emailsuppression', 'suppressionreason', 'suppressions'],
    ...['bounced', 'hardbounced', 'hardbounce', 'hardbounces', 'bouncedat', 'datebounced'],
  ],
}

/** Columns of the same systems that are about other channels, or say when and how and not whether. They are not read. */
const unread = new Set([
  ...['optintime', 'optinip', 'confirmtime', 'confirmip', 'optindate', 'optinsource', 'lastchanged', 'datesubscribed'],
  ...['emailmarketingconsenttimestamp', 'emailconsenttimestamp', 'emailmarketingconsentmethod', 'emailconsentmethod'],
  ...['emailsuppressiontimestamp', 'emailsuppressionstimestamp', 'subscribedat', 'subscribeddate', 'subscriptiondate'],
  ...['acceptssmsmarketing', 'acceptswhatsappmarketing', 'smsmarketingconsent', 'smsconsent', 'smsblacklisted'],
  ...['smsmarketingconsenttimestamp', 'smsconsenttimestamp', 'smsmarketingstatus', 'smsblocklisted', 'smssuppressions'],
  ...['smsmarketingconsentstate', 'smstransactionalconsent', 'smsoptin', 'smsoptout', 'optinsms', 'optoutsms'],
  ...['smstransactionalconsenttimestamp', 'mobilepushconsent', 'mobilepushconsenttimestamp', 'whatsappblacklisted'],
  ...['whatsappblocklisted', 'whatsappmarketingconsent', 'whatsappconsent', 'softbounces', 'softbounced'],
  ...['hasoptedoutoffax', 'faxoptout', 'donotcall', 'phoneoptout', 'smsunsubscribed', 'subscribedtosms'],
])

/** DOUBLE_OPT-IN of Brevo: its choices have the numbers 1 and 2. Without it, the address is not confirmed. */
const doubleOptIn: KnownConsent = {
  reading: 'CONSENT',
  values: { 2: 'PENDING', 0: 'PENDING', no: 'PENDING', false: 'PENDING', nein: 'PENDING', non: 'PENDING' },
}

const known = new Map<string, KnownConsent | 'UNREAD'>([
  ...Object.entries(namesByReading).flatMap(([reading, names]) =>
    names.map((name) => [name, { reading: reading as ConsentReading }] as const),
  ),
  ...[...unread].map((name) => [name, 'UNREAD'] as const),
  ['doubleoptin', doubleOptIn],
])

/** HubSpot has one column for each kind of subscription. */
const prefixes = ['optedoutofemail', 'vonemailabgemeldet']

/** Names of columns that can contain states of subscriptions, or of something else. */
const stateNames = new Set([
  ...['status', 'state', 'etat', 'statut', 'estado', 'stato', 'stan', 'subscriberstate', 'subscriptionstate'],
  ...['contactstatus', 'kontaktstatus', 'memberstatus', 'listmemberstatus', 'liststatus', 'emailstate'],
])

/** Returns how a column of this name is read. UNREAD if other systems use it for what is not a consent to marketing e-mail. */
export function findConsent(name: string): KnownConsent | 'UNREAD' | undefined {
  const plain = plainName(name)
  return known.get(plain) ?? (prefixes.some((prefix) => plain.startsWith(prefix)) ? { reading: 'REFUSAL' } : undefined)
}

/** Returns whether a column of this name can contain states of subscriptions. Its cells show whether it does. */
export const isStateName = (name: string) => stateNames.has(plainName(name))

/** Parts of names of columns about refusals, in the languages of the product. */
const refusals = new RegExp(
  [
    ...['unsub', 'opt(ed)?out', 'withdrawn', 'blacklist', 'blocklist', 'donot(e?mail|contact|send|market)', 'noe?mail'],
    ...['abgemeldet', 'abmeld', 'abbestell', 'widerspr', 'widerruf', 'keinewerb', 'keinee?mail'],
    ...['desabo', 'desinscr', 'listenoire', 'refus', 'opposition', 'dad[oa]debaja', 'fecha(de)?baja', 'listanegra'],
    ...['disiscr', 'uitschr', 'uitgeschr', 'afmeld', 'afgemeld', 'wypis', 'rezygn', 'descadastr'],
  ].join('|'),
)

/** Parts of names of columns about consent, in the languages of the product. */
const consents = new RegExp(
  [
    ...['opt(ed)?in(?!g|ion)', 'subscribe', 'consent', 'permission', 'gdpr', 'suppress', 'complain', 'legalbasis'],
    ...['marketing', 'newsletter', 'mailing(?!street|city|state|zip|postal|country|address|province|lat|long|geo)'],
    ...[
      'einwillig',
      'zustimm',
      '(?<!be)werbung',
      'werbee',
      'einverst',
      'erlaub',
      'dsgvo',
      'datenschutz',
      'rechtsgrundlage',
    ],
    ...[
      'abonne(?!men)',
      'abonniert',
      'inscrit',
      'infolettre',
      'rgpd',
      'autorisation',
      'baselegale',
      'suscrit',
      'boletin',
    ],
    ...['autorizacion', 'baselegal', 'iscritt', 'consens', 'permesso', 'basegiuridica', 'nieuwsbrief', 'toestemm'],
    ...['zgod[aey]', 'biuletyn', 'boletim', 'subscrito', 'autorizacao'],
  ].join('|'),
)

/** The same in other languages, whose words are rarely part of others. */
const otherConsents =
  /согласи|рассылк|отписа|подписа|згод|розсилк|συγκατ|ενημερωτικ|同意|订阅|訂閱|退订|退訂|購読|配信|メルマカ|동의|수신|구독|مواف|اشتراك|samtyck|samtykke|nyhetsbrev|nyhedsbrev|suostumus|uutiskirje|souhlas|hozzajarul|hirlevel/

/** Short words that are only about consent if they stand alone. */
const alone = new Set(['avg', 'lopd', 'bounce', 'bounces', 'spam', 'baja'])

/** Returns whether a name says that contacts do not want e-mail. */
export const isRefusalName = (name: string) => refusals.test(plainName(name))

/** Returns whether a name is about consent to marketing e-mail, as far as can be told. */
export function isConsentName(name: string): boolean {
  const plain = plainName(name)
  return alone.has(plain) || refusals.test(plain) || consents.test(plain) || otherConsents.test(plain)
}
