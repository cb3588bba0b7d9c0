/**
 * The Events that the source code emits, found in its syntax tree: every object with a type, a reason and a message. A
 * reason that is passed on as a parameter is followed to the calls in the same file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** `kind type reason` of every Event that these folders emit. @throws Error at one that it cannot follow. */
export function emittedEvents(folders: readonly string[]): Set<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
  return new Set(files.flatMap((file) => eventsIn(file, readFileSync(file, 'utf8'))));
}

/** Those of one file. */
export function eventsIn(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  visit(tree, (node) => {
    if (!ts.isObjectLiteralExpression(node)) return;
    const [type, reason, message, kind] = ['type', 'reason', 'message', 'kind'].map((name) => propertyOf(node, name));
    if (type === undefined || reason === undefined || message === undefined) return;
    const kinds = kind === undefined ? ['PersistentVolume'] : textsOf(kind); // of updateVolumePhaseWithEvent
    for (const oneKind of kinds)
      for (const [oneType, oneReason] of pairs(type, reason)) found.push(`${oneKind} ${oneType} ${oneReason}`);
  });
  return found;
}

/** Types and reasons that go together: where both are parameters, those of one call. */
function pairs(type: ts.Expression, reason: ts.Expression): [string, string][] {
  const [typeCalls, reasonCalls] = [argumentsFor(type), argumentsFor(reason)];
  if (typeCalls !== undefined && reasonCalls !== undefined) {
    return typeCalls.flatMap((oneType, i) => pairs(oneType, reasonCalls[i] as ts.Expression));
  }
  return textsOf(type).flatMap((oneType) => textsOf(reason).map((one): [string, string] => [oneType, one]));
}

/** Every text that an expression can be. */
function textsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  const values = argumentsFor(node) ?? initializersOf(node);
  if (values.length === 0) throw new Error(`${placeOf(node)}: cannot follow ${node.getText()}`);
  return values.flatMap(textsOf);
}

/** What calls in this file pass for a parameter, undefined when the expression is none. */
function argumentsFor(node: ts.Expression): ts.Expression[] | undefined {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isFunctionDeclaration(at) || at.name === undefined) continue;
    const index = at.parameters.findIndex(({ name }) => name.getText() === node.getText());
    if (index < 0) continue;
    const { text } = at.name;
    const passed: ts.Expression[] = [];
    visit(node.getSourceFile(), (call) => {
      const argument = ts.isCallExpression(call) && call.expression.getText() === text && call.arguments[index];
      if (argument) passed.push(argument);
    });
    return passed;
  }
  return undefined;
}

/** The value of the nearest constant of that name. */
function initializersOf(node: ts.Expression): ts.Expression[] {
  for (let at: ts.Node = node; at !== undefined; at = at.parent) {
    if (!ts.isBlock(at) && !ts.isSourceFile(at)) continue;
    const values = at.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .flatMap(({ name, initializer }) => (name.getText() === node.getText() && initializer ? [initializer] : []));
    if (values.length > 0) return values;
  }
  return [];
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
