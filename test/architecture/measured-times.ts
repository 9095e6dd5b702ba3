import ts from "typescript";

/** Matchers that want a value to be small, or near another. */
const UPPER = /^(toBeLessThan(OrEqual)?|toBeCloseTo)$/;
const COMPARING = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

/**
 * Where a source of tests judges how long something took: an `expect` with an upper bound, or with a comparison in it,
 * of a value that is named as a time (`…Ms`, lateness, duration, elapsed), of a difference of two instants (`…AtMs`),
 * or against a limit named `…_MS`. That something comes after something else is no time: two instants may be compared,
 * and a lower bound is the judgement of "early".
 *
 * @returns the calls, as they are written
 */
export function judgedTimes(source: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true);
  const walk = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isJudgement(node)) found.push(node.getText());
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}

function isJudgement(call: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(call.expression)) return false;
  const expected = expectedOf(call.expression.expression);
  if (expected === undefined) return false;
  if (!UPPER.test(call.expression.name.text)) return some(expected, isTimeCompared);
  return some(expected, isTime) || call.arguments.some((limit) => some(limit, isTime) || some(limit, isLimit));
}

/** What stands in the `expect` that this ends in, also behind `.not` and `.resolves`. */
function expectedOf(node: ts.Expression): ts.Expression | undefined {
  if (ts.isPropertyAccessExpression(node)) return expectedOf(node.expression);
  const isExpect = ts.isCallExpression(node) && node.expression.getText() === "expect";
  return isExpect ? node.arguments[0] : undefined;
}

function isTimeCompared(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || !COMPARING.has(node.operatorToken.kind)) return false;
  return some(node, isTime) || some(node, isLimit);
}

function isTime(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.MinusToken) return some(node, isInstant);
  if (!ts.isIdentifier(node) || isInstant(node)) return false;
  return /Ms$|[lL]ateness|[dD]uration|[eE]lapsed/.test(node.text);
}

function isInstant(node: ts.Node): boolean {
  return ts.isIdentifier(node) && (/(^at|At)(Mono)?Ms$/.test(node.text) || /(At|Mono)Ms$/.test(node.text));
}

function isLimit(node: ts.Node): boolean {
  return ts.isIdentifier(node) && node.text.endsWith("_MS");
}

function some(node: ts.Node, holds: (each: ts.Node) => boolean): boolean {
  return holds(node) || (ts.forEachChild(node, (child) => some(child, holds) || undefined) ?? false);
}
