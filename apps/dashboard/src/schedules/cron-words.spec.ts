import { expect, test } from "@jest/globals";
import { cronWords } from "./cron-words.js";

test.each([
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 min"],
  ["0 */15 * * * *", "every 15 min"],
  ["*/30 * * * * *", "every 30 s"],
  ["* * * * * *", "every second"],
  ["0 * * * *", "every hour, on the hour"],
  ["5,35 * * * *", "every hour at :05 and :35"],
  ["0 */2 * * *", "every 2 h, on the hour"],
  ["*/15 9-17 * * 1-5", "every 15 min from 09:00 to 17:45, each weekday"],
  ["5 0 * * *", "each day at 00:05"],
  ["15 5 0 ? * *", "each day at 00:05:15"],
  ["0 9,17 * * *", "each day at 09:00 and 17:00"],
  ["0 9 * * MON-FRI", "each weekday at 09:00"],
  ["0 9 * * 0-6", "each day at 09:00"],
  ["30 3 * * 7,sat", "each Saturday and Sunday at 03:30"],
  ["0 8 * mar 1", "each Monday in March at 08:00"],
  ["0 4 1 * *", "on the 1st of each month at 04:00"],
  ["0 4 11,22,23 1,7 *", "on the 11th, 22nd and 23rd of January and July at 04:00"],
  ["0 4 L * ?", "on the last day of each month at 04:00"],
])("the cron expression %s is told as %s", (cron, words) => {
  expect(cronWords(cron)).toBe(words);
});

test.each([
  ["both day fields, of which either counts", "0 9 1 * 1"],
  ["a step that is uneven at the end of the hour", "*/7 * * * *"],
  ["more times than a sentence takes", "0 1,2,3,4,5 * * *"],
  ["the nearest weekday", "0 9 15W * *"],
  ["the second Monday", "0 9 * * MON#2"],
  ["a step of months", "0 9 1 */3 *"],
  ["what is not a field", "0 25 * * *"],
  ["too few fields", "0 9 * *"],
])("a cron expression with %s speaks for itself: %s", (_what, cron) => {
  expect(cronWords(cron)).toBeNull();
});
