import { counted, type Figure } from '../db/figures/figures.ts'
import { type Sql, sql } from '../db/sql.ts'

const shared = {
  ...counted,
  needs: 'mail:read',
  objects: ['Account', 'Campaign', 'Sequence', 'SequenceStage'],
} as const

/** Figures of messages. */
export const figures = {
  SENDS: {
    ...shared,
    source: 'mail_recipient',
    description: 'Number of messages that the mail server accepted.',
  },
  OPENS: {
    ...shared,
    source: 'mail_open',
    description: 'Number of opens. Opens of a message count up to 20 times, and opens by programs do not count.',
  },
  UNIQUE_OPENS: {
    ...shared,
    source: 'mail_recipient',
    description: 'Number of messages that were opened, by the time of the first open.',
  },
  CLICKS: {
    ...shared,
    source: 'mail_click',
    description:
      'Number of clicks on links. Clicks on a link of a message count up to 20 times, and clicks by programs do not count.',
  },
  UNIQUE_CLICKS: {
    ...shared,
    source: 'mail_recipient',
    description: 'Number of messages with at least one click, by the time of the first click.',
  },
  BOUNCES: {
    ...shared,
    source: 'mail_recipient',
    description:
      'Number of messages to addresses that do not accept e-mail, by the time at which the bounce was known.',
  },
  REJECTIONS: {
    ...shared,
    source: 'mail_recipient',
    description: 'Number of bounced messages that the mail server did not accept. They are not sent.',
  },
  COMPLAINTS: {
    ...shared,
    source: 'mail_recipient',
    description: 'Number of messages that their recipients reported as spam.',
  },
  UNSUBSCRIBES: {
    ...shared,
    source: 'mail_recipient',
    description: 'Number of messages through which the contact unsubscribed.',
  },
} as const satisfies Readonly<Record<string, Figure>>

export type MessageFigure = keyof typeof figures

/** Figures of links by URL, and the rows that they are counted from. */
export const partFigures = { LINK_CLICKS: 'mail_click_parts', LINK_UNIQUE_CLICKS: 'mail_click_parts' } as const

/**
 * Returns the changes of a figure of messages, for `insertFigures`: of the account, and of the campaign, or the sequence and the
 * stage. `rows` selects account_id, campaign_id, sequence_id, stage_id, at and value.
 */
export function messageFigure(figure: MessageFigure, rows: Sql): Sql {
  return sql`SELECT m.account_id, ${figure}::text, o.object, '', m.at, m.value FROM (${rows}) m CROSS JOIN LATERAL (VALUES (''),
      ('Campaign:' || m.campaign_id), ('Sequence:' || m.sequence_id), ('SequenceStage:' || m.stage_id)) o(object)
    WHERE o.object IS NOT NULL`
}

/** Selects the changes of a figure by one for each message of `rows`, the rest of a FROM clause over rows of messages. */
export function changedFigure(figure: MessageFigure, rows: Sql, at: Date): Sql {
  return messageFigure(
    figure,
    sql`SELECT account_id, campaign_id, sequence_id, stage_id, ${at}::timestamptz AS at, count(*) AS value FROM ${rows} GROUP BY 1, 2, 3, 4`,
  )
}

/**
 * Selects what clicks on links count by URL, at their time: all clicks, and the first one of each message. `rows` selects
 * account_id, campaign_id, stage_id, url, at, times and is_first.
 */
export function linkParts(rows: Sql): Sql {
  return sql`SELECT m.account_id, f.figure, o.object, m.url, m.at, f.value FROM (${rows}) m
    CROSS JOIN LATERAL (VALUES ('Campaign:' || m.campaign_id), ('SequenceStage:' || m.stage_id)) o(object)
    CROSS JOIN LATERAL (VALUES ('LINK_CLICKS', m.times), ('LINK_UNIQUE_CLICKS', m.is_first::int)) f(figure, value)
    WHERE o.object IS NOT NULL AND f.value > 0`
}

/**
 * Selects what stored clicks count. `condition` restricts the clicks `k` and their messages `r`. Clicks by programs do not count.
 */
export function clickParts(condition: Sql): Sql {
  return linkParts(sql`
    SELECT k.account_id, r.campaign_id, r.stage_id, k.url, k.created_at AS at, k.times,
      NOT EXISTS (SELECT FROM mail_click p WHERE p.account_id = k.account_id AND p.recipient_id = k.recipient_id AND p.url = k.url
        AND NOT p.is_bot AND p.id < k.id) AS is_first
    FROM mail_recipient r JOIN mail_click k ON k.account_id = r.account_id AND k.recipient_id = r.id AND NOT k.is_bot
    WHERE ${condition}`)
}
