SELECT id, email, first_name, last_name, email_marketing, gdpr, created_at
FROM contact
WHERE account_id = $1
ORDER BY created_at DESC, id DESC
LIMIT $2 OFFSET $3
