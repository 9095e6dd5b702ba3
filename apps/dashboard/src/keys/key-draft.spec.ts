import { expect, test } from "@jest/globals";
import { localProblem } from "../api/problem.js";
import { changesOf, draftOf, emptyKey, faultsAt, keyBodyOf, typesOf } from "./key-draft.js";

test("a key's draft is sent without the fields that were left empty", () => {
  expect(keyBodyOf({ ...emptyKey, name: " shop " })).toEqual({ name: "shop", role: "viewer" });
  const expiresAt = "2100-01-01T08:00";
  expect(keyBodyOf({ ...emptyKey, name: "a", role: "admin", cluster: true, expiresAt })).toEqual({
    name: "a",
    role: "admin",
    cluster: true,
    expiresAt: new Date(expiresAt).toISOString(),
  });
});

test("a viewer's or an operator's key may be given payloads; an administrator's needs no right for them", () => {
  const draft = { ...emptyKey, name: "a", payload: true };
  expect(keyBodyOf({ ...draft, role: "operator" })).toEqual({ name: "a", role: "operator", rights: ["payload"] });
  expect(keyBodyOf({ ...draft, role: "admin" })).toEqual({ name: "a", role: "admin" });
});

test("a worker's key is sent with its types, and without a right that another role was to have", () => {
  const draft = { ...emptyKey, name: "a", cluster: true, payload: true, types: " image.*,\n mail.send\n" };
  const types = ["image.*", "mail.send"];
  expect(keyBodyOf({ ...draft, role: "worker" })).toEqual({ name: "a", role: "worker", types });
  expect(keyBodyOf({ ...draft, role: "viewer" })).not.toHaveProperty("types");
  expect(typesOf(" \n, ")).toEqual([]);
});

test("a key's types are sent where they have changed, however they are written", () => {
  const before = draftOf({ name: "a", types: ["image.*", "mail.send"], expiresAt: null });
  expect(changesOf(before, { ...before, types: "image.*, mail.send" })).toEqual({});
  expect(changesOf(before, { ...before, types: "image.*" })).toEqual({ types: ["image.*"] });
});

test("a change of a key sends only a new name or a new end, to the minute", () => {
  const before = draftOf({ name: "shop", types: null, expiresAt: new Date("2100-01-01T08:00:42").toISOString() });
  expect(before).toEqual({ name: "shop", types: "", expiresAt: "2100-01-01T08:00" });
  expect(changesOf(before, { ...before, name: "shop " })).toEqual({});
  expect(changesOf(before, { ...before, name: "till" })).toEqual({ name: "till" });
  expect(changesOf(before, { ...before, expiresAt: "" })).toEqual({ expiresAt: null });
  const first = draftOf({ name: null, types: null, expiresAt: null });
  expect(changesOf(first, { ...first, expiresAt: "2100-01-01T08:00" })).toEqual({
    expiresAt: new Date("2100-01-01T08:00").toISOString(),
  });
});

test("a fault of a key's form stands at its field, and the rest above", () => {
  const name = { path: "name", detail: "must be shorter" };
  const other = { path: "hash", detail: "is not known" };
  const refused = { ok: false, problem: localProblem("Refused", "Two faults", [name, other]) } as const;
  const told = faultsAt(refused, ["name", "expiresAt"]);
  expect(told.faults).toEqual([name]);
  expect(told.answer).toMatchObject({ problem: { title: "Refused", errors: [other] } });
});

test("a fault of one of a key's several types stands at the field of types", () => {
  const errors = [{ path: "types[1]", detail: "must be shorter" }];
  const refused = { ok: false, problem: localProblem("Refused", null, errors) } as const;
  expect(faultsAt(refused, ["name", "types"]).faults).toEqual(errors);
});

test("the time for which both keys work is asked for in days and hours, not in milliseconds", () => {
  const errors = [{ path: "overlap", detail: "must be at most 2592000000 ms" }];
  const refused = { ok: false, problem: localProblem("Refused", null, errors) } as const;
  expect(faultsAt(refused, ["overlap"]).faults).toEqual([
    { path: "overlap", detail: "must be from 0s to 30d, such as 24h" },
  ]);
});

test("a name that another key has is told at the name; a fault of no field stays as it is", () => {
  const taken = { ok: false, problem: { ...localProblem("Conflict", "It is taken."), code: "KEY_EXISTS" } } as const;
  expect(faultsAt(taken, ["name"]).faults).toEqual([{ path: "name", detail: "It is taken." }]);
  expect(faultsAt(taken, ["overlap"])).toEqual({ faults: [], answer: taken });
  const last = {
    ok: false,
    problem: { ...localProblem("Conflict", "The last one."), code: "LAST_ADMIN_KEY" },
  } as const;
  expect(faultsAt(last, ["name"])).toEqual({ faults: [], answer: last });
});
