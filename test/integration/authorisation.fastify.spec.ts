import { describe } from "@jest/globals";
import { testAuthorisation } from "./authorisation.cases.js";

describe("the authorisation of every call on fastify", () => {
  testAuthorisation("fastify");
});
