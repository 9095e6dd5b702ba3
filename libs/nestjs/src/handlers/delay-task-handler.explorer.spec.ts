import { describe, expect, test } from "@jest/globals";
import { Injectable, Module, type Provider, Scope, UseGuards, UseInterceptors, UsePipes } from "@nestjs/common";
import { DiscoveryModule, DiscoveryService, MetadataScanner, NestFactory, REQUEST } from "@nestjs/core";
import { DelayTaskHandlerExplorer } from "./delay-task-handler.explorer.js";
import { DelayTaskHandler, OnDelayTaskEvent } from "./delay-task.decorators.js";

async function explorerOf(
  providers: Provider[],
  names: readonly (string | null)[] = [null],
): Promise<DelayTaskHandlerExplorer> {
  @Module({ providers })
  class FeatureModule {}
  @Module({ imports: [DiscoveryModule, FeatureModule] })
  class RootModule {}
  const app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  return new DelayTaskHandlerExplorer(app.get(DiscoveryService), new MetadataScanner(), () => names);
}

/** What the handlers of these providers answer, by type. */
async function answersOf(providers: Provider[]): Promise<Record<string, unknown>> {
  const explorer = await explorerOf(providers);
  return Object.fromEntries(
    explorer.handlers(null).map(({ type, handle }) => [type, handle({} as never, {} as never)]),
  );
}

@DelayTaskHandler("greet")
class Greeter {
  readonly heard: unknown[] = [];
  name = "class";

  static called(name: string): Greeter {
    return Object.assign(new Greeter(), { name });
  }

  handle(): string {
    return `greeted by ${this.name}`;
  }

  @DelayTaskHandler("part")
  part(): string {
    return `parted by ${this.name}`;
  }

  @OnDelayTaskEvent("task.dead")
  mourn(event: unknown): void {
    this.heard.push(event);
  }
}

const both = (name: string): object => ({ greet: `greeted by ${name}`, part: `parted by ${name}` });

test("a condition is asked on the handler's instance, with the task and its context", async () => {
  class Guarded {
    closed = "yes";

    @DelayTaskHandler("guarded", {
      condition(this: Guarded, task, ctx) {
        return this.closed === "yes" && (task as unknown) === "task" && (ctx as unknown) === "ctx";
      },
    })
    handle(): void {}
  }
  const [handler] = (await explorerOf([Guarded])).handlers(null);
  expect([
    handler!.condition!("task" as never, "ctx" as never),
    handler!.condition!("task" as never, "" as never),
  ]).toEqual([true, false]);
  const [without] = (await explorerOf([Greeter])).handlers(null);
  expect(without!.condition).toBeUndefined();
});

describe("handlers are found", () => {
  test.each<[string, Provider, string]>([
    ["useFactory", { provide: "greeter", useFactory: () => Greeter.called("factory") }, "factory"],
    ["an asynchronous factory", { provide: "greeter", useFactory: async () => Greeter.called("later") }, "later"],
    ["useValue", { provide: "greeter", useValue: Greeter.called("value") }, "value"],
    ["useClass", { provide: "greeter", useClass: class extends Greeter {} }, "class"],
  ])("handlers are found by %s", async (_way, provider, name) => {
    await expect(answersOf([provider])).resolves.toEqual(both(name));
  });

  test("a handler is found once where one instance has several names", async () => {
    const greeter = Greeter.called("one");
    const explorer = await explorerOf([
      { provide: "value", useValue: greeter },
      { provide: "alias", useExisting: "value" },
      { provide: "factory", inject: ["value"], useFactory: (given: Greeter) => given },
    ]);
    expect(explorer.handlers(null).map(({ type }) => type)).toEqual(["greet", "part"]);
    const [listener, ...others] = explorer.listeners(null);
    expect([listener?.event, others]).toEqual(["task.dead", []]);
    listener!.listen("gone");
    expect(greeter.heard).toEqual(["gone"]);
  });

  test("handlers are found among values of any other kind, which nobody looks into", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    const odd = [
      null,
      undefined,
      5,
      "text",
      () => 1,
      class {},
      Object.create(null),
      new Map(),
      { constructor: 5 },
      [proxy],
    ];
    const providers = odd.map((useValue, at): Provider => ({ provide: `odd${at}`, useValue: useValue as unknown }));
    revoke();
    await expect(answersOf([...providers, Greeter])).resolves.toEqual(both("class"));
  });
});

class Nothing {}
// As from JavaScript, where no compiler refuses it.
(DelayTaskHandler("greet") as (target: unknown) => void)(Nothing);

describe("a handler that cannot be used is refused by its class's name", () => {
  class Static {
    @DelayTaskHandler("greet")
    static run(): void {}
  }
  class StaticListener {
    @OnDelayTaskEvent("task.dead")
    static listen(): void {}
  }
  @Injectable({ scope: Scope.REQUEST })
  @DelayTaskHandler("greet")
  class Scoped {
    handle(): void {}
  }
  @Injectable({ scope: Scope.TRANSIENT })
  @DelayTaskHandler("greet")
  class Transient {
    handle(): void {}
  }
  @UseGuards(
    class {
      canActivate = (): boolean => true;
    },
  )
  @DelayTaskHandler("greet")
  class Guarded {
    handle(): void {}
  }
  class Piped {
    @DelayTaskHandler("greet")
    @UsePipes()
    @UseInterceptors(class {})
    run(): void {}
  }
  test.each<[string, Provider, RegExp]>([
    ["a class with a guard", Guarded, /"greet" \(Guarded\.handle\) has @UseGuards, which Nest calls for routes alone/],
    ["a method with a pipe and an interceptor", Piped, /\(Piped\.run\) has @UseInterceptors, @UsePipes/],
    ["a class without handle", Nothing, /"greet" \(Nothing\.handle\) has no method handle/],
    [
      "the same from a factory",
      { provide: "n", useFactory: () => new Nothing() },
      /\(Nothing\.handle\) has no method handle/,
    ],
    ["a static method", Static, /Static\.run is static/],
    ["a static method of a value's class", { provide: "s", useValue: new Static() }, /Static\.run is static/],
    ["a request-scoped class", Scoped, /\(Scoped\.handle\) is request-scoped/],
    ["a transient class", Transient, /\(Transient\.handle\) is transient/],
    [
      "a class from a factory with request-scoped needs",
      { provide: Greeter, useFactory: () => new Greeter(), inject: [REQUEST] },
      /\(Greeter\.handle\) is request-scoped/,
    ],
  ])("a handler that cannot be used is refused by its class's name: %s", async (_name, provider, message) => {
    const explorer = await explorerOf([provider]);
    expect(() => explorer.handlers(null)).toThrow(message);
    expect(() => explorer.handlers(null)).toThrow(expect.objectContaining({ code: "CONFIGURATION_INVALID" }));
  });

  test.each([
    [Scope.REQUEST, /The listener Scoped\.listen is request-scoped/],
    [Scope.TRANSIENT, /The listener Scoped\.listen is transient/],
  ])("a listener of the scope %s is refused by its class's name", async (scope, message) => {
    @Injectable({ scope })
    class Scoped {
      @OnDelayTaskEvent("task.dead")
      listen(): void {}
    }
    const explorer = await explorerOf([Scoped]);
    expect(() => explorer.listeners(null)).toThrow(message);
  });

  test("a static listener is refused by its class's name", async () => {
    const explorer = await explorerOf([StaticListener]);
    expect(() => explorer.listeners(null)).toThrow(/StaticListener\.listen is static/);
  });

  test("a listener of an event that does not exist is refused by its class's name, with the event that was meant", async () => {
    class Deaf {
      // As from JavaScript, where no compiler refuses it.
      @OnDelayTaskEvent("task.deed" as "task.dead")
      listen(): void {}
    }
    const explorer = await explorerOf([Deaf]);
    expect(() => explorer.listeners(null)).toThrow(
      'The listener Deaf.listen waits for "task.deed", and there is no such event: did you mean "task.dead"?',
    );
  });
});
