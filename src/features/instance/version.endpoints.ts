/** The version of the API and of the program. */
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { endpoint } from '../../http/declare/endpoint.ts'
import { signedIn } from '../../http/declare/rules.ts'
import { nullable, resource } from '../../http/parameters/schema.ts'
import { programVersion } from '../../version.ts'

export const version = [
  endpoint('GET /version', {
    summary: 'Get the version',
    access: signedIn(),
    scopes: ['read_user'],
    reply: resource('Version', { version: Type.String(), revision: Type.String() }),
    handle: ({ app }) => present(app),
  }),
  endpoint('GET /metadata', {
    summary: 'Get the version, and what the instance has',
    operationId: 'getMetadata',
    access: signedIn(),
    scopes: ['read_user'],
    reply: resource('Metadata', {
      version: Type.String(),
      revision: Type.String(),
      kas: Type.Object({
        enabled: Type.Boolean(),
        externalUrl: nullable(Type.String()),
        externalK8sProxyUrl: nullable(Type.String()),
        version: nullable(Type.String()),
      }),
      enterprise: Type.Boolean(),
    }),
    handle: ({ app }) => ({ ...present(app), kas: noAgents, enterprise: false }),
  }),
]

/** There is no server for the agents of clusters. */
const noAgents = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null }

function present({ config }: Pick<App, 'config'>) {
  return { version: config.api_version, revision: `gitstead-${programVersion}` }
}
