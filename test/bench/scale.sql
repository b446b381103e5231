-- Besides `filters/fill.sql`: 20 tags in the first account, of which each contact has 4, so it has 5 on average, and an account
-- with a tenth as many contacts, each of which has 50 of 60 tags.
INSERT INTO tag (account_id, name, created_at)
  SELECT min(id), 'group ' || n, timestamptz '2026-01-01' FROM account, generate_series(1, 20) n GROUP BY n;
INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
  SELECT c.account_id, c.id, t.id, c.created_at, c.created_at FROM contact c JOIN (
      SELECT account_id, id, row_number() OVER (ORDER BY id) AS n FROM tag WHERE name LIKE 'group %') t
    ON t.account_id = c.account_id AND (t.n + c.id) % 5 = 0;

INSERT INTO tag (account_id, name, created_at)
  SELECT max(id), 'tag ' || n, timestamptz '2026-01-01' FROM account, generate_series(1, 60) n GROUP BY n;
INSERT INTO contact (account_id, email, first_name, last_name, email_marketing, gdpr, created_at, updated_at)
  SELECT (SELECT max(id) FROM account), 'few' || email, first_name, last_name, true, true, created_at, updated_at
  FROM contact WHERE account_id = (SELECT min(id) FROM account) AND id % 10 = 0;
INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
  SELECT c.account_id, c.id, t.id, c.created_at, c.created_at FROM contact c JOIN tag t USING (account_id)
  WHERE c.account_id = (SELECT max(id) FROM account) AND (t.id + c.id) % 6 <> 0;
INSERT INTO quota_usage (account_id, slot, period, used)
  SELECT account_id, 'contacts', '', count(*) FROM contact GROUP BY account_id;
