-- The contacts of two accounts that grew side by side: 5 tags of 20 and 2 values of 4 custom fields each.
-- `bench.size` is the number of contacts of each account.
INSERT INTO tag (account_id, name, created_at)
SELECT a.id, 'tag ' || n, timestamptz '2025-01-01' + n * interval '1 minute'
FROM generate_series(1, 20) n CROSS JOIN account a;

INSERT INTO custom_field (account_id, name, type, values, created_at)
SELECT a.id, 'Field ' || n, 'TEXT', '{}', timestamptz '2025-01-01' + n * interval '1 minute'
FROM generate_series(1, 4) n CROSS JOIN account a;

INSERT INTO contact (account_id, email, first_name, last_name, phone, company_name, city, country, time_zone, time_zone_source, locale,
  locale_source, email_marketing, gdpr, created_at, updated_at)
SELECT a.id, 'person' || n || '@example.com', 'First' || n % 997, 'Last' || n % 4999, '', 'Company ' || n % 313,
  'Paris', 'France', 'Europe/Paris', 'DERIVED', 'fr', 'DERIVED', n % 3 <> 0, n % 5 <> 0, moment, moment
FROM generate_series(1, current_setting('bench.size')::int) n CROSS JOIN account a,
  LATERAL (SELECT timestamptz '2025-01-01' + n * interval '313 seconds' AS moment) of
ORDER BY n, a.id;

INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
SELECT c.account_id, c.id, t.id, c.created_at, c.created_at
FROM contact c
JOIN (SELECT account_id, id, row_number() OVER (PARTITION BY account_id ORDER BY id) - 1 AS place FROM tag) t
  ON t.account_id = c.account_id AND (t.place + c.id / 2) % 4 = 0
ORDER BY c.id, t.id;

INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, updated_at)
SELECT c.account_id, c.id, f.id, 'value ' || c.id % 101, c.created_at
FROM contact c
JOIN (SELECT account_id, id, row_number() OVER (PARTITION BY account_id ORDER BY id) AS place FROM custom_field) f
  ON f.account_id = c.account_id AND (f.place + c.id / 2) % 2 = 0
ORDER BY c.id, f.id;

INSERT INTO quota_usage (account_id, slot, period, used)
SELECT account_id, 'contacts', '', count(*) FROM contact GROUP BY account_id;
