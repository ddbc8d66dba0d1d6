/** Deploy keys of projects, and of the instance (the public documentation of the interface's version). */
import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import { missing, notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { administrator, project } from '../../../http/rules.ts'
import { Id, none, Off, resource } from '../../../http/schema.ts'
import { Key } from '../../people/keys/keys.schema.ts'
import { presentKey } from '../../people/keys/keys.ts'
import { allDeployKeys, keyOfProject, keysOfProject, type ProjectKey } from './deploy-keys.queries.ts'
import { addDeployKey, changeDeployKey, enableDeployKey, removeDeployKey } from './deploy-keys.service.ts'

const DeployKey = resource('DeployKey', { ...Key.properties, can_push: Type.Boolean({ description: 'Whether it may push, too' }) })
const InstanceKey = resource('InstanceDeployKey', {
  ...Key.properties,
  public: Type.Boolean({ description: 'Whether any project may enable it' }),
})

const title = Type.String({ description: 'What the key is called, such as the name of the machine it is on' })
const key = Type.String({ description: 'The public key: the line in the file ending in .pub' })

export const deployKeys = [
  listEndpoint('GET /deploy_keys', {
    summary: 'List the deploy keys of all projects',
    access: administrator(),
    item: InstanceKey,
    async handle({ app, page }) {
      const { rows, total } = await allDeployKeys(app.db, page)
      return { rows: rows.map((row) => ({ ...presentKey(row), public: row.public })), total }
    },
  }),
  listEndpoint('GET /projects/:id/deploy_keys', {
    summary: 'List the deploy keys of a project',
    access: project('maintainer'),
    item: DeployKey,
    async handle({ app, project, page }) {
      const { rows, total } = await keysOfProject(app.db, project.id, page)
      return { rows: rows.map(presentDeployKey), total }
    },
  }),
  endpoint('GET /projects/:id/deploy_keys/:key_id', {
    summary: 'Get a deploy key of a project',
    access: project('maintainer'),
    params: { key_id: Id },
    reply: DeployKey,
    handle: async ({ app, project, params }) => presentDeployKey(await findEnabled(app.db, project.id, params.key_id)),
  }),
  endpoint('POST /projects/:id/deploy_keys', {
    summary: 'Add a deploy key to a project; one that another project of the caller has is enabled',
    access: project('maintainer'),
    body: { title, key, can_push: Off },
    reply: DeployKey,
    handle: async ({ app, user, project, body: { can_push, ...sent } }) =>
      presentDeployKey(await addDeployKey(app, user, { project_id: project.id, can_push }, sent)),
  }),
  endpoint('PUT /projects/:id/deploy_keys/:key_id', {
    summary: 'Change a deploy key of a project',
    access: project('maintainer'),
    params: { key_id: Id },
    body: { title: Type.Optional(title), can_push: Type.Optional(Type.Boolean()) },
    atLeastOne: ['title', 'can_push'],
    reply: DeployKey,
    async handle({ app, user, project, params, body }) {
      const key = await findEnabled(app.db, project.id, params.key_id)
      return presentDeployKey(await changeDeployKey(app, user, project.id, key, body))
    },
  }),
  endpoint('DELETE /projects/:id/deploy_keys/:key_id', {
    summary: 'Take a deploy key from a project; with its last project it is gone',
    access: project('maintainer'),
    params: { key_id: Id },
    reply: none,
    fails: { unmodified_since: 412 },
    async handle({ app, project, params, unmodifiedSince }) {
      const key = await keyOfProject(app.db, project.id, params.key_id)
      if (!key) throw notFound('Deploy Key')
      requireUnmodified(unmodifiedSince, key.enabled_at)
      await removeDeployKey(app, project.id, key)
      return null
    },
  }),
  endpoint('POST /projects/:id/deploy_keys/:key_id/enable', {
    summary: 'Enable a deploy key of another project, read-only',
    access: project('maintainer'),
    params: { key_id: Id },
    reply: Key,
    async handle({ app, user, project, params }) {
      const key = await enableDeployKey(app, user, { id: params.key_id }, { project_id: project.id, can_push: false })
      if (!key) throw notFound('Deploy Key')
      return presentKey(key)
    },
  }),
]

function presentDeployKey(key: ProjectKey): Static<typeof DeployKey> {
  return { ...presentKey(key), can_push: key.can_push }
}

async function findEnabled(db: Db, project_id: number, key_id: number): Promise<ProjectKey> {
  const key = await keyOfProject(db, project_id, key_id)
  if (!key) throw missing()
  return key
}
