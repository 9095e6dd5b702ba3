import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { hasRole, mayClaim, requireRole, RISING_ROLES, type Role, ROLES } from "./role.js";

const name = fc.stringMatching(/^[a-c.]{1,4}$/);
const types = fc.array(
  fc.tuple(name, fc.boolean()).map(([begin, isBeginning]) => (isBeginning ? `${begin}*` : begin)),
  { minLength: 1, maxLength: 5 },
);

describe("what may be claimed", () => {
  test("a worker may claim the types that it names, or that begin as it says, and nothing else", () => {
    const asked = fc.property(types, name, (named, type) => {
      const isNamed = named.some((one) => one === type);
      const beginnings = Array.from(type, (_, at) => `${type.slice(0, at + 1)}*`);
      const isBegun = beginnings.some((one) => named.includes(one));
      expect(mayClaim({ role: "worker", types: named }, type)).toBe(isNamed || isBegun);
    });
    fc.assert(asked);
  });

  test("operators and administrators may claim every type, viewers none, whatever types their keys name", () => {
    const asked = fc.property(fc.option(types), name, (named, type) => {
      const may = RISING_ROLES.map((role) => mayClaim({ role, types: named }, type));
      expect(may).toEqual([false, true, true]);
    });
    fc.assert(asked);
  });

  test.each<[string[] | null | undefined, string, boolean]>([
    [["image.*"], "image.resize", true],
    [["image.*"], "image.", true],
    [["image.*"], "image", false],
    [["image.*"], "images.resize", false],
    [["image"], "image.resize", false],
    [["mail.send", "image.*"], "mail.send", true],
    [["mail.send"], "Mail.send", false],
    [[], "mail.send", false],
    [null, "mail.send", false],
    [undefined, "mail.send", false],
  ])("a worker of %j may claim the type %j: %j", (named, type, may) => {
    expect(mayClaim({ role: "worker", types: named }, type)).toBe(may);
  });
});

describe("a role", () => {
  const allowed = (role: Role): Role[] => ROLES.filter((needed) => hasRole({ role }, needed));

  test("a role may do what lesser roles may, and no more; a worker makes calls of workers alone", () => {
    expect(allowed("viewer")).toEqual(["viewer"]);
    expect(allowed("operator")).toEqual(["viewer", "operator", "worker"]);
    expect(allowed("admin")).toEqual([...ROLES]);
    expect(allowed("worker")).toEqual(["worker"]);
  });

  test("a role that is not enough is told which role is, and a worker what it may", () => {
    expect(() => requireRole({ role: "viewer" }, "operator")).toThrow("This call needs the role operator.");
    expect(() => requireRole({ role: "viewer" }, "worker", "This field")).toThrow("This field needs the role worker.");
    expect(() => requireRole({ role: "worker" }, "viewer")).toThrow(
      "This call needs the role viewer; a worker may claim tasks of its types and nothing else.",
    );
    expect(() => requireRole({ role: "worker" }, "worker")).not.toThrow();
  });
});
