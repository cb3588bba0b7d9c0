/** A dashboard's body from its sections: rows of three widgets, and JSON that CloudFormation fills in. */
import type { Value } from './options.ts';

/** A widget without its place. */
export interface Widget {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Widgets under a title and a sentence. */
export interface Section {
  readonly title: string;
  readonly text: string;
  readonly widgets: readonly Widget[];
}

/** A dashboard's body. */
export interface Body {
  readonly widgets: readonly (Widget & Place)[];
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** CloudWatch's grid is 24 wide. */
const GRID_WIDTH = 24;
const PER_ROW = 3;
const TITLE_HEIGHT = 2;
const WIDGET_HEIGHT = 6;

/** The widgets with their places, section under section. */
export function widgetsOf(sections: readonly Section[]): Body['widgets'] {
  let y = 0;
  return sections.flatMap(({ title, text, widgets }) => {
    const head = { type: 'text', properties: { markdown: `## ${title}\n${text}` } };
    const top = y + TITLE_HEIGHT;
    const width = GRID_WIDTH / PER_ROW;
    const placed = widgets.map((widget, i) => {
      const row = Math.floor(i / PER_ROW);
      return { ...widget, x: (i % PER_ROW) * width, y: top + row * WIDGET_HEIGHT, width, height: WIDGET_HEIGHT };
    });
    const headed = [{ ...head, x: 0, y, width: GRID_WIDTH, height: TITLE_HEIGHT }, ...placed];
    y = top + Math.ceil(widgets.length / PER_ROW) * WIDGET_HEIGHT;
    return headed;
  });
}

/**
 * A body as the text that CloudFormation makes of it: `Ref` and `Fn::GetAtt` inside become the variables of an `Fn::Sub`.
 * What they stand for are names and ARNs, which need no quoting inside JSON.
 */
export function bodyText(body: Body): Value {
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value === 'string') return value.replaceAll('${', '${!');
    return isFunction(value) ? variableOf(value) : value;
  });
  return { 'Fn::Sub': text };
}

type Reference = { readonly Ref: string } | { readonly 'Fn::GetAtt': readonly [string, string] };

function isFunction(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && ('Ref' in value || 'Fn::GetAtt' in value);
}

function variableOf(value: Reference): string {
  return 'Ref' in value ? `\${${value.Ref}}` : `\${${value['Fn::GetAtt'].join('.')}}`;
}
