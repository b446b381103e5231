// cspell:disable -- the names and words are of many languages and systems

/** What an import with `emailMarketing: true` makes of a file: the local parts of addresses. */
export interface ConsentFile {
  readonly csv: string
  /** Contacts with consent. All others of the file have none. */
  readonly agreed: readonly string[]
  readonly bounced?: readonly string[]
  readonly complained?: readonly string[]
  /** Names of columns that are warned about. */
  readonly doubtful?: readonly string[]
}

/** Files as other systems export them, with the people who agreed. Names are examples. */
export const consentFiles: Readonly<Record<string, ConsentFile>> = {
  'Mailchimp, subscribed members': {
    csv: `Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS
ann@example.com,Ann,A,2,2024-01-02 10:00:00,192.0.2.1,2024-01-02 10:05:00,192.0.2.1,,,,,,,,2024-01-02 10:05:00,1,a1,,"""vip"""
ben@example.com,Ben,B,2,,,2024-01-02 10:05:00,192.0.2.1,,,,,,,,2024-01-02 10:05:00,2,a2,,`,
    agreed: ['ann', 'ben'],
  },
  'Mailchimp, all three files in one': {
    csv: `Email Address,First Name,OPTIN_TIME,CONFIRM_TIME,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID
ann@example.com,Ann,2024-01-02 10:00:00,2024-01-02 10:05:00,,,,,,,,,1
ben@example.com,Ben,2024-01-02 10:00:00,2024-01-02 10:05:00,2024-03-01 08:00:00,Spring,c1,NORMAL,,,,,2
cleo@example.com,Cleo,2024-01-02 10:00:00,2024-01-02 10:05:00,,,,,,2024-03-01 08:00:00,Spring,c1,3`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'Mailchimp, status words of its API': {
    csv: `email_address,full_name,status
ann@example.com,Ann,subscribed
ben@example.com,Ben,unsubscribed
cleo@example.com,Cleo,cleaned
dan@example.com,Dan,pending
eve@example.com,Eve,transactional
finn@example.com,Finn,archived`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'Shopify, customers': {
    csv: `Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Phone,Accepts SMS Marketing,Total Spent,Tags
'1001,Ann,A,ann@example.com,yes,'+49421555010,no,120.50,"regular, vip"
'1002,Ben,B,ben@example.com,no,,no,0.00,
'1003,Cleo,C,cleo@example.com,no,'+49421555011,yes,0.00,`,
    agreed: ['ann'],
  },
  'Shopify, an older file, and consent to SMS only': {
    csv: `Email,Accepts Marketing,Accepts SMS Marketing
ann@example.com,YES,
ben@example.com,NO,yes`,
    agreed: ['ann'],
  },
  HubSpot: {
    csv: `Record ID,First Name,Email,Unsubscribed from all email,Opted out of email: Marketing Information,Email hard bounce reason,Marketing contact status
1,Ann,ann@example.com,,,,Marketing contact
2,Ben,ben@example.com,true,,,Marketing contact
3,Cleo,cleo@example.com,false,true,,Marketing contact
4,Dan,dan@example.com,false,,UNKNOWN_USER,Marketing contact
5,Eve,eve@example.com,false,false,,Non-marketing contact`,
    agreed: ['ann'],
    bounced: ['dan'],
  },
  'HubSpot, confirmation': {
    csv: `Email,Unsubscribed from all email,Marketing email confirmation status
ann@example.com,No,Confirmed
ben@example.com,No,Double opt-in pending`,
    agreed: ['ann'],
  },
  'HubSpot, in German': {
    csv: `Datensatz-ID;Vorname;E-Mail;Von allen E-Mails abgemeldet
1;Ann;ann@example.com;Nein
2;Ben;ben@example.com;Ja`,
    agreed: ['ann'],
  },
  'HubSpot, in French': {
    csv: `Prénom,E-mail,Désabonné de tous les e-mails
Ann,ann@example.com,Non
Ben,ben@example.com,Oui`,
    agreed: ['ann'],
  },
  'HubSpot, in Spanish': {
    csv: `Nombre,Correo electrónico,Suscripción cancelada a todos los correos electrónicos
Ann,ann@example.com,No
Ben,ben@example.com,Sí`,
    agreed: ['ann'],
  },
  'Salesforce, fields of its API': {
    csv: `Id,FirstName,LastName,Email,HasOptedOutOfEmail,HasOptedOutOfFax,DoNotCall,IsEmailBounced,EmailBouncedReason,EmailBouncedDate
003A,Ann,A,ann@example.com,false,true,true,false,,
003B,Ben,B,ben@example.com,true,false,false,false,,
003C,Cleo,C,cleo@example.com,false,false,false,true,550 user unknown,2024-02-01T00:00:00Z`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'Salesforce, a report': {
    csv: `First Name,Last Name,Email,Email Opt Out,Fax Opt Out,Do Not Call
Ann,A,ann@example.com,0,1,1
Ben,B,ben@example.com,1,0,0`,
    agreed: ['ann'],
  },
  'Klaviyo, profiles': {
    csv: `Email,First Name,Email Marketing Consent,Email Marketing Consent Timestamp,Email Suppressions,SMS Marketing Consent
ann@example.com,Ann,SUBSCRIBED,2024-01-02 10:00:00,[],UNSUBSCRIBED
ben@example.com,Ben,UNSUBSCRIBED,2024-01-02 10:00:00,"[""UNSUBSCRIBE""]",SUBSCRIBED
cleo@example.com,Cleo,NEVER_SUBSCRIBED,,[],SUBSCRIBED
dan@example.com,Dan,SUBSCRIBED,2024-01-02 10:00:00,"[""HARD_BOUNCE""]",
eve@example.com,Eve,SUBSCRIBED,2024-01-02 10:00:00,"[""SPAM_COMPLAINT""]",
finn@example.com,Finn,SUBSCRIBED,2024-01-02 10:00:00,"[""USER_SUPPRESSED""]",`,
    agreed: ['ann'],
    bounced: ['dan'],
    complained: ['eve'],
  },
  Kit: {
    csv: `first_name,email,status,created_at,tags
Ann,ann@example.com,active,2024-01-02,
Ben,ben@example.com,cancelled,2024-01-02,
Cleo,cleo@example.com,bounced,2024-01-02,
Dan,dan@example.com,complained,2024-01-02,
Eve,eve@example.com,inactive,2024-01-02,`,
    agreed: ['ann'],
    bounced: ['cleo'],
    complained: ['dan'],
  },
  'Kit, states as its pages name them': {
    csv: `Name,Email,State
Ann,ann@example.com,Confirmed
Ben,ben@example.com,Cancelled
Eve,eve@example.com,Unconfirmed`,
    agreed: ['ann'],
  },
  ActiveCampaign: {
    csv: `"Email","First Name","Last Name","Status","Date Subscribed","Date Unsubscribed"
ann@example.com,Ann,A,Active,2024-01-02,
ben@example.com,Ben,B,Unsubscribed,2024-01-02,2024-03-01
cleo@example.com,Cleo,C,Bounced,2024-01-02,
dan@example.com,Dan,D,Unconfirmed,2024-01-02,`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'ActiveCampaign, yes and no': {
    csv: `Email,Unsubscribed,Hard Bounces
ann@example.com,no,0
ben@example.com,yes,0
cleo@example.com,no,3`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  Brevo: {
    csv: `CONTACT ID;EMAIL;FIRSTNAME;SMS;OPT_IN;DOUBLE_OPT-IN;EMAIL_BLACKLISTED;SMS_BLACKLISTED
1;ann@example.com;Ann;;true;1;0;1
2;ben@example.com;Ben;;true;1;1;0
3;cleo@example.com;Cleo;;true;2;0;0
4;dan@example.com;Dan;;false;;0;0`,
    agreed: ['ann'],
  },
  'Brevo, blocklisted': {
    csv: `EMAIL,DOUBLE_OPT-IN,Blocklisted
ann@example.com,Yes,No
ben@example.com,Yes,Yes
cleo@example.com,No,No`,
    agreed: ['ann'],
  },
  Keila: {
    csv: `Email,First name,Last name,Status,External ID,Data
ann@example.com,Ann,A,active,,{}
ben@example.com,Ben,B,unsubscribed,,{}
cleo@example.com,Cleo,C,unreachable,,{}`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'listmonk, subscribers': {
    csv: `uuid,email,name,attributes,status,created_at,updated_at
u1,ann@example.com,Ann,{},enabled,2024-01-02,2024-01-02
u2,ben@example.com,Ben,{},blocklisted,2024-01-02,2024-01-02
u3,cleo@example.com,Cleo,{},disabled,2024-01-02,2024-01-02`,
    agreed: ['ann'],
  },
  'listmonk, subscriptions': {
    csv: `email,name,status,subscription_status
ann@example.com,Ann,enabled,confirmed
ben@example.com,Ben,enabled,unsubscribed
cleo@example.com,Cleo,enabled,unconfirmed
dan@example.com,Dan,blocklisted,confirmed`,
    agreed: ['ann'],
  },
  'systeme.io': {
    csv: `Email,First name,Surname,Tag,Date registered,Unsubscribed,Bounced
ann@example.com,Ann,A,,2024-01-02,false,false
ben@example.com,Ben,B,,2024-01-02,true,false
cleo@example.com,Cleo,C,,2024-01-02,false,true`,
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'states in German': {
    csv: 'email;status\nann@example.com;angemeldet\nben@example.com;abgemeldet\ncleo@example.com;ausstehend\n',
    agreed: ['ann'],
  },
  'states in French': {
    csv: 'email;statut\nann@example.com;Abonné\nben@example.com;Désabonné\ncleo@example.com;Non confirmé\n',
    agreed: ['ann'],
  },
  'states in Spanish': {
    csv: 'email;estado\nann@example.com;Suscrito\nben@example.com;Dado de baja\ncleo@example.com;Rebotado\n',
    agreed: ['ann'],
    bounced: ['cleo'],
  },
  'two rows of one person': {
    csv: `email,email_marketing
ann@example.com,yes
ben@example.com,no
BEN@example.com,yes
cleo@example.com,yes
Cleo@example.com,no`,
    agreed: ['ann'],
  },
  'a refusal beside a consent': {
    csv: `email,email_marketing,opt_in,Unsubscribed from all email
ann@example.com,yes,yes,
ben@example.com,yes,no,
cleo@example.com,yes,yes,true`,
    agreed: ['ann'],
  },
  'a status that is no state of a subscription': {
    csv: 'email,Status\nann@example.com,customer\nben@example.com,active\n',
    agreed: ['ann', 'ben'],
  },
  ...Object.fromEntries(
    [
      ...[
        'Newsletter',
        'Opt-out',
        'opted in?',
        'Marketing permission',
        'GDPR consent',
        'Do not e-mail',
        'Has unsubscribed',
      ],
      ...['Einwilligung', 'Abmeldung am', 'Werbung erlaubt', 'DSGVO', 'désabonné', 'Consentement RGPD', 'infolettre'],
      ...['Consentimiento', 'boletín', 'Dado de baja', 'Consenso', 'Disiscritto', 'Toestemming', 'Uitgeschreven'],
      ...['Nieuwsbrief', 'Zgoda', 'Wypisany', 'Consentimento', 'Descadastrado'],
    ].map((name): [string, ConsentFile] => [
      `the unknown column “${name}”`,
      { csv: `email,${name}\nann@example.com,x\nben@example.com,\n`, agreed: [], doubtful: [name] },
    ]),
  ),
  ...Object.fromEntries(
    ['Subscription plan', 'Weight (kg)', 'Notes', 'Optician', 'Company size', 'Baja California', 'Quizinfo'].map(
      (name): [string, ConsentFile] => [
        `the column “${name}”, which is not about consent`,
        { csv: `email,${name}\nann@example.com,x\n`, agreed: ['ann'] },
      ],
    ),
  ),
}
