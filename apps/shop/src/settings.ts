/** What the shop is told by its environment. */
export interface ShopOptions {
  databaseUrl: string;
  /** Null: coordination through Postgres alone. */
  redisUrl: string | null;
  host: string;
  /** 0: any free port. */
  port: number;
  paymentProviderUrl: string;
  /** The server that takes mails. */
  smtpUrl: string;
  /** The first administrator of the mounted API; null: one is made at the first start and printed once. */
  apiKey: string | null;
}

/** The environment cannot be used; the message lists every fault. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(readonly faults: readonly string[]) {
    super(`The shop cannot start:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
}

const MIN_API_KEY_LENGTH = 32;
const DEFAULT_PORT = 3000;
const DEFAULT_SMTP_URL = "smtp://127.0.0.1:25";

/**
 * Reads the environment once.
 *
 * @throws SettingsError with all faults at once
 */
export function parseSettings(environment: Readonly<Record<string, string | undefined>>): ShopOptions {
  const faults: string[] = [];
  const settings = {
    databaseUrl: urlOf("DATABASE_URL", ["postgres:", "postgresql:"]) ?? missing("DATABASE_URL", "where Postgres is"),
    redisUrl: urlOf("REDIS_URL", ["redis:", "rediss:"]),
    host: environment["HOST"] || "127.0.0.1",
    port: portOf(environment["PORT"] || String(DEFAULT_PORT)),
    paymentProviderUrl:
      urlOf("PAYMENT_PROVIDER_URL", ["http:", "https:"]) ??
      missing("PAYMENT_PROVIDER_URL", "where payments are asked for"),
    smtpUrl: urlOf("SMTP_URL", ["smtp:", "smtps:"]) ?? DEFAULT_SMTP_URL,
    apiKey: environment["TICKWHEEL_API_KEY"] || null,
  };
  if (settings.apiKey !== null && settings.apiKey.length < MIN_API_KEY_LENGTH)
    faults.push(`TICKWHEEL_API_KEY must have at least ${MIN_API_KEY_LENGTH} characters`);
  for (const name of Object.keys(environment))
    if (name.startsWith("TICKWHEEL_") && name !== "TICKWHEEL_API_KEY")
      faults.push(`${name} is not a variable of the shop`);
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;

  function urlOf(name: string, protocols: readonly string[]): string | null {
    const text = environment[name];
    if (!text) return null;
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      faults.push(`${name} must be a URL that begins with ${protocols.join("// or ")}//`);
    return text;
  }

  function missing(name: string, meaning: string): string {
    faults.push(`${name} must say ${meaning}`);
    return "";
  }

  function portOf(text: string): number {
    const port = Number(text);
    if (!/^\d+$/.test(text) || port > 65_535) faults.push("PORT must be an integer from 0 to 65535");
    return port;
  }
}
