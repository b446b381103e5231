-- An account with bench.size contacts, 90 % of them opted in, and another a tenth as large, so that every statement has rows
-- to leave out. Each contact has 5 of 50 tags; half a million of the opted-in ones have tag 51 besides. A fifth is enrolled
-- in the first of two sequences; half was sent the first campaign, and three in ten of these have opened it.

-- No statement of this bench reads them, and they take longer to fill than all the rest.
DROP INDEX contact_search_idx, contact_words_idx;

CREATE TEMP TABLE size AS
  SELECT a.id AS account_id, (current_setting('bench.size')::int / CASE WHEN row_number() OVER (ORDER BY a.id) = 1 THEN 1 ELSE 10 END) AS contacts
  FROM account a;

INSERT INTO contact (account_id, email, first_name, last_name, email_marketing, gdpr, created_at, updated_at)
  SELECT account_id, 'contact' || n || '@example.com', 'First' || n % 1000, 'Last' || n % 5000, n % 10 <> 0, true, at, at
  FROM size, generate_series(1, contacts) n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '10 seconds' AS at) moment
  ORDER BY account_id, n;

INSERT INTO tag (account_id, name, created_at)
  SELECT account_id, 'tag ' || n, timestamptz '2026-01-01' FROM size, generate_series(1, 51) n ORDER BY account_id, n;

-- Which contacts have a tag is spread by a hash: a step through the numbers would put them side by side.
CREATE TEMP TABLE own_tag AS SELECT account_id, id, row_number() OVER (PARTITION BY account_id ORDER BY id) AS n FROM tag;
INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
  SELECT c.account_id, c.id, t.id, c.created_at, c.created_at
  FROM contact c CROSS JOIN generate_series(0, 4) k
    JOIN own_tag t ON t.account_id = c.account_id AND t.n = 1 + k * 10 + (hashint4(c.id * 5 + k) & 2147483647) % 10;
INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
  SELECT c.account_id, c.id, t.id, c.created_at, c.created_at
  FROM (SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY id) AS n FROM contact WHERE email_marketing) c
    JOIN size USING (account_id) JOIN own_tag t ON t.account_id = c.account_id AND t.n = 51
  WHERE c.n <= contacts / 2;

INSERT INTO sequence (account_id, name, type, created_at)
  SELECT account_id, 'sequence ' || n, 'NORMAL', timestamptz '2026-01-01' FROM size, generate_series(1, 2) n ORDER BY account_id, n;
INSERT INTO enrolment (account_id, contact_id, sequence_id, state, enrolled_at, done_stage_ids)
  SELECT c.account_id, c.id, s.id, CASE WHEN hashint4(c.id + 7) % 4 = 0 THEN 'COMPLETED' ELSE 'ACTIVE' END::enrolment_state,
    c.created_at, '{}'
  FROM contact c JOIN (SELECT account_id, min(id) AS id FROM sequence GROUP BY 1) s USING (account_id)
  WHERE (hashint4(c.id + 1) & 2147483647) % 5 = 0;

INSERT INTO email (account_id, subject, from_email, created_at, updated_at)
  SELECT account_id, 'Hello', 'ada@example.com', timestamptz '2026-02-01', timestamptz '2026-02-01' FROM size;
INSERT INTO campaign (account_id, name, email_id, status, created_at)
  SELECT account_id, 'first', id, 'SENT', created_at FROM email;
INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at)
  SELECT c.account_id, k.id, c.id, 'SENT', k.created_at, k.created_at,
    CASE WHEN (hashint4(c.id + 3) & 2147483647) % 10 < 3 THEN k.created_at + interval '1 hour' END
  FROM contact c JOIN campaign k USING (account_id) WHERE (hashint4(c.id + 2) & 2147483647) % 2 = 0;
