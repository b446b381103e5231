/** Typical screens of a back office, each as one request. */
export const screens: Readonly<Record<string, string>> = {
  'a dashboard': `{
    viewer { accountName email }
    account { name plan quota { contacts { used limit } campaigns { used limit } funnels { used limit } } }
    salesAmount(period: LAST_30_DAYS) { amount currency }
    revenue(period: LAST_30_DAYS) { amount { amount currency } }
    contacts(first: 5, orderBy: { field: CREATED_AT, direction: DESC }) { totalCount nodes { id email createdAt } }
    campaigns(first: 5) { totalCount nodes { id name status sentAt sentTo stats { sent opened clicked openRate } } }
    submissions(first: 10) { nodes { id score bucket createdAt form { name } contact { email } } }
    orders(first: 10) { nodes { id idOrder status amount { amount currency } customer { email } } }
  }`,
  'a list of contacts': `{ contacts(first: 50) { totalCount pageInfo { hasNextPage endCursor } nodes {
    id databaseId email firstName lastName phone city country createdAt emailMarketing gdpr
    tags { id name } customFields { label value } } } }`,
  'the longest list of contacts': `{ contacts(first: 100) { totalCount pageInfo { hasNextPage endCursor } nodes {
    __typename id databaseId email firstName lastName phone companyName city country emailMarketing gdpr createdAt updatedAt
    tags { id name } } } }`,
  "a contact's page": `query ($id: ID!) { contact(ref: { id: $id }) {
    id databaseId email firstName lastName phone companyName city country emailMarketing gdpr createdAt updatedAt
    tags { id name } customFields { label value customField { id name type } }
    consents(first: 10) { nodes { kind granted source createdAt } }
    sequences { id name } enrolments(first: 20) { nodes { id state enrolledAt dueAt sequence { id name } nextStage { name } } }
    stats { sent opened clicked } messages(first: 20) { totalCount nodes { id state sentAt openedAt campaign { name } } }
    orders(first: 20) { totalCount nodes { id idOrder status createdAt amount { amount currency }
      lines { name quantity amount { amount currency } } } }
    invoices(first: 20) { nodes { id prefix number status amountInclVat { amount currency } downloadUrl } }
    transactions(first: 20) { nodes { id status amount { amount currency } createdAt } }
    subscriptionSummaries { __typename }
    submissions(first: 20) { nodes { id score bucket createdAt form { id name } answers { label values score } } } } }`,
  'a list of campaigns': `{ campaigns(first: 50) { totalCount pageInfo { hasNextPage endCursor } nodes {
    id databaseId name status subject scheduledFor sentAt recipientsCount sentTo errorCode
    stats { sent opened clicked bounced unsubscribed openRate clickRate }
    recipientCounts { queued claimed sent failed bounced } } } }`,
  "a campaign's page": `query ($id: ID!) { campaign(id: $id) { id name status subject fromName fromEmail
    check { canSend findings { code severity message field mergeField offset } }
    audience { total optIn sendToAll filter } email { id htmlUrl textUrl }
    stats { sent opened clicked openRate clickRate } recipientCounts { queued sent failed bounced skipped }
    recipients(first: 50) { totalCount nodes { id state sentAt openedAt clickedAt contact { id email firstName } } } } }`,
  'funnels with their forms':
    '{ funnels(first: 10) { nodes { name steps { name form { name questions { label } } } } } }',
  'stages of the sequences of contacts': '{ contacts(first: 2) { nodes { sequences { stages { name } } } } }',
  "a funnel's editor": `query ($id: ID!) { funnel(id: $id) { id name steps { id name path title type position url publishedVersion
    tags { id name } sequences { id name } form { id name status submissionsCount questions { id label type required position options
      points { __typename } } outcomes { id title bucket } } } } }`,
  "a funnel's figures": `query ($id: ID!) { funnel(id: $id) { name stats(period: LAST_30_DAYS, groupBy: DAY) { since until
    totals { visitors views optIns orders revenue { amount currency } optInRate orderRate }
    steps { step { id name } figures { visitors views optIns orders optInRate } }
    groups { date figures { visitors views optIns orders optInRate } } } } }`,
  'sequences with their stages': `{ sequences(first: 50) { totalCount nodes { id name type activeContacts stagesCount
    stats { sent opened clicked openRate }
    stages { id name step active stageType timeValue timeType stats { sent opened clicked } } } } }`,
  'who is in a sequence': `query ($id: ID!) { sequence(id: $id) { name stages { id name step }
    enrolments(first: 100) { totalCount nodes { id state enrolledAt dueAt nextStage { id name } contact { id email firstName lastName } } } } }`,
  'orders with their payments': `{ orders(first: 50) { totalCount nodes { id idOrder type status createdAt completedAt
    amount { amount currency } customer { id email firstName lastName } contact { id email }
    lines { name quantity amount { amount currency } }
    transactions(first: 5) { nodes { id status type amount { amount currency } } } } } }`,
  'invoices with their credit notes': `{ invoices(first: 50) { totalCount nodes { id prefix number status createdAt downloadUrl
    amount { amount currency } amountInclVat { amount currency } openAmount { amount currency }
    customer { id email companyName } creditNotes(first: 5) { nodes { id prefix number } } } } }`,
  'submissions of a form': `query ($id: ID!) { form(id: $id) { name questions { id label type }
    submissions(first: 50) { totalCount nodes { id status score bucket createdAt completedAt
      contact { id email firstName } answers { label values score } attribution { key value } } } } }`,
  'running subscriptions': `{ billingSubscriptions(first: 50) { totalCount nodes { id name status amount { amount currency } rebillDate
    customer { id email } transactions(first: 3) { nodes { status amount { amount currency } createdAt } } } } }`,
  'webhooks and their last deliveries': `{ webhooks(first: 20) { nodes { id url events active failingSince lastSuccessAt
    deliveries(first: 10) { nodes { id type status attempts responseStatus milliseconds createdAt } } } } }`,
  'imports and what went wrong': `{ contactImports(first: 20) { nodes { id fileName status rowsDone rowsTotal created updated failed
    columns { __typename } errors(first: 10) { totalCount nodes { __typename } } } } }`,
  settings: `{ account { name timezone currency subdomain senderName senderEmail limits { __typename } }
    customFields { id name type } tags(first: 100) { nodes { id name } } dkimKeys { __typename }
    apiKeys(first: 50) { nodes { id name prefix scopes createdAt disabledAt } } }`,
}
