/** GraphQL documents that the finance tests share. */
export const OrderRecord = `mutation ($input: OrderRecordInput!) { orderRecord(input: $input) { order {
  id databaseId idOrder type status vatCalculation amount { amount currency } createdAt completedAt
  lines { name quantity unitPrice { amount } vatRate amount { amount currency } vat { amount } }
  attribution { key value } customer { id databaseId email firstName lastName companyName contact { email } } } } }`

export const InvoiceIssue = `mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice {
  id databaseId prefix number status type vatCalculation filename downloadUrl amount { amount currency } amountInclVat { amount }
  paidAmount { amount } openAmount { amount } lines { name amount { amount } vat { amount } } order { idOrder }
  customer { email } } } }`

export const InvoicePay = `mutation ($input: InvoicePayInput!) { invoicePay(input: $input) { invoice {
  id status paidAmount { amount } openAmount { amount } } } }`

export const CreditNoteIssue = `mutation ($input: CreditNoteIssueInput!) { creditNoteIssue(input: $input) { creditNote {
  id databaseId prefix number vatCalculation filename downloadUrl reason amount { amount currency } amountInclVat { amount }
  lines { name unitPrice { amount } vatRate amount { amount } vat { amount } }
  invoice { id status openAmount { amount } } } } }`

export const TransactionRecord = `mutation ($input: TransactionRecordInput!) { transactionRecord(input: $input) {
  transaction { id databaseId idTransaction status type amount { amount currency } customer { email }
    order { idOrder } invoice { id status paidAmount { amount } } subscription { id } } } }`

export const TransactionUpdate = `mutation ($input: TransactionUpdateInput!) { transactionUpdate(input: $input) {
  transaction { id status invoice { status } } } }`

export const SubscriptionRecord = `mutation ($input: SubscriptionRecordInput!) { subscriptionRecord(input: $input) {
  subscription { id databaseId idSubscription status name amount { amount currency } paymentSource rateMonths trial
    paymentsLeft rebillDate endedAt customer { email } } } }`

/** The document of a mutation with one input. */
export const moving = (field: string, select: string) =>
  `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${select} } }`

export const buyer = { email: 'buyer@example.com' }
