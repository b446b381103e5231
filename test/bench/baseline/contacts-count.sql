SELECT count(*)::int AS total
FROM contact
WHERE account_id = $1
