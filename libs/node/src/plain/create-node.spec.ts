import { expect, test } from "@jest/globals";
import { createNode, type CreateNodeOptions } from "./create-node.js";

test("options with faults are refused with all of them, before anything is opened", async () => {
  const wrong = {
    schema: "Bad Schema",
    poolSize: 1,
    logger: { log: () => undefined },
    clusterCrons: true,
    colour: "red",
  };
  await expect(createNode(wrong as unknown as CreateNodeOptions)).rejects.toMatchObject({
    code: "CONFIGURATION_INVALID",
    message: expect.stringMatching(/^The node cannot start: /),
    faults: [
      { path: "schema", message: expect.any(String) },
      { path: "poolSize", message: expect.any(String) },
      { path: "logger", message: "must have the methods error, warn, log, debug, as console has" },
      { path: "clusterCrons", message: "is not an option" },
      { path: "colour", message: "is not an option" },
      { path: "dataSource", message: "or url must be given: where Postgres is" },
    ],
  });
});
