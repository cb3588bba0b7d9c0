import { resourceOf } from '../../local/api-server/resources.ts';
import { type ApiServerOptions, startApiServer } from '../../local/api-server/server.ts';
import { apiServerContract } from './api-server-contract.ts';
import type { ApiServerUnderTest } from './client.ts';
import { controllersContract } from './controllers-contract.ts';

const token = 'contract';
const namespace = 'contract';

async function connect(options: ApiServerOptions = {}): Promise<ApiServerUnderTest> {
  const server = await startApiServer({ token, bookmarkIntervalMs: 20, ...options });
  server.operations.create({ resource: resourceOf('namespaces') }, { metadata: { name: namespace } });
  return {
    url: server.url,
    token,
    namespace,
    compactHistory: async () => server.compactHistory(),
    stop: () => server.stop(),
  };
}

apiServerContract('the local API server', () => connect());
controllersContract('the controllers of the local API server', () => connect({ protection: true }));
