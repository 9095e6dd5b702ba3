import { describe, expect, test } from "@jest/globals";
import { parseSettings, SettingsError } from "./settings.js";

const complete = {
  DATABASE_URL: "postgres://localhost/shop",
  PAYMENT_PROVIDER_URL: "http://localhost:4000",
};

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe("the settings of the shop", () => {
  test("the settings of the shop need a database and a payment provider, and have defaults for the rest", () => {
    expect(parseSettings(complete)).toEqual({
      databaseUrl: "postgres://localhost/shop",
      redisUrl: null,
      host: "127.0.0.1",
      port: 3000,
      paymentProviderUrl: "http://localhost:4000",
      smtpUrl: "smtp://127.0.0.1:25",
      apiKey: null,
    });
  });

  test("the settings of the shop take an empty variable as one that is not set", () => {
    expect(parseSettings({ ...complete, REDIS_URL: "", SMTP_URL: "", PORT: "", TICKWHEEL_API_KEY: "" })).toEqual(
      parseSettings(complete),
    );
  });

  test("the settings of the shop name every fault at once", () => {
    const faults = faultsOf({
      DATABASE_URL: "mysql://localhost",
      REDIS_URL: "localhost",
      PORT: "80a",
      SMTP_URL: "mail.example.com",
      TICKWHEEL_API_KEY: "short",
      TICKWHEEL_ROLE: "engine",
    });
    expect(faults.map((fault) => fault.split(" ")[0]).sort()).toEqual([
      "DATABASE_URL",
      "PAYMENT_PROVIDER_URL",
      "PORT",
      "REDIS_URL",
      "SMTP_URL",
      "TICKWHEEL_API_KEY",
      "TICKWHEEL_ROLE",
    ]);
  });

  test("the settings of the shop refuse a port that does not exist", () => {
    expect(faultsOf({ ...complete, PORT: "65536" })).toEqual(["PORT must be an integer from 0 to 65535"]);
  });
});
