import { afterEach, beforeEach, expect, test } from "@jest/globals";

let before = 0;
let after = 0;
beforeEach(() => void (before += 1));
afterEach(() => void (after += 1));

test("the first test of a planted suite has its hooks", () => expect([before, after]).toEqual([1, 0]));
test("the second test of a planted suite has its hooks again", () => expect([before, after]).toEqual([2, 1]));
