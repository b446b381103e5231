-- bench.size contacts of the account $1: three in ten have a company and half a phone number, a tenth has each of 10 tags
-- (spread by a hash), half was sent each of 4 campaigns and three in ten opened it, a fifth is enrolled, and each has a size,
-- a number and a day as custom fields. Accounts may have other data before.
INSERT INTO contact (account_id, email, first_name, last_name, company_name, phone, city, country, email_marketing, gdpr, created_at, updated_at)
  SELECT a.id, 'contact' || n || '@example' || n % 100 || '.com', 'First' || n % 1000, 'Last' || n % 5000,
    CASE WHEN n % 10 < 3 THEN 'Nordwind ' || n % 77 ELSE '' END, CASE WHEN n % 2 = 0 THEN '+33 6 ' || n ELSE '' END, 'City' || n % 2000,
    (ARRAY['France', 'Germany', 'Spain', 'Italy', ''])[1 + n % 5], n % 10 <> 0, n % 3 = 0, at, at
  FROM account a, generate_series(1, current_setting('bench.size')::int) n,
    LATERAL (SELECT timestamptz '2026-01-01' + n * interval '10 seconds' AS at) moment ORDER BY a.id, n;

INSERT INTO tag (account_id, name, created_at)
  SELECT a.id, 'tag ' || n, timestamptz '2026-01-01' FROM account a, generate_series(1, 10) n ORDER BY a.id, n;
INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
  SELECT c.account_id, c.id, t.id, c.created_at, c.created_at FROM contact c JOIN tag t USING (account_id)
  WHERE (hashint4(c.id * 11 + t.id) & 2147483647) % 10 = 0 ON CONFLICT DO NOTHING;

INSERT INTO sequence (account_id, name, type, created_at) SELECT id, 'sequence', 'NORMAL', timestamptz '2026-01-01' FROM account;
INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids)
  SELECT c.account_id, c.id, s.id, c.created_at, '{}' FROM contact c JOIN sequence s USING (account_id)
  WHERE s.name = 'sequence' AND (hashint4(c.id + 1) & 2147483647) % 5 = 0;

INSERT INTO email (account_id, subject, from_email, created_at, updated_at)
  SELECT a.id, 'Hello', 'ada@example.com', timestamptz '2026-02-01', timestamptz '2026-02-01' FROM account a, generate_series(1, 4);
INSERT INTO campaign (account_id, name, email_id, status, created_at)
  SELECT account_id, 'campaign', id, 'SENT', created_at FROM email WHERE subject = 'Hello' ORDER BY id;
INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at)
  SELECT c.account_id, k.id, c.id, 'SENT', k.created_at, k.created_at,
    CASE WHEN (hashint4(c.id * 7 + k.id) & 2147483647) % 10 < 3 THEN k.created_at + interval '1 hour' END
  FROM contact c JOIN campaign k USING (account_id) WHERE k.name = 'campaign' AND (hashint4(c.id * 5 + k.id) & 2147483647) % 2 = 0;

INSERT INTO custom_field (account_id, name, type, values, created_at)
  SELECT a.id, type, type::custom_field_type, CASE type WHEN 'SELECT' THEN '{S,M,L,XL}'::text[] ELSE '{}' END, now()
  FROM account a, unnest('{SELECT,NUMBER,DATE}'::text[]) WITH ORDINALITY AS types(type, n) ORDER BY a.id, n;
INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, number, day, updated_at)
  SELECT c.account_id, c.id, f.id, CASE f.type WHEN 'SELECT' THEN (ARRAY['S', 'M', 'L', 'XL'])[1 + c.id % 4]
      WHEN 'NUMBER' THEN (c.id % 1000)::text ELSE (date '2020-01-01' + c.id % 2000)::text END,
    CASE f.type WHEN 'NUMBER' THEN c.id % 1000 END, CASE f.type WHEN 'DATE' THEN date '2020-01-01' + c.id % 2000 END, c.created_at
  FROM contact c JOIN custom_field f USING (account_id) WHERE f.name IN ('SELECT', 'NUMBER', 'DATE');
