import type { Duplex } from "node:stream";
import type { ConnectionOptions as TlsOptions } from "node:tls";

/**
 * How a connection is made: what `pg` takes, functions too. Written out here, so that an application compiles without
 * the types of `pg`, whose package has none.
 */
export interface ConnectionOptions {
  user?: string;
  database?: string;
  /** A function is called for each new connection. */
  password?: string | (() => string | Promise<string>);
  port?: number;
  /** A name, an address, or the folder of a socket. */
  host?: string;
  /** `postgres://user:password@host:port/database`. */
  connectionString?: string;
  keepAlive?: boolean;
  keepAliveInitialDelayMillis?: number;
  connectionTimeoutMillis?: number;
  /** Makes the socket of a connection. */
  stream?: () => Duplex | undefined;
  ssl?: boolean | TlsOptions;
  sslnegotiation?: "postgres" | "direct";
  enableChannelBinding?: boolean;
  statement_timeout?: false | number;
  query_timeout?: number;
  lock_timeout?: number;
  idle_in_transaction_session_timeout?: number;
  application_name?: string;
  fallback_application_name?: string;
  /** Settings of the session, as of `psql`'s PGOPTIONS. */
  options?: string;
  client_encoding?: string;
}
