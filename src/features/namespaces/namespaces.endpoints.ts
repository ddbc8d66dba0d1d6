/** Namespaces: personal ones and groups. */
import { Type } from 'typebox'
import { asId, findGroup, levelInGroup } from '../../access/find.ts'
import { pageUrl } from '../../addresses/links.ts'
import { groupAddress, userAddress } from '../../addresses/places.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { notFound } from '../../failure.ts'
import { endpoint, listEndpoint } from '../../http/declare/endpoint.ts'
import { type SignedIn, signedIn } from '../../http/declare/rules.ts'
import { nested, within } from '../../http/declare/within.ts'
import { Id, nameInPath, nullable, type Presented, resource } from '../../http/parameters/schema.ts'
import { avatarUrl, userAvatarUrl } from '../storage/avatars/avatars.ts'
import {
  avatarsOfOwners,
  countMembersBelow,
  isNamespace,
  type LocatedNamespace,
  listNamespaces,
  ownedAmong,
  takenPaths,
} from './lists.queries.ts'
import { findNamespace } from './namespaces.queries.ts'

const Namespace = resource('Namespace', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Type.String(),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
  members_count_with_descendants: Type.Optional(Type.Integer()),
})

/** However visible a group may be, as a namespace it is only for its members. */
const ownNamespace = nested(
  { id: nameInPath('Id or full path of a namespace of the current user') },
  async ({ user }: SignedIn, { id: idOrPath }, app) => {
    const id = asId(idOrPath)
    const namespace = await findNamespace(app.db, id === null ? { path: idOrPath } : { id })
    const own = namespace !== null && (user.admin || namespace.owner_id === user.id)
    if (!namespace || !(own || (await levelInGroup(app.db, namespace.id, user)) > 0)) throw notFound('Namespace')
    return { namespace }
  },
)

export const namespaces = [
  listEndpoint('GET /namespaces', {
    summary: 'List the namespaces of the current user; for administrators, all namespaces',
    access: signedIn(),
    query: { search: Type.Optional(Type.String({ description: 'Part of a name or path' })) },
    item: Namespace,
    async handle({ app, user, query, page }) {
      const { rows, total } = await listNamespaces(app.db, user, query.search, page)
      return { rows: await present(app, rows, user), total }
    },
  }),
  endpoint('GET /namespaces/:id', {
    summary: 'Get a namespace',
    access: within(signedIn(), ownNamespace),
    reply: Namespace,
    async handle({ app, user, namespace }) {
      const [presented] = await present(app, [namespace], user)
      return presented as NonNullable<typeof presented>
    },
  }),
  endpoint('GET /namespaces/:id/exists', {
    summary: 'Check whether a path is that of a namespace, and get free ones like it',
    operationId: 'checkNamespaceExists',
    access: signedIn(),
    params: { id: nameInPath('Path of a namespace; below parent_id, its last part') },
    query: { parent_id: Type.Optional(Id) },
    reply: resource('NamespaceExistence', { exists: Type.Boolean(), suggests: Type.Array(Type.String()) }),
    handle: ({ app, user, params, query }) => checkPath(app, user, params.id, query.parent_id),
  }),
]

/** Number of paths that are tried for a suggestion. */
const tries = 20

/** Also true for hidden namespaces: trying to create one at the path would reveal the same. */
async function checkPath(app: App, user: User, path: string, parentId: number | undefined) {
  const above = parentId === undefined ? '' : `${(await findGroup(app.db, String(parentId), user)).group.full_path}/`
  const keyOf = (last: string) => `${above}${last}`.toLowerCase()
  // PostgreSQL refuses parameters with NUL.
  if (path.includes('\0') || !(await isNamespace(app.db, keyOf(path)))) return { exists: false, suggests: [] }
  const like = Array.from({ length: tries }, (_, index) => `${path}${index + 1}`)
  const taken = await takenPaths(app.db, like.map(keyOf))
  return { exists: true, suggests: like.filter((one) => !taken.has(keyOf(one))).slice(0, 1) }
}

/** Three statements, regardless of their number. Owners of a group also get its number of members. */
async function present(app: App, rows: LocatedNamespace[], viewer: User): Promise<Array<Presented<typeof Namespace>>> {
  const owned = await ownedAmong(
    app.db,
    viewer,
    rows.map(({ id }) => id),
  )
  const counts = await countMembersBelow(app.db, [...owned])
  const owners = await avatarsOfOwners(
    app.db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  return rows.map((row) => {
    const { id, name, path, kind, full_path, parent_id } = row
    const owner = owners.get(row.owner_id ?? 0)
    return {
      id,
      name,
      path,
      kind,
      full_path,
      parent_id,
      avatar_url: owner ? userAvatarUrl(app.config, owner) : avatarUrl(app.config, 'group', row),
      web_url: pageUrl(app.config, kind === 'group' ? groupAddress(full_path) : userAddress(full_path)),
      members_count_with_descendants: owned.has(id) ? (counts.get(id) ?? 0) : undefined,
    }
  })
}
