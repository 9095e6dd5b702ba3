/** The cures by SQLSTATE and, if that is too general, by Postgres' words. The first match counts. */
const CURES: readonly { state: RegExp; words?: RegExp; cure: string }[] = [
  { state: /^28/, cure: "Mend user, password or pg_hba.conf" },
  { state: /^3D000/, cure: "Make the database, or mend its name" },
  { state: /^(42P01|3F000|42703)/, cure: "Run `migrate` with this release, or mend the option `schema`" },
  { state: /^42501/, cure: "Grant the role what it lacks, or let it be a member of the role that owns the tables" },
  {
    state: /^(26000|42P05|08P01)/,
    cure: "Through PgBouncer in transaction mode set the option `transactionPooling`",
  },
  {
    state: /^55000/,
    words: /replica identity/,
    cure: "Run `migrate` with this release: it gives published tables their replica identity",
  },
  { state: /^53300/, cure: "Raise max_connections, lower `poolSize`, run fewer nodes, or put PgBouncer between" },
  { state: /^(53100|58030)/, cure: "Free space on the database's disk" },
  { state: /^53200/, cure: "Give the database's machine more memory" },
  { state: /^54/, words: /wraparound/, cure: "VACUUM the database, and end what holds it up" },
  { state: /^25006/, cure: "Connect to the primary; this is a standby, or the database or role is read only" },
  { state: /^55P03/, cure: "Another transaction holds the row or table: end it, or try again" },
  { state: /^40P01/, cure: "Try again; the other transaction goes on" },
  {
    state: /^40001/,
    cure: "The transaction is REPEATABLE READ or SERIALIZABLE and met another: run it again from its start",
  },
  { state: /^57014/, cure: "It took longer than its limit, or somebody cancelled it: try again" },
];

/** A sentence without its full stop; empty: no cure is known. */
export function cureOf(sqlState: string, words: string): string {
  const found = CURES.find(({ state, words: wanted }) => state.test(sqlState) && (wanted?.test(words) ?? true));
  return found?.cure ?? "";
}
