-- CreateTable
CREATE TABLE "event_counter" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "position" BIGINT NOT NULL DEFAULT 0,
    "dropped" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_counter_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "log_reader" (
    "name" TEXT NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "log_reader_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "parked_event" (
    "account_id" INTEGER NOT NULL,
    "reader" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,
    "error" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "parked_at" TIMESTAMPTZ(3),

    CONSTRAINT "parked_event_pkey" PRIMARY KEY ("account_id","reader","position")
);

-- CreateIndex
CREATE INDEX "parked_event_reader_due_at_idx" ON "parked_event"("reader", "due_at");

-- CreateIndex
CREATE INDEX "outbox_event_position_idx" ON "outbox_event"("position");

INSERT INTO "event_counter" DEFAULT VALUES;
