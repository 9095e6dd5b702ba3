import { expect, test } from "@jest/globals";
import { type DelayTaskModuleOptions, resolveDelayTaskOptions } from "./delay-task.options.js";

const url = "postgres://x/y";

test("the module's own options have their defaults, beside those of its node", () => {
  const own = { name: null, autoStart: true, clusterCrons: false };
  expect(resolveDelayTaskOptions({ url })).toMatchObject({ ...own, schema: "tickwheel" });
  const given = { name: "billing", autoStart: false, clusterCrons: true };
  expect(resolveDelayTaskOptions({ url, ...given })).toMatchObject(given);
});

test("faults of the module's own options are told with those of the node's options, at once", () => {
  const wrong = { name: "", autoStart: 0, clusterCrons: "yes", poolSize: 1, autostart: true };
  expect(() => resolveDelayTaskOptions({ url, ...wrong } as unknown as DelayTaskModuleOptions)).toThrow(
    expect.objectContaining({
      code: "CONFIGURATION_INVALID",
      message: expect.stringMatching(/^DelayTaskModule cannot start: /),
      faults: [
        { path: "name", message: expect.any(String) },
        { path: "autoStart", message: "must be true or false" },
        { path: "clusterCrons", message: "must be true or false" },
        { path: "poolSize", message: expect.any(String) },
        { path: "autostart", message: 'is not an option; did you mean "autoStart"?' },
      ],
    }),
  );
});
