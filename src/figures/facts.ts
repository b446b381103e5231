import { contactFacts } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { quarterOf } from '../db/figures/figures.ts'
import { join, type Sql, sql } from '../db/sql.ts'
import { monthlyAmount } from '../finance/index.ts'
import { submissionParts } from '../forms/index.ts'
import { clickParts, type MessageFigure, messageFigure } from '../mail/index.ts'
import { enrolmentParts } from '../sequences/index.ts'
import type { FigureSource, PartSource } from './catalogue.ts'

/** Rows of an account by id: `after` is excluded, `upTo` is included. */
export interface Ids {
  readonly after: bigint
  readonly upTo: bigint
}

/**
 * The changes that the rows of each source make to figures: what the writers of the rows have added. Selects account_id, figure,
 * object, currency or part, at and value. A subscription does not store when its payment failed, so the time of its last change
 * is used.
 */
export const factsOf: Readonly<Record<FigureSource | PartSource, (ctx: Ctx, ids: Ids) => Sql>> = {
  contact: (ctx, ids) => contactFacts.creations(within(ctx, sql`c`, ids)),
  contact_consent: (ctx, ids) => contactFacts.withdrawals(within(ctx, sql`n`, ids)),
  contact_tag: (ctx, ids) => contactFacts.tagLinks(within(ctx, sql`h`, ids, sql`contact_id`)),
  mail_recipient: (ctx, ids) => {
    const counted = (figure: MessageFigure, at: Sql, condition = sql`${at} IS NOT NULL`) =>
      messageFigure(
        figure,
        sql`SELECT r.account_id, r.campaign_id, r.sequence_id, r.stage_id, ${quarterOf(at)} AS at, count(*) AS value
          FROM mail_recipient r WHERE ${within(ctx, sql`r`, ids)} AND ${condition} GROUP BY 1, 2, 3, 4, 5`,
      )
    const parts = [
      counted('SENDS', sql`r.sent_at`),
      counted('UNIQUE_OPENS', sql`r.opened_at`),
      counted('UNIQUE_CLICKS', sql`r.clicked_at`),
      counted('BOUNCES', sql`r.failed_at`, sql`r.state = 'BOUNCED'`),
      counted('REJECTIONS', sql`r.failed_at`, sql`r.state = 'BOUNCED' AND r.sent_at IS NULL`),
      counted('COMPLAINTS', sql`r.complained_at`),
      counted('UNSUBSCRIBES', sql`r.unsubscribed_at`),
    ]
    return join(parts, ' UNION ALL ')
  },
  mail_open: (ctx, ids) => messageFigure('OPENS', reactions(ctx, sql`mail_open`, ids)),
  mail_click: (ctx, ids) => messageFigure('CLICKS', reactions(ctx, sql`mail_click`, ids)),
  order: (ctx, ids) => sql`
    SELECT o.account_id, f.figure, '', o.currency::text, o.created_at, f.value FROM "order" o
    CROSS JOIN LATERAL (VALUES ('ORDERS_PLACED', 1, true), ('ORDERS', 1, o.status = 'COMPLETED'),
      ('REVENUE', o.amount - o.refunded_amount, o.status = 'COMPLETED')) f(figure, value, is_counted)
    WHERE ${within(ctx, sql`o`, ids)} AND f.is_counted`,
  billing_subscription: (ctx, ids) => sql`
    SELECT b.account_id, f.figure, '', b.currency::text, f.at, f.value
    FROM (SELECT *, ${monthlyAmount} AS monthly FROM billing_subscription) b
    CROSS JOIN LATERAL (VALUES ('MRR', b.created_at, b.monthly),
      ('MRR', CASE b.status WHEN 'INACTIVE' THEN b.ended_at WHEN 'ERROR' THEN b.updated_at END, -b.monthly),
      ('CHURNED_SUBSCRIPTIONS', b.ended_at, 1), ('CHURNED_MRR', b.ended_at, b.monthly)) f(figure, at, value)
    WHERE ${within(ctx, sql`b`, ids)} AND f.at IS NOT NULL`,
  submission: (ctx, ids) => sql`
    SELECT s.account_id, f.figure, o.object, '', f.at, 1 FROM submission s
    CROSS JOIN LATERAL (VALUES ('SUBMISSIONS_STARTED', s.started_at), ('SUBMISSIONS_COMPLETED', s.completed_at),
      ('OPT_INS', CASE WHEN NOT s.is_order THEN s.completed_at END)) f(figure, at)
    CROSS JOIN LATERAL (VALUES (''), ('Form:' || s.form_id)) o(object)
    WHERE ${within(ctx, sql`s`, ids)} AND f.at IS NOT NULL AND (f.figure <> 'OPT_INS' OR o.object <> '')`,
  visit: (ctx, ids) => sql`
    SELECT v.account_id, 'VISITS', o.object, '', v.created_at, 1 FROM visit v
    CROSS JOIN LATERAL (VALUES (''), ('FunnelStep:' || v.step_id)) o(object)
    JOIN funnel_step p ON p.account_id = v.account_id AND p.id = v.step_id
    WHERE ${within(ctx, sql`v`, ids)} AND NOT v.is_bot`,
  submission_parts: (ctx, ids) => submissionParts(within(ctx, sql`s`, ids)),
  mail_click_parts: (ctx, ids) => clickParts(within(ctx, sql`k`, ids)),
  enrolment_parts: (ctx, ids) => enrolmentParts(within(ctx, sql`e`, ids)),
}

/** The same changes of the rows of one object, of sources with states. The object is an account, a tag or a sequence. */
export const factsOfObjects: Readonly<Partial<Record<FigureSource | PartSource, (ctx: Ctx, object: string) => Sql>>> = {
  billing_subscription: (ctx) => factsOf.billing_subscription(ctx, { after: 0n, upTo: 2n ** 63n - 1n }),
  contact_tag: (ctx, object) =>
    contactFacts.tagLinks(sql`h.account_id = ${ctx.sql.account} AND h.tag_id = ${idIn(object)}::int`),
  enrolment_parts: (ctx, object) =>
    enrolmentParts(sql`e.account_id = ${ctx.sql.account} AND e.sequence_id = ${idIn(object)}::int`),
}

/** Returns the id in the key of an object. */
function idIn(object: string): number {
  return Number(object.slice(object.indexOf(':') + 1))
}

/**
 * Conditions under which the figures of an object of a source are compared with the rows: it was not deleted. The figures of the
 * account stay when an object is deleted with its rows, so they are not compared.
 */
export const existing: Readonly<Partial<Record<FigureSource | PartSource, (ctx: Ctx) => Sql>>> = {
  contact_tag: (ctx) => sql`object IN (SELECT 'Tag:' || id FROM tag WHERE account_id = ${ctx.sql.account})`,
  submission: (ctx) => sql`object IN (SELECT 'Form:' || id FROM form WHERE account_id = ${ctx.sql.account})`,
  visit: (ctx) => sql`object IN (SELECT 'FunnelStep:' || id FROM funnel_step WHERE account_id = ${ctx.sql.account})`,
  enrolment_parts: (ctx) =>
    sql`object IN (SELECT 'Sequence:' || id FROM sequence WHERE account_id = ${ctx.sql.account})`,
}

function within(ctx: Ctx, alias: Sql, { after, upTo }: Ids, id = sql`id`): Sql {
  return sql`${alias}.account_id = ${ctx.sql.account} AND ${alias}.${id} > ${String(after)}::bigint
    AND ${alias}.${id} <= ${String(upTo)}::bigint`
}

function reactions(ctx: Ctx, table: Sql, ids: Ids): Sql {
  return sql`SELECT r.account_id, r.campaign_id, r.sequence_id, r.stage_id, ${quarterOf(sql`e.created_at`)} AS at,
      count(*) AS value
    FROM ${table} e JOIN mail_recipient r ON r.account_id = e.account_id AND r.id = e.recipient_id
    WHERE ${within(ctx, sql`e`, ids)} AND NOT e.is_bot GROUP BY 1, 2, 3, 4, 5`
}
