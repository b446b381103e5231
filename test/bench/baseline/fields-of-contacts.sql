SELECT v.contact_id, f.name AS label, v.value
FROM contact_field v JOIN custom_field f ON f.account_id = v.account_id AND f.id = v.custom_field_id
WHERE v.account_id = $1 AND v.contact_id = ANY($2::int[])
ORDER BY v.custom_field_id
