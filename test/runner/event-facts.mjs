// The facts of events, read off their types.
import { join } from "node:path";
import ts from "typescript";

const FACTS_FILE = join(import.meta.dirname, "../../libs/core/src/system/event-facts.ts");

/**
 * The names of each event's facts as `EventFacts` has them, in their order; one that may be absent has a `?` behind it.
 * The compiler knows what the types come to.
 *
 * @returns {Record<string, string[]>}
 */
export function eventFacts() {
  const program = ts.createProgram([FACTS_FILE], { strict: true, module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const { statements } = program.getSourceFile(FACTS_FILE);
  const facts = statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "EventFacts");
  const namesOf = (property) =>
    checker
      .getPropertiesOfType(checker.getTypeOfSymbol(property))
      .map(({ name, flags }) => ((flags & ts.SymbolFlags.Optional) === 0 ? name : `${name}?`));
  const events = checker.getTypeAtLocation(facts).getProperties();
  return Object.fromEntries(events.map((property) => [property.name, namesOf(property)]));
}
