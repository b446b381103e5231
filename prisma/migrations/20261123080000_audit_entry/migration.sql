-- CreateTable
CREATE TABLE "audit_entry" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "key_id" INTEGER,
    "address" TEXT NOT NULL,
    "objects" TEXT[],
    "fields" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "audit_entry_created_at_idx" ON "audit_entry"("created_at");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_created_at_id_idx" ON "audit_entry"("account_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Entries of an object. A page of the audit log is read through the other index.
CREATE INDEX "audit_entry_objects_idx" ON "audit_entry" USING GIN ("account_id", "objects");
