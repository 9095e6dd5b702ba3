import "reflect-metadata";
import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import type { DelayedClient } from "./delayed-client.js";
import { DelayedPublish, publishesOf } from "./delayed-publish.decorator.js";

interface Order {
  id: string;
}

function Marked(target: object, name: string, descriptor: PropertyDescriptor): void {
  Reflect.defineMetadata("mark", name, descriptor.value as object);
  void target;
}

class Orders {
  failing = false;

  @DelayedPublish({ client: "ORDERS", pattern: "order.lost", delay: "3d" })
  @DelayedPublish({ client: "ORDERS", pattern: "order.reminded", delay: "1d", key: (order: Order) => order.id })
  @Marked
  async remind(order: Order): Promise<Order> {
    if (this.failing) throw new Error("no order");
    return { id: order.id };
  }
}

class Overriding extends Orders {
  override async remind(order: Order): Promise<Order> {
    return super.remind({ id: `again ${order.id}` });
  }
}

/** An instance whose methods publish, and what they have published. */
function bound<Of extends Orders>(instance: Of, failure?: Error): { orders: Of; emitted: unknown[][] } {
  const emitted: unknown[][] = [];
  const emit = (...given: unknown[]): Promise<void> => {
    emitted.push(given);
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const client = { emit } as unknown as DelayedClient;
  for (const publish of publishesOf(Orders.prototype.remind)) publish.bind(instance, client);
  return { orders: instance, emitted };
}

const BOTH = [
  ["order.reminded", { id: "42" }, { delay: "1d", key: "42" }],
  ["order.lost", { id: "42" }, { delay: "3d" }],
];

test("each publishing decorator publishes the value that its method returns, and the caller gets it", async () => {
  const { orders, emitted } = bound(new Orders());
  expect(await orders.remind({ id: "42" })).toEqual({ id: "42" });
  expect(emitted).toEqual(BOTH);
});

test("a decorated method that throws publishes nothing", async () => {
  const { orders, emitted } = bound(new Orders());
  orders.failing = true;
  await expect(orders.remind({ id: "42" })).rejects.toThrow("no order");
  expect(emitted).toEqual([]);
});

test("a decorated method that an overriding one calls publishes", async () => {
  const { orders, emitted } = bound(new Overriding());
  expect(await orders.remind({ id: "42" })).toEqual({ id: "again 42" });
  expect(emitted).toHaveLength(2);
});

test("a message whose key function does not know the key has an empty key, which is refused", async () => {
  const { orders, emitted } = bound(new Orders());
  await orders.remind({} as Order);
  expect(emitted[0]).toEqual(["order.reminded", {}, { delay: "1d", key: "" }]);
});

test("a refused message is told with the name of its method, and keeps code and faults", async () => {
  const faults = [{ path: "key", message: "must be short" }];
  const { orders } = bound(new Orders(), new TickwheelError("VALIDATION_FAILED", "key must be short", { faults }));
  await expect(orders.remind({ id: "42" })).rejects.toMatchObject({
    message: "Orders.remind has ended, and its message is not published: key must be short",
    code: "VALIDATION_FAILED",
    faults,
  });
});

test("an instance that no application knows is told by class and method, and its method is not called", async () => {
  await expect(new Orders().remind({ id: "42" })).rejects.toThrow(/^Orders\.remind cannot publish, and was not called/);
});

test("a decorated method keeps its name, and what other decorators say of it", () => {
  expect(Reflect.getMetadata("mark", Orders.prototype.remind)).toBe("remind");
  expect(Orders.prototype.remind.name).toBe("remind");
});

test("a decorated static method is refused by class and method", () => {
  const decorate = DelayedPublish({ client: "ORDERS", pattern: "order.reminded" });
  class Jobs {
    static async run(): Promise<number> {
      return Promise.resolve(1);
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Jobs, "run")!;
  expect(() => decorate(Jobs, "run", descriptor)).toThrow(
    "Jobs.run is no method of an instance: @DelayedPublish needs one.",
  );
});
