-- Nullable: processes of the previous version end enrolments without a reason.
CREATE TYPE enrolment_end_reason AS ENUM ('REMOVED', 'UNSUBSCRIBED', 'CONTACT_DELETED');
ALTER TABLE enrolment ADD COLUMN end_reason enrolment_end_reason;
