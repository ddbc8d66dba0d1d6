/** Deploy tokens of projects and of groups: one family, declared once; and those of the instance. */
import { Type } from 'typebox'
import type { DeployToken as DeployTokenRow } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, managers, onProjectOrGroup, onProjectsAndGroups, type PlaceGranted } from '../../../http/declare/places.ts'
import { administrator, only, people } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Instant, none, nullable, Off, resource } from '../../../http/parameters/schema.ts'
import { deployTokenAt, listDeployTokens } from './deploy-tokens.queries.ts'
import { createDeployToken, deployScopes, hasExpired, removeDeployToken, usernameOf } from './deploy-tokens.service.ts'

const shown = {
  id: Type.Integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: nullable(Instant),
  revoked: Type.Boolean({ description: 'Always false: a token that is revoked is deleted' }),
  expired: Type.Boolean(),
  scopes: Type.Array(Type.String()),
}
const DeployToken = resource('DeployToken', shown)
const NewDeployToken = resource('NewDeployToken', { ...shown, token: Type.String({ description: 'Shown only once' }) })

const filter = { active: Type.Unsafe<boolean>({ ...Off, description: 'Only tokens that have not expired' }) }
const wanted = {
  name: Type.String(),
  scopes: Type.Array(Type.String(), { default: [], description: `Any of ${deployScopes.join(', ')}` }),
  expires_at: Type.Optional(nullable(Instant)),
  username: Type.Optional(nullable(Type.String({ description: 'gitstead+deploy-token-<id> by default' }))),
}

const deployToken = nested({ token_id: Id }, async ({ place }: PlaceGranted, { token_id }, app) => {
  const deployToken = await deployTokenAt(app.db, columnsOf(place), token_id)
  if (!deployToken) throw notFound('Deploy Token')
  return { deployToken }
})

const ofInstance = listEndpoint('GET /deploy_tokens', {
  summary: 'List the deploy tokens of all projects and groups',
  access: administrator(),
  query: filter,
  item: DeployToken,
  async handle({ app, query, page }) {
    const { rows, total } = await listDeployTokens(app.db, null, query, page)
    return { rows: rows.map((row) => present(row)), total }
  },
})

const ofPlaces = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/deploy_tokens`, {
    summary: `List the deploy tokens of a ${kind}`,
    access: onProjectOrGroup(kind, 'manage_deploy_tokens'),
    query: filter,
    item: DeployToken,
    async handle({ app, place, query, page }) {
      const { rows, total } = await listDeployTokens(app.db, columnsOf(place), query, page)
      return { rows: rows.map((row) => present(row)), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/deploy_tokens/:token_id`, {
    summary: `Get a deploy token of a ${kind}`,
    access: within(onProjectOrGroup(kind, 'manage_deploy_tokens'), deployToken),
    reply: DeployToken,
    handle: ({ deployToken }) => present(deployToken),
  }),
  endpoint(`POST /${kind}s/:id/deploy_tokens`, {
    summary: `Create a deploy token of a ${kind}`,
    access: only(onProjectOrGroup(kind, managers), people),
    body: wanted,
    reply: NewDeployToken,
    async handle({ app, place, body }) {
      const { token, row } = await createDeployToken(app.db, columnsOf(place), body)
      return present(row, token)
    },
  }),
  endpoint(`DELETE /${kind}s/:id/deploy_tokens/:token_id`, {
    summary: `Delete a deploy token of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), deployToken),
    reply: none,
    lastChanged: ({ deployToken }) => deployToken.created_at,
    async handle({ app, deployToken }) {
      await removeDeployToken(app.db, deployToken)
      return null
    },
  }),
])

export const deployTokens = [ofInstance, ...ofPlaces]

function present<T extends string | undefined = undefined>(row: DeployTokenRow, token?: T) {
  return {
    id: row.id,
    name: row.name,
    username: usernameOf(row),
    expires_at: row.expires_at,
    revoked: false,
    expired: hasExpired(row),
    scopes: row.scopes.split(' '),
    token: token as T,
  }
}
