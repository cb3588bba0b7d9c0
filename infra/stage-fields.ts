/** The fields of a stage file as a flat list, for docs/settings.md and for "did you mean". */
import type * as z from 'zod';
import { type FieldMeaning, MEANINGS, STAGE_SCHEMA } from './stage-schema.ts';

/** One field, by its path in the file. */
export interface StageField extends FieldMeaning {
  readonly path: string;
  /** Without one, a field that is not needed is simply absent. */
  readonly default?: unknown;
  readonly needed: boolean;
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly defaultValue?: unknown;
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}

/** Without what says that a field may be left out. */
function inner(schema: z.ZodType): z.ZodType {
  const { innerType } = definitionOf(schema);
  return innerType === undefined || MEANINGS.has(schema) ? schema : inner(innerType);
}

/** The schema of a path like `['vpc', 'subnetIds', 0]`; undefined where there is none. */
export function schemaAt(path: readonly PropertyKey[], schema: z.ZodType = STAGE_SCHEMA): z.ZodType | undefined {
  const [first, ...rest] = path;
  const found = inner(schema);
  if (first === undefined) return found;
  const { shape, element } = definitionOf(found);
  const next = typeof first === 'number' ? element : shape?.[String(first)];
  return next && schemaAt(rest, next);
}

/** The names that an object of the file may hold; none for free maps such as `tags`. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const schema = schemaAt(path);
  return schema === undefined ? [] : Object.keys(definitionOf(schema).shape ?? {});
}

/** All fields, in the order of the schema. */
export function stageFields(schema: z.ZodType = STAGE_SCHEMA, path = '', needed = true): StageField[] {
  const { shape } = definitionOf(inner(schema));
  const fields = Object.entries(shape ?? {}).flatMap(([name, child]) => {
    const isNeeded = needed && !child.safeParse(undefined).success;
    return stageFields(child, path === '' ? name : `${path}.${name}`, isNeeded);
  });
  const meaning = MEANINGS.get(inner(schema));
  if (meaning === undefined) return fields;
  const preset = schema.safeParse(undefined);
  const hasDefault = preset.success && preset.data !== undefined;
  return [{ path, ...meaning, needed, ...(hasDefault && { default: preset.data }) }];
}
