SELECT t.id, t.name, json_agg(ct.contact_id) AS contact_ids
FROM contact_tag ct JOIN tag t ON t.account_id = ct.account_id AND t.id = ct.tag_id
WHERE ct.account_id = $1 AND ct.contact_id = ANY($2::int[])
GROUP BY t.account_id, t.id
ORDER BY t.name, t.id
