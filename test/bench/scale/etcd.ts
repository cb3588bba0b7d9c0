/** Reads and writes of the store itself, past the API server, by etcd's JSON gateway. */

/** The value of a key as the API server wrote it. @throws Error when there is none. */
export async function readValue(url: string, key: string): Promise<Buffer> {
  const { kvs = [] } = await post<{ kvs?: { value: string }[] }>(`${url}/v3/kv/range`, { key: base64(key) });
  const [found] = kvs;
  if (found === undefined) throw new Error(`the store has no ${key}`);
  return Buffer.from(found.value, 'base64');
}

/** etcd takes 128 operations in a transaction. */
const mostAtOnce = 100;

/** Writes all of them, a hundred at a time. */
export async function writeValues(url: string, values: Iterable<readonly [key: string, value: Buffer]>): Promise<void> {
  let batch: object[] = [];
  const flush = async () => {
    if (batch.length > 0) await post(`${url}/v3/kv/txn`, { success: batch });
    batch = [];
  };
  for (const [key, value] of values) {
    batch.push({ requestPut: { key: base64(key), value: value.toString('base64') } });
    if (batch.length === mostAtOnce) await flush();
  }
  await flush();
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function post<T>(url: string, body: object): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
