import { describe, expect, it } from 'vitest'
import { parseDsn } from '../../src/mail/bounces/dsn.ts'

const [ada, bob] = ['ada@example.org', 'bob@example.org']
const [unknown, full] = ['550 5.1.1 User unknown', '552 5.2.2 Mailbox full']

const verdicts = async (mail: string) => {
  const { reports } = await parseDsn(Buffer.from(mail.replaceAll('\n', '\r\n')))
  return Object.fromEntries(reports.map(({ email, kind, cause }) => [email, cause ? `${kind} ${cause}` : kind]))
}

const multipart = (text: string, fields: string) => `From: MAILER-DAEMON@mx.example.com
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=b1

--b1
Content-Type: text/plain; charset=utf-8

${text}

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

${fields}

--b1--`
const plain = (text: string) => `From: MAILER-DAEMON@mx.example.com
Subject: failure notice
Content-Type: text/plain; charset=utf-8

${text}`
const status = (email: string, reply = '') =>
  `Final-Recipient: rfc822; ${email}\nAction: failed\nStatus: 5.0.0${reply && `\nDiagnostic-Code: smtp; ${reply}`}`
const both = `${status(ada)}\n\n${status(bob)}`

const postfix = `<${ada}>: host mx.example.org[192.0.2.1] said: ${unknown} (in reply to RCPT TO)\n\n<${bob}>: host mx.example.org[192.0.2.1] said: ${full} (in reply to RCPT TO)`
const sendmail = `   ----- The following addresses had permanent fatal errors -----
<${ada}>
    (reason: ${unknown})
<${bob}>
    (reason: ${full})

   ----- Transcript of session follows -----
... while talking to mx.example.org.:
>>> RCPT To:<${ada}>
<<< ${unknown}
550 5.1.1 <${ada}>... User unknown
>>> RCPT To:<${bob}>
<<< ${full}
552 5.2.2 <${bob}>... Mailbox full`
const exim = `The following addresses failed:

  ${ada}
    SMTP error from remote mail server after RCPT TO:<${ada}>:
    host mx.example.org [192.0.2.1]: ${unknown}
  ${bob}
    SMTP error from remote mail server after RCPT TO:<${bob}>:
    host mx.example.org [192.0.2.1]: ${full}`
const listed = `These recipients were not reached: ${ada}, ${bob}

${ada}: ${unknown}
${bob}: ${full}`
const replyFirst = `${unknown} <${ada}>\n${full} <${bob}>`
const reasonFirst = `User unknown:\n\n    ${ada}\n\nMailbox full:\n\n    ${bob}\n`
const otherOrder = `${bob}\n    Mailbox full\n${ada}\n    User unknown\n`

describe('two recipients of a report are judged by their own lines', () => {
  it.each(
    Object.entries({
      'fields of a report': multipart('It failed.', `${status(ada, unknown)}\n\n${status(bob, full)}`),
      'a report with the words of Postfix': multipart(postfix, both),
      'a report with the words of Sendmail': multipart(sendmail, both),
      'a report with the words of Exim': multipart(exim, both),
      'Postfix alone': plain(postfix),
      'Sendmail alone': plain(sendmail),
      'Exim alone': plain(exim),
      'a list before the reasons': plain(listed),
      'replies before the recipients': plain(replyFirst),
      'reasons before the recipients': plain(reasonFirst),
      'another order': plain(otherOrder),
      'quoted text': plain(postfix.replace(/^/gm, '> ')),
    }),
  )('in %s', async (_, mail) => {
    expect(await verdicts(mail)).toEqual({ [ada]: 'HARD ADDRESS_UNKNOWN', [bob]: 'SOFT MAILBOX_FULL' })
  })

  it('also if one address contains the other', async () => {
    const mail = plain(`a.${ada}: ${full}\n${ada}: ${unknown}`)
    expect(await verdicts(mail)).toEqual({ [`a.${ada}`]: 'SOFT MAILBOX_FULL', [ada]: 'HARD ADDRESS_UNKNOWN' })
  })

  it('and both by a reason that is about all', async () => {
    const mail = plain(`The mail server does not know these users: user unknown.\n\n${ada}\n${bob}\n`)
    expect(await verdicts(mail)).toEqual({ [ada]: 'HARD ADDRESS_UNKNOWN', [bob]: 'HARD ADDRESS_UNKNOWN' })
  })
})

describe('the recipient of a report', () => {
  it.each([
    ['utf-8; m\\x{FC}ller@example.org', 'müller@example.org'],
    ['utf-8; \\x{4E00}\\x{4E8C}@example.org', '一二@example.org'],
    ['rfc822; "ada"@example.org', ada],
    ['rfc822; "a\\da"@example.org', ada],
    ['rfc822; "ada lovelace"@example.org', '"ada lovelace"@example.org'],
    ['rfc822; "a..b"@example.org', '"a..b"@example.org'],
    ['utf-8; \\x{110000}@example.org', '\\x{110000}@example.org'],
  ])('%s is %s', async (recipient, email) => {
    const fields = `Final-Recipient: ${recipient}\nAction: failed\nStatus: 5.1.1`
    expect(await verdicts(multipart('It failed.', fields))).toEqual({ [email]: 'HARD ADDRESS_UNKNOWN' })
  })
})

const bounced = {
  mail: { destination: [ada], messageId: 'm1', headers: [{ name: 'Subject', value: 'Hello {"} \\ ü' }] },
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress: ada, status: '5.1.1', diagnosticCode: `smtp; ${unknown}` }],
  },
}
const pretty = JSON.stringify({ notificationType: 'Bounce', ...bounced }, undefined, 2)
const compact = JSON.stringify({ ...bounced, notificationType: 'Bounce' })
const published = JSON.stringify({ ...bounced, eventType: 'Bounce' })
const enveloped = JSON.stringify({ Type: 'Notification', TopicArn: 'arn:aws:sns:eu-west-1:1:t', Message: compact })
const fromSns = (text: string, encoding = '7bit', from = 'AWS Notifications <no-reply@sns.amazonaws.com>') =>
  `From: ${from}\nSubject: AWS Notification Message\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: ${encoding}\n\n${text}`
const footer =
  '\n\n--\nIf you wish to stop receiving notifications from this topic, visit https://sns.example/unsubscribe'
const quotedPrintable = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) =>
      byte > 126 || byte === 61 ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}` : String.fromCharCode(byte),
    )
    .join('')
    .replace(/((?:=..|[^=\n]){60,70})/g, '$1=\n')

describe('a notification of Amazon SES that SNS sends by e-mail', () => {
  it.each(
    Object.entries({
      'over several lines': fromSns(pretty + footer),
      'in one line': fromSns(compact + footer),
      'as a published event': fromSns(published + footer),
      'in its envelope': fromSns(enveloped + footer),
      'in its envelope over several lines': fromSns(JSON.stringify(JSON.parse(enveloped), undefined, 4)),
      'in base64': fromSns(
        Buffer.from(compact + footer)
          .toString('base64')
          .replace(/.{76}/g, '$&\n'),
        'base64',
      ),
      'as quoted-printable': fromSns(quotedPrintable(enveloped + footer), 'quoted-printable'),
      'in lines that were folded': fromSns(compact.replace(/.{60}/g, '$&!\n ')),
      'behind words': fromSns(`Notification:\n\n${compact}\n`),
    }),
  )('is read %s', async (_, mail) => {
    expect(await verdicts(mail)).toEqual({ [ada]: 'HARD ADDRESS_UNKNOWN' })
  })

  it('of a delivery is no report, and one that cannot be read is', async () => {
    const read = async (text: string) => await parseDsn(Buffer.from(fromSns(text)))
    const delivered = JSON.stringify({ eventType: 'Delivery', mail: bounced.mail, delivery: {} })
    expect(await read(delivered)).toEqual({ reports: [], isReport: false })
    for (const text of [compact.slice(0, -20), 'You have chosen to subscribe to the topic', '{"some": "thing"}'])
      expect(await read(text)).toEqual({ reports: [], isReport: true })
  })
})

describe('a feedback report', () => {
  const feedback = (
    fields: string,
  ) => `From: dmarc@example.com\nSubject: Report\nContent-Type: multipart/report; report-type=feedback-report; boundary=b1

--b1
Content-Type: message/feedback-report

${fields}
Original-Rcpt-To: ${ada}

--b1--`

  it.each(['Feedback-Type: auth-failure\nAuth-Failure: dmarc', 'Feedback-Type: abuse\nAuth-Failure: dmarc'])(
    'of a failed authentication is no complaint: %s',
    async (fields) => {
      expect(await parseDsn(Buffer.from(feedback(fields)))).toEqual({ reports: [], isReport: false })
    },
  )

  it('of an unknown type is kept', async () => {
    expect(await parseDsn(Buffer.from(feedback('Feedback-Type: strange')))).toEqual({ reports: [], isReport: true })
    expect(await verdicts(feedback('Feedback-Type: abuse'))).toEqual({ [ada]: 'COMPLAINT' })
  })
})

describe('a returned message in Japanese', () => {
  const japanese = (text: string) =>
    `From: postmaster@example.jp\nSubject: =?utf-8?B?${Buffer.from('配信不能').toString('base64')}?=\nContent-Type: text/plain; charset=utf-8\n\n${text}\n\n<${ada}>\n`
  it.each([
    ['以下の宛先は存在しないため配信できませんでした', 'HARD ADDRESS_UNKNOWN'],
    ['ユーザー不明', 'HARD ADDRESS_UNKNOWN'],
    ['ドメイン名が見つかりません', 'HARD DOMAIN_UNKNOWN'],
    ['受信者のメールボックスが満杯です', 'SOFT MAILBOX_FULL'],
    ['メッセージのサイズが制限を超えています', 'SOFT TOO_LARGE'],
    ['受信拒否設定により受信されませんでした', 'SOFT POLICY'],
    ['送信者のアドレスが存在しません', 'SOFT SENDER'],
    ['サーバーに接続できませんでした', 'SOFT NETWORK'],
  ])('%s', async (text, verdict) => {
    expect(await verdicts(japanese(text))).toEqual({ [ada]: verdict })
  })
})
