/** Access tokens of projects and groups, declared once for both. */
import { Type } from 'typebox'
import { accessLevels } from '../../../access/levels.ts'
import type { AccessToken } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import type { Day as DayText } from '../../../db/tables.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { columnsOf, managers, onProjectOrGroup, onProjectsAndGroups, type PlaceGranted } from '../../../http/declare/places.ts'
import { bots, type Credential, only, people, withCredential } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, none, nullable } from '../../../http/parameters/schema.ts'
import { NewResourceAccessToken, ResourceAccessToken, tokenFilters } from '../access-tokens/access-tokens.schema.ts'
import { listTokens, presentToken, revokeToken, rotateToken } from '../access-tokens/access-tokens.ts'
import { requireToken, tokenInPath } from './resource-tokens.access.ts'
import { createResourceToken, resourceScopes } from './resource-tokens.service.ts'

const end = (description: string) => Type.Optional(nullable(Type.Unsafe<DayText>({ ...Day, description })))
const wanted = {
  name: Type.String({ description: 'Name of the token and of its bot user; members can see it' }),
  description: Type.Optional(nullable(Type.String())),
  scopes: Type.Array(Type.String(), { default: [], description: `Any of ${resourceScopes.join(', ')}` }),
  access_level: Type.Integer({ default: accessLevels.maintainer, description: 'Level of the bot user; no higher than that of the caller' }),
  expires_at: end('The token expires at the start of this day, in UTC; never by default'),
}
const rotation = { expires_at: end('When the new token expires; in a week by default, if the old one expires') }

/** The token that authenticates the request, if it belongs to this place. */
const thisToken = nested({}, async ({ place, credential }: PlaceGranted & { credential: Credential }, _, app) => ({
  accessToken: await requireToken(app, place, credential.token_id),
}))

export const resourceTokens = onProjectsAndGroups((kind) => [
  listEndpoint(`GET /${kind}s/:id/access_tokens`, {
    summary: `List the access tokens of a ${kind}`,
    access: onProjectOrGroup(kind, managers),
    query: tokenFilters,
    item: ResourceAccessToken,
    async handle({ app, place, query, page }) {
      const { rows, total } = await listTokens(app.db, { place: columnsOf(place), impersonation: false }, query, page)
      return { rows: rows.map((row) => presentToken(row)), total }
    },
  }),
  endpoint(`GET /${kind}s/:id/access_tokens/:token_id`, {
    summary: `Get an access token of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), tokenInPath),
    reply: ResourceAccessToken,
    handle: ({ accessToken }) => presentToken(accessToken),
  }),
  endpoint(`POST /${kind}s/:id/access_tokens`, {
    summary: `Create an access token of a ${kind}, with a bot user`,
    access: only(onProjectOrGroup(kind, managers), people),
    body: wanted,
    reply: NewResourceAccessToken,
    async handle({ app, user, place, body }) {
      const { token, row } = await createResourceToken(app, user, place, body)
      return presentToken(row, token)
    },
  }),
  endpoint(`POST /${kind}s/:id/access_tokens/self/rotate`, {
    summary: `Rotate the ${kind} access token of the request`,
    operationId: kind === 'project' ? 'rotateOwnProjectAccessToken' : 'rotateOwnGroupAccessToken',
    access: within(withCredential(only(onProjectOrGroup(kind, 'signed-in'), bots)), thisToken),
    scopes: ['self_rotate'],
    body: rotation,
    reply: NewResourceAccessToken,
    status: 200,
    handle: ({ app, credential, accessToken, body }) => rotate(app, accessToken, credential, body.expires_at),
  }),
  endpoint(`POST /${kind}s/:id/access_tokens/:token_id/rotate`, {
    summary: `Rotate an access token of a ${kind}`,
    access: within(withCredential(only(onProjectOrGroup(kind, managers), people)), tokenInPath),
    body: rotation,
    reply: NewResourceAccessToken,
    status: 200,
    handle: ({ app, credential, accessToken, body }) => rotate(app, accessToken, credential, body.expires_at),
  }),
  endpoint(`DELETE /${kind}s/:id/access_tokens/:token_id`, {
    summary: `Revoke an access token of a ${kind}`,
    access: within(onProjectOrGroup(kind, managers), tokenInPath),
    reply: none,
    lastChanged: ({ accessToken }) => accessToken.created_at,
    async handle({ app, accessToken }) {
      await revokeToken(app, accessToken)
      return null
    },
  }),
])

async function rotate(app: App, old: AccessToken, credential: Credential, expires_at: DayText | null | undefined) {
  const { token, row } = await rotateToken(app, old, credential, expires_at)
  return presentToken(row, token)
}
