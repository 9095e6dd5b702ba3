import { describe, expect, test } from "@jest/globals";
import { ServiceStack } from "./service-stack.js";

describe("ServiceStack", () => {
  function recorder(): { stopped: string[]; service(name: string): { stop(): void } } {
    const stopped: string[] = [];
    return { stopped, service: (name) => ({ stop: () => void stopped.push(name) }) };
  }

  test("ServiceStack stops its services in the opposite order, once", async () => {
    const { stopped, service } = recorder();
    const stack = new ServiceStack();
    await stack.add(service("postgres"));
    await stack.add(service("node"));
    await Promise.all([stack.stop(), stack.stop()]);
    expect(stopped).toEqual(["node", "postgres"]);
  });

  test("ServiceStack stops at once what is added after the stop", async () => {
    const { stopped, service } = recorder();
    const stack = new ServiceStack();
    await stack.stop();
    await stack.add(service("late"));
    expect(stopped).toEqual(["late"]);
  });

  test("a service that fails to stop does not keep the other services of the stack running", async () => {
    const { stopped, service } = recorder();
    const stack = new ServiceStack();
    await stack.add(service("postgres"));
    await stack.add({ stop: () => Promise.reject(new Error("stuck")) });
    await expect(stack.stop()).rejects.toThrow("stuck");
    expect(stopped).toEqual(["postgres"]);
  });
});
