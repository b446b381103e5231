import type { ConsentKind, Contact } from '../../../prisma/generated/client/client.ts'

// The declaration of the fields of a contact. Types, SQL, the GraphQL API, filters, orders, imports, exports, forms, merge fields
// and the console are derived from it. Worker threads import this file, so it depends on nothing.

/** Names of a field that is stored in a column of the table `contact`. */
interface FieldNames<Key extends keyof Contact> {
  /** Name in the code and in the GraphQL API. */
  readonly key: Key
  /** Name of the column, and of the field in exports and in forms of pages. */
  readonly column: string
  /** Other names in imported files and in page documents, in lower-case letters and digits without diacritics. */
  readonly aliases: readonly string[]
  /** Description in GraphQL enums, without the period. */
  readonly description: string
}

/** A text of a contact. It is empty if it is unknown. */
interface TextField extends FieldNames<Exclude<KeysOf<string>, RegionalKey>> {
  /** Label in forms of pages that do not set one. */
  readonly label: string
  /** Maximum length in characters. At most 255 can be typed in a form. */
  readonly maxLength: number
  /** Name of the merge field, in capitals. */
  readonly mergeField: string
  /** Whether lists can be sorted by it. It then needs an index. */
  readonly isSorted: boolean
  /** Value of the HTML attribute `autocomplete`. */
  readonly autocomplete: string
  /** Value of the contact in previews of e-mails. */
  readonly example: string
}

type KeysOf<Value> = { [Key in keyof Contact]: Contact[Key] extends Value ? Key : never }[keyof Contact]

/**
 * The texts of a contact, by their name in GraphQL enums. Questions and imports store the name, in at most 32 characters.
 */
export const textFields = {
  EMAIL: {
    key: 'email',
    column: 'email',
    aliases: [
      'emailaddress',
      'mail',
      'emailadresse',
      'adresseemail',
      'courriel',
      'correoelectronico',
      'indirizzoemail',
    ],
    description: 'E-mail address',
    label: 'E-mail address',
    maxLength: 254,
    mergeField: 'EMAIL',
    isSorted: true,
    autocomplete: 'email',
    example: 'ada@example.com',
  },
  FIRST_NAME: {
    key: 'firstName',
    column: 'first_name',
    aliases: ['givenname', 'forename'],
    description: 'First name',
    label: 'First name',
    maxLength: 255,
    mergeField: 'FIRST_NAME',
    isSorted: true,
    autocomplete: 'given-name',
    example: 'Ada',
  },
  LAST_NAME: {
    key: 'lastName',
    column: 'last_name',
    aliases: ['surname', 'familyname'],
    description: 'Last name',
    label: 'Last name',
    maxLength: 255,
    mergeField: 'LAST_NAME',
    isSorted: true,
    autocomplete: 'family-name',
    example: 'Lovelace',
  },
  PHONE: {
    key: 'phone',
    column: 'phone',
    aliases: ['phonenumber', 'telephone', 'mobile', 'tel'],
    description: 'Phone number',
    label: 'Phone',
    maxLength: 64,
    mergeField: 'PHONE',
    isSorted: false,
    autocomplete: 'tel',
    example: '+44 20 7946 0000',
  },
  COMPANY_NAME: {
    key: 'companyName',
    column: 'company_name',
    aliases: ['company', 'organization', 'organisation'],
    description: 'Company name',
    label: 'Company',
    maxLength: 255,
    mergeField: 'COMPANY',
    isSorted: false,
    autocomplete: 'organization',
    example: 'Example Ltd',
  },
  CITY: {
    key: 'city',
    column: 'city',
    aliases: ['town'],
    description: 'City',
    label: 'City',
    maxLength: 255,
    mergeField: 'CITY',
    isSorted: false,
    autocomplete: 'address-level2',
    example: 'London',
  },
  COUNTRY: {
    key: 'country',
    column: 'country',
    aliases: [],
    description: 'Country',
    label: 'Country',
    maxLength: 255,
    mergeField: 'COUNTRY',
    isSorted: false,
    autocomplete: 'country-name',
    example: 'United Kingdom',
  },
} as const satisfies Readonly<Record<string, TextField>>

/** A consent that is a field of a contact. Those to topics are rows. */
export type FieldConsent = Exclude<ConsentKind, 'TOPIC'>

/** The consents of a contact. Changes are recorded in `contact_consent`. */
export const consentFields = {
  EMAIL_MARKETING: {
    key: 'emailMarketing',
    column: 'email_marketing',
    aliases: ['optin'],
    description: 'Consent to marketing e-mail',
  },
  GDPR: { key: 'gdpr', column: 'gdpr', aliases: [], description: 'Consent to the processing of personal data' },
} as const satisfies Readonly<Record<FieldConsent, FieldNames<KeysOf<boolean>>>>

/**
 * The time zone and the language of a contact: empty if it is unknown. A column of its own says how it is known
 * (`regional.ts`).
 */
export const regionalFields = {
  TIME_ZONE: {
    key: 'timeZone',
    sourceKey: 'timeZoneSource',
    column: 'time_zone',
    aliases: ['tz'],
    description: 'Time zone',
    maxLength: 64,
  },
  LOCALE: {
    key: 'locale',
    sourceKey: 'localeSource',
    column: 'locale',
    aliases: ['language', 'lang'],
    description: 'Language and region',
    maxLength: 64,
  },
} as const satisfies Readonly<
  Record<string, FieldNames<KeysOf<string>> & { sourceKey: keyof Contact; maxLength: number }>
>

const { EMAIL: _email, ...otherTextFields } = textFields

/** The texts that contacts can have in common, so all but the e-mail address. */
export const detailTexts = Object.values(otherTextFields)

export type TextName = keyof typeof textFields
type SortedName = { [Name in TextName]: (typeof textFields)[Name]['isSorted'] extends true ? Name : never }[TextName]
export type TextKey = (typeof textFields)[TextName]['key']
export type DetailTextKey = (typeof detailTexts)[number]['key']
export type RegionalKey = (typeof regionalFields)[keyof typeof regionalFields]['key']
export type ConsentKey = (typeof consentFields)[FieldConsent]['key']

/** Builds an object with a value for each text. */
export function mapTexts<Value>(toValue: (field: TextField) => Value): { [Key in TextKey]: Value } {
  return Object.fromEntries(Object.values(textFields).map((field) => [field.key, toValue(field)])) as never
}

/** Builds an object with a value for each text that lists can be sorted by. */
export function mapSortedTexts<Value>(toValue: (field: TextField) => Value): { [Name in SortedName]: Value } {
  const sorted = Object.entries<TextField>(textFields).filter(([, { isSorted }]) => isSorted)
  return Object.fromEntries(sorted.map(([name, field]) => [name, toValue(field)])) as never
}

/**
 * Finds the field that a column of a file or a field of a page document names: by its column or an alias, in any case and
 * with any separators.
 */
export function findByName<Name extends string>(
  fields: Readonly<Record<Name, Pick<TextField, 'column' | 'aliases'>>>,
  text: string,
): Name | undefined {
  // Other scripts count: “Email 状态” is not the e-mail address.
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return (Object.keys(fields) as Name[]).find((each) => {
    const { column, aliases } = fields[each]
    return column.replaceAll('_', '') === name || aliases.includes(name)
  })
}

/** Returns the names that a text can have in a posted form. */
export function postedNames({ column }: Pick<TextField, 'column'>): string[] {
  return [column, column.replaceAll('_', '')]
}
