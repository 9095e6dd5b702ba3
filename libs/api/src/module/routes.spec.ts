import "reflect-metadata";
import { describe, expect, test } from "@jest/globals";
import { RequestMethod, type Type } from "@nestjs/common";
import { METHOD_METADATA, PATH_METADATA } from "@nestjs/common/constants.js";
import { MetadataScanner } from "@nestjs/core";
import { addressOf, GROUPS, type Operation } from "@tickwheel/contract/operations";
import { CLUSTER, ROLE } from "../keys/api-key.guard.js";
import { DelayTaskApiModule } from "./delay-task-api.module.js";

interface Route {
  id: string;
  rest: string;
  role: unknown;
  cluster: boolean;
}

/** In the order in which Nest gives them to the framework. */
const routes = (DelayTaskApiModule.forRoot().controllers ?? [])
  .flatMap((controller) => routesOf(controller as Type<object>))
  .filter(({ rest }) => /^[A-Z]+ \/(v1|health)\//.test(rest));

function routesOf(controller: Type<object>): Route[] {
  const methods = controller.prototype as Record<string, object>;
  const of = (key: string, id: string): unknown => Reflect.getMetadata(key, methods[id]!);
  return new MetadataScanner()
    .getAllMethodNames(methods)
    .filter((id) => of(METHOD_METADATA, id) !== undefined)
    .flatMap((id) => {
      const verb = RequestMethod[of(METHOD_METADATA, id) as RequestMethod];
      const about = { id, role: of(ROLE, id) ?? "none", cluster: of(CLUSTER, id) === true };
      return [of(PATH_METADATA, id) as string | string[]]
        .flat()
        .map((path) => ({ ...about, rest: `${verb} /${path}` }));
    });
}

const rows = GROUPS.flatMap((group) => Object.entries<Operation>(group.rows)).map(([id, row]) => ({ id, row }));

describe("the calls of the contract", () => {
  test.each(rows)(
    "the call $id has one route, with the rights that it needs",
    ({ id, row: { rest, role, cluster = false } }) => {
      expect(routes.filter((route) => route.rest === rest)).toEqual([{ id, rest, role, cluster }]);
    },
  );

  test("the calls of the contract are all that is served below v1/ and health/", () => {
    const known = new Set<string>(rows.map(({ row }) => row.rest));
    expect(routes.filter(({ rest }) => !known.has(rest))).toEqual([]);
  });

  test("the calls of the contract are not caught by a parameter of a route before them", () => {
    const catching = routes.map(({ rest }) => new RegExp(`^${rest.replaceAll(/:\w+/g, "[^/]+")}$`));
    const caught = routes.filter(({ rest }, index) => catching.slice(0, index).some((earlier) => earlier.test(rest)));
    expect(caught.map(({ rest }) => rest)).toEqual([]);
  });

  test("the calls of the contract have addresses that differ", () => {
    expect(new Set(rows.map(({ row }) => Object.values(addressOf(row)).join(" "))).size).toBe(rows.length);
  });
});
