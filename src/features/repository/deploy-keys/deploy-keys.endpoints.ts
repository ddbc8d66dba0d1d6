/** Deploy keys of projects, and of the instance (the public documentation of the interface's version). */
import { type Static, Type } from 'typebox'
import type { SshKey } from '../../../db/tables.ts'
import { missing, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, only, type ProjectGranted, people, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none, Off, resource } from '../../../http/parameters/schema.ts'
import { Key } from '../../people/keys/keys.schema.ts'
import { presentKey } from '../../people/keys/keys.ts'
import { allDeployKeys, keyOfProject, keysOfProject, type ProjectKey } from './deploy-keys.queries.ts'
import { addDeployKey, changeDeployKey, enableDeployKey, removeDeployKey } from './deploy-keys.service.ts'
import { addPublicKey } from './public-keys.service.ts'

const DeployKey = resource('DeployKey', { ...Key.properties, can_push: Type.Boolean({ description: 'Whether the key may push' }) })
const InstanceKey = resource('InstanceDeployKey', {
  ...Key.properties,
  public: Type.Boolean({ description: 'Whether any project may enable the key' }),
})

const title = Type.String({ description: 'Name of the key, such as the machine it is on' })
const key = Type.String({ description: 'The public key: the line in the .pub file' })

const deployKey = enabledKey(missing)

export const deployKeys = [
  listEndpoint('GET /deploy_keys', {
    summary: 'List the deploy keys of all projects',
    access: administrator(),
    item: InstanceKey,
    async handle({ app, page }) {
      const { rows, total } = await allDeployKeys(app.db, page)
      return { rows: rows.map(presentInstanceKey), total }
    },
  }),
  endpoint('POST /deploy_keys', {
    summary: 'Add a deploy key that every project may enable',
    access: only(administrator(), people),
    body: { title, key },
    reply: InstanceKey,
    handle: async ({ app, user, body }) => presentInstanceKey(await addPublicKey(app, user, body)),
  }),
  listEndpoint('GET /projects/:id/deploy_keys', {
    summary: 'List the deploy keys of a project',
    access: project('manage_deploy_keys'),
    item: DeployKey,
    async handle({ app, project, page }) {
      const { rows, total } = await keysOfProject(app.db, project.id, page)
      return { rows: rows.map(presentDeployKey), total }
    },
  }),
  endpoint('GET /projects/:id/deploy_keys/:key_id', {
    summary: 'Get a deploy key of a project',
    access: within(project('manage_deploy_keys'), deployKey),
    reply: DeployKey,
    handle: ({ deployKey }) => presentDeployKey(deployKey),
  }),
  endpoint('POST /projects/:id/deploy_keys', {
    summary: 'Add a deploy key to a project; a key of another project of the caller is enabled',
    access: only(project('manage_deploy_keys'), people),
    body: { title, key, can_push: Off },
    reply: DeployKey,
    handle: async ({ app, user, project, body: { can_push, ...sent } }) =>
      presentDeployKey(await addDeployKey(app, user, { project_id: project.id, can_push }, sent)),
  }),
  endpoint('PUT /projects/:id/deploy_keys/:key_id', {
    summary: 'Update a deploy key of a project',
    access: within(project('manage_deploy_keys'), deployKey),
    body: { title: Type.Optional(title), can_push: Type.Optional(Type.Boolean()) },
    atLeastOne: ['title', 'can_push'],
    reply: DeployKey,
    handle: async ({ app, user, project, deployKey, body }) =>
      presentDeployKey(await changeDeployKey(app, user, project.id, deployKey, body)),
  }),
  endpoint('DELETE /projects/:id/deploy_keys/:key_id', {
    summary: 'Remove a deploy key from a project; without any project left, it is deleted',
    access: within(
      project('manage_deploy_keys'),
      // Clients of release 11.3 expect this message here.
      enabledKey(() => notFound('Deploy Key')),
    ),
    reply: none,
    lastChanged: ({ deployKey }) => deployKey.enabled_at,
    async handle({ app, project, deployKey }) {
      await removeDeployKey(app, project.id, deployKey)
      return null
    },
  }),
  endpoint('POST /projects/:id/deploy_keys/:key_id/enable', {
    summary: 'Enable a deploy key of another project, read-only',
    access: only(project('manage_deploy_keys'), people),
    params: { key_id: Id },
    reply: Key,
    async handle({ app, user, project, params }) {
      const key = await enableDeployKey(app, user, { id: params.key_id }, { project_id: project.id, can_push: false })
      if (!key) throw notFound('Deploy Key')
      return presentKey(key)
    },
  }),
]

function presentInstanceKey(key: SshKey): Static<typeof InstanceKey> {
  return { ...presentKey(key), public: key.public }
}

function presentDeployKey(key: ProjectKey): Static<typeof DeployKey> {
  return { ...presentKey(key), can_push: key.can_push }
}

function enabledKey(refusal: () => Error) {
  return nested({ key_id: Id }, async ({ project }: ProjectGranted, { key_id }, app) => {
    const deployKey = await keyOfProject(app.db, project.id, key_id)
    if (!deployKey) throw refusal()
    return { deployKey }
  })
}
