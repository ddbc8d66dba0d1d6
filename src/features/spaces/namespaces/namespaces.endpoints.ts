/** Namespaces: personal ones and groups. */
import { type Static, Type } from 'typebox'
import { asId, levelInGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/endpoint.ts'
import { type SignedIn, signedIn } from '../../../http/rules.ts'
import { nameInPath, nullable, resource } from '../../../http/schema.ts'
import { nested, within } from '../../../http/within.ts'
import { countMembersBelow, type LocatedNamespace, listNamespaces, ownedAmong } from './lists.queries.ts'
import { findNamespace } from './namespaces.queries.ts'

const Namespace = resource('Namespace', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Type.String(),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
  members_count_with_descendants: Type.Optional(Type.Integer()),
})

/** However open a group may be, as a namespace it is for its members. */
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
]

/** Two statements for any number. Owners of a group also get the number of its members. */
async function present(app: App, rows: LocatedNamespace[], viewer: User): Promise<Array<Static<typeof Namespace>>> {
  const owned = await ownedAmong(
    app.db,
    viewer,
    rows.map(({ id }) => id),
  )
  const counts = await countMembersBelow(app.db, [...owned])
  return rows.map(({ id, name, path, kind, full_path, parent_id }) => ({
    id,
    name,
    path,
    kind,
    full_path,
    parent_id,
    ...(owned.has(id) && { members_count_with_descendants: counts.get(id) ?? 0 }),
  }))
}
