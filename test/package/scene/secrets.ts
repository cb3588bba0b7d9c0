/** Looks for secrets in what was printed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccessKey } from '../aws/sigv4.ts';

/** What must not be printed: the secrets themselves, and what every token and key begins with. */
export interface Secrets {
  readonly keys: readonly AccessKey[];
  /** PEM. */
  readonly privateKey: string;
}

const signs: Readonly<Record<string, RegExp>> = {
  'an EKS token': /k8s-aws-v1\./,
  // `https://sts.`, wherever it starts in base64.
  'a token without its prefix': /aHR0cHM6Ly9zdHMu|h0dHBzOi8vc3RzL|odHRwczovL3N0cy/,
  'a presigned URL': /X-Amz-(Signature|Credential|Security-Token)(=|%3D)/i,
  'a signed header': /AWS4-HMAC-SHA256 Credential=/,
  'a private key': /PRIVATE KEY/,
};

/** @returns a line for each kind of secret that the text holds; the secrets themselves are not in it. */
export function secretsIn(text: string, { keys, privateKey }: Secrets): string[] {
  const own: [string, string][] = keys.flatMap(({ accessKeyId, secretAccessKey, sessionToken }) => [
    [`the secret of ${accessKeyId}`, secretAccessKey],
    [`the session of ${accessKeyId}`, sessionToken],
  ]);
  // The key's lines, and in base64 as the certificate authority is handed on.
  const pem = privateKey.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  const encoded = Buffer.from(privateKey).toString('base64');
  own.push(...pem.map((line): [string, string] => ['a line of the key', line]), ['the key in base64', encoded]);
  // JSON, URLs and plain text write the same secret differently.
  const forms = (secret: string) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  return [
    ...Object.entries(signs).flatMap(([what, pattern]) => (pattern.test(text) ? [what] : [])),
    ...new Set(own.flatMap(([what, secret]) => (forms(secret).some((form) => text.includes(form)) ? [what] : []))),
  ];
}

/** What was printed by each program, by the file's name. @throws Error when nothing was: a search of nothing finds nothing. */
export async function printed(directory: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(directory)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  if (texts.join('') === '') throw new Error(`nothing was printed in ${directory}`);
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}
