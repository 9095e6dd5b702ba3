import pg from "pg";
import { connectionOptions, type PostgresTarget } from "../connection/connection-settings.js";
import { translateDriverError } from "../connection/driver-errors.js";
import { DEFAULT_SCHEMA } from "../connection/postgres-database.js";
import { quoteSchema } from "../connection/session.js";

/** A role that may create and cancel tasks in SQL, in one namespace. */
export interface AllowedRole {
  role: string;
  namespace: string;
  /** Whether the views show it payloads and results. */
  payloads: boolean;
  /** Who allowed it: the role of a session. */
  allowedBy: string;
  allowedAt: Date;
}

/**
 * Allows roles to create and cancel tasks in SQL and to read the views of reports, as `SELECT tickwheel.allow_sql(…)`
 * does. The target's own role must own our schema.
 *
 * @param target.schema default `tickwheel`
 * @throws TickwheelError `STORE_UNAVAILABLE`, `CONFIGURATION_INVALID`; what Postgres says of a role is thrown as it is
 * @example
 *   await withSqlAccess(url, {}, (access) => access.allow({ role: "shop", namespace: "default" }));
 */
export async function withSqlAccess<Result>(
  target: PostgresTarget,
  { schema = DEFAULT_SCHEMA }: { schema?: string },
  work: (access: SqlAccess) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connectionOptions(target), application_name: "tickwheel sql" });
  client.on("error", () => undefined);
  try {
    await client.connect().catch((error: unknown) => {
      throw translateDriverError(error, "connect to see who may use SQL");
    });
    return await work(new SqlAccess((text, values) => client.query(text, values), quoteSchema(schema)));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Not the driver's client: its types are none of a user's. */
type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/** See {@link withSqlAccess}. */
export class SqlAccess {
  constructor(
    private readonly query: Query,
    private readonly schema: string,
  ) {}

  /** A role may have several namespaces. Once more: changes whether it sees payloads. */
  async allow({
    role,
    namespace,
    payloads = false,
  }: Pick<AllowedRole, "role" | "namespace"> & { payloads?: boolean }): Promise<void> {
    await this.query(`SELECT ${this.schema}.allow_sql($1, $2, $3)`, [role, namespace, payloads]);
  }

  /** @param namespace default: all that it has */
  async forbid(role: string, namespace?: string): Promise<void> {
    await this.query(`SELECT ${this.schema}.forbid_sql($1, $2)`, [role, namespace ?? null]);
  }

  async list(): Promise<AllowedRole[]> {
    const { rows } = await this.query(
      `SELECT role, namespace, payloads, allowed_by AS "allowedBy", allowed_at AS "allowedAt" FROM ${this.schema}.sql_role ORDER BY 1, 2`,
    );
    return rows as AllowedRole[];
  }
}
