/** Everything that is referred to exists. */
import { type Finding, listOf, type Rule, type Template, walk } from './template.ts';

export const REFERENCES: Rule = {
  name: 'references',
  check: (template) => [...danglingReferences(template), ...circles(template), ...exportsAndImports(template)],
};

function danglingReferences(template: Template): Finding[] {
  const known = new Set([...Object.keys(template.Resources), ...Object.keys(template.Parameters ?? {})]);
  const owners = { ...template.Resources, ...template.Outputs };
  return Object.entries(owners).flatMap(([resource, body]) => {
    const names = new Set([...listOf((body as { DependsOn?: string | string[] }).DependsOn), ...referencesIn(body)]);
    return [...names]
      .filter((name) => !name.startsWith('AWS::') && !known.has(name))
      .map((name) => ({ resource, says: `refers to ${name}, which is no resource and no parameter of the stack` }));
  });
}

/** CloudFormation could begin with none of them. */
function circles({ Resources }: Template): Finding[] {
  const next = (name: string) => {
    const body = Resources[name];
    return body === undefined ? [] : [...listOf(body.DependsOn), ...referencesIn(body)];
  };
  return Object.keys(Resources).flatMap((resource) => {
    const reached = new Set<string>();
    const todo = next(resource);
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (reached.has(name)) continue;
      reached.add(name);
      todo.push(...next(name));
    }
    return reached.has(resource) ? [{ resource, says: 'waits for itself: what it refers to refers to it' }] : [];
  });
}

function referencesIn(body: unknown): string[] {
  const found: string[] = [];
  walk(body, (key, value) => {
    if (key === 'Ref' && typeof value === 'string') found.push(value);
    if (key === 'Fn::GetAtt') found.push(String(listOf(value)[0]).split('.')[0] ?? '');
    if (key === 'Fn::Sub') {
      const [text, own = {}] = listOf(value as string) as unknown as [string, object?];
      const names = [...text.matchAll(/\$\{([^!}.][^}.]*)[^}]*\}/g)].map(([, name]) => name ?? '');
      found.push(...names.filter((name) => !(name in own)));
    }
  });
  return found;
}

function exportsAndImports(template: Template): Finding[] {
  const findings: Finding[] = [];
  const exported = new Map<string, string>();
  for (const [resource, { Export }] of Object.entries(template.Outputs ?? {})) {
    if (Export === undefined) continue;
    const name = JSON.stringify(Export.Name);
    const other = exported.get(name);
    if (other !== undefined) findings.push({ resource, says: `exports ${name}, as ${other} does` });
    exported.set(name, resource);
  }
  for (const [resource, body] of Object.entries(template.Resources)) {
    walk(body, (key, value) => {
      if (key !== 'Fn::ImportValue' || exported.has(JSON.stringify(value))) return;
      findings.push({ resource, says: `imports ${JSON.stringify(value)}, which this stack does not export` });
    });
  }
  return findings;
}
