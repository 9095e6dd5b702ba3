import type { MigrationInterface, QueryRunner } from "typeorm";

const TABLES = [
  `CREATE TABLE shop.orders (
    id text PRIMARY KEY,
    status text NOT NULL DEFAULT 'unpaid' CHECK (status IN ('unpaid', 'paid', 'cancelled')),
    timeout_ms integer NOT NULL CHECK (timeout_ms > 0),
    placed_at timestamptz(3) NOT NULL,
    cancel_at timestamptz(3) NOT NULL,
    closed_at timestamptz(3),
    CHECK ((status = 'unpaid') = (closed_at IS NULL))
  )`,
  `CREATE TABLE shop.upload_accounts (
    user_id text PRIMARY KEY,
    quota_bytes bigint NOT NULL,
    finished_bytes bigint NOT NULL DEFAULT 0,
    unfinished_bytes bigint NOT NULL DEFAULT 0,
    writes integer NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE shop.uploads (
    file_id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES shop.upload_accounts,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'completed', 'cancelled')),
    settled_bytes bigint NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE shop.coupons (
    id text PRIMARY KEY,
    status text NOT NULL DEFAULT 'unused' CHECK (status IN ('unused', 'used', 'expired')),
    expires_at timestamptz(3) NOT NULL
  )`,
  `CREATE TABLE shop.red_packets (
    id text PRIMARY KEY,
    sender_id text NOT NULL,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    amount_cents integer NOT NULL CHECK (amount_cents > 0),
    taken_cents integer NOT NULL DEFAULT 0 CHECK (taken_cents BETWEEN 0 AND amount_cents)
  )`,
  `CREATE TABLE shop.wallets (
    user_id text PRIMARY KEY,
    balance_cents bigint NOT NULL CHECK (balance_cents >= 0)
  )`,
  `CREATE TABLE shop.activities (
    id text PRIMARY KEY,
    status text NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'running', 'over', 'called off')),
    starts_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CHECK (starts_at < ends_at)
  )`,
  `CREATE TABLE shop.payments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL UNIQUE,
    cents integer NOT NULL CHECK (cents > 0),
    paid_at timestamptz(6) NOT NULL
  )`,
  `CREATE INDEX payments_paid_at ON shop.payments (paid_at)`,
  `CREATE TABLE shop.settlements (
    day date PRIMARY KEY,
    starts_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    payments bigint,
    cents bigint,
    missing bigint,
    compared_at timestamptz(3)
  )`,
  `CREATE TABLE shop.settled_payments (
    payment_id bigint PRIMARY KEY REFERENCES shop.payments,
    day date NOT NULL REFERENCES shop.settlements,
    cents integer NOT NULL
  )`,
  `CREATE INDEX settled_payments_day ON shop.settled_payments (day)`,
  `CREATE TABLE shop.overtaken_tasks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL,
    node text NOT NULL,
    fence integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE shop.execution_starts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL,
    node text NOT NULL,
    fence integer NOT NULL,
    attempt integer NOT NULL,
    due_at timestamptz(3) NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE shop.execution_ends (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL,
    node text NOT NULL,
    fence integer NOT NULL,
    outcome text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE shop.effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL,
    node text NOT NULL,
    fence integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
];

/** Orders, the append-only tables that tell what happened to them, uploads, and what the other examples keep. */
export class Shop1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of [
      "effects",
      "execution_ends",
      "execution_starts",
      "overtaken_tasks",
      "settled_payments",
      "settlements",
      "payments",
      "activities",
      "wallets",
      "red_packets",
      "coupons",
      "uploads",
      "upload_accounts",
      "orders",
    ])
      await runner.query(`DROP TABLE shop.${name}`);
  }
}
