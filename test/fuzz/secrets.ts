/** Secrets to plant in an input, and the search for them in what came out. */
import { generateKeyPairSync } from 'node:crypto';
import { secretsIn } from '../package/scene/secrets.ts';

/** With characters that JSON, URLs and HTML write differently. */
const KEY = {
  accessKeyId: 'ASIAPLANTED',
  secretAccessKey: 'pl4nted/secret+key"of=aws',
  sessionToken: 'pl4nted/session+token==',
};
const PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export const SECRET = {
  aws: KEY,
  privateKey: PEM,
  /** Of a kubeconfig, and of a URL. */
  password: 'pl4nted-pa55word',
  /** A bearer token that needs no escaping anywhere, and one that does. */
  token: 'pl4nted-bearer-token',
  oddToken: 'pl4nted/bearer"token\\of+base64=',
} as const;

/** What kinds of secret a text holds, in whatever form; empty when it holds none. */
export function leaksIn(text: string): string[] {
  const others = { password: SECRET.password, token: SECRET.token, 'odd token': SECRET.oddToken };
  const found = Object.entries(others).flatMap(([what, secret]) =>
    formsOf(secret).some((form) => text.includes(form)) ? [what] : [],
  );
  return [...secretsIn(text, { keys: [KEY], privateKey: PEM }), ...found];
}

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    encodeURIComponent(secret),
    json,
    json.replaceAll('/', '\\/'),
    Buffer.from(secret).toString('base64'),
  ];
}

/** All that is said of an error: its text, its causes', and what a logger would print of its fields. */
export function textOf(error: unknown): string {
  const texts: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    texts.push(String((at as Error).message ?? at), JSON.stringify(at) ?? '');
    at = (at as { cause?: unknown }).cause;
  }
  return texts.join('\n');
}
