import { resources } from './resources.ts';

/** The version that `/version` tells: the one whose rules this server follows. */
const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'local/api-server',
};

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const storageVersion = { groupVersion: 'storage.k8s.io/v1', version: 'v1' };
const storageGroup = { name: 'storage.k8s.io', versions: [storageVersion], preferredVersion: storageVersion };

/** The documents by which clients find out what the server has; `undefined` for any other path. */
export function discoveryDocument(path: string): unknown {
  switch (path.replace(/(.)\/$/, '$1')) {
    case '/version':
      return version;
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: [storageGroup] };
    case '/apis/storage.k8s.io':
      return { kind: 'APIGroup', apiVersion: 'v1', ...storageGroup };
    case '/api/v1':
      return resourceList('', 'v1');
    case '/apis/storage.k8s.io/v1':
      return resourceList('storage.k8s.io', 'storage.k8s.io/v1');
    default:
      return undefined;
  }
}

function resourceList(group: string, groupVersion: string): unknown {
  const list = resources
    .filter((resource) => resource.group === group)
    .flatMap(({ plural, singular, namespaced, kind, shortNames, hasStatus }) => [
      { name: plural, singularName: singular, namespaced, kind, verbs, shortNames },
      ...(hasStatus
        ? [{ name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] }]
        : []),
    ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: list };
}
