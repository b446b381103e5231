-- A contact that was created after its orders is linked to them, as new contacts are from now on.
UPDATE "customer" u SET "contact_id" = c."id" FROM "contact" c
WHERE c."account_id" = u."account_id" AND lower(c."email") = lower(u."email") AND u."contact_id" IS NULL;
