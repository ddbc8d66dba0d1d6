/** Custom attributes of users, groups and projects, for administrators: one family, declared once. */
import { Type } from 'typebox'
import type { Scope } from '../../../access/levels.ts'
import { findUser } from '../../../access/users.ts'
import { notFound } from '../../../failure.ts'
import { type Endpoint, endpoint } from '../../../http/declare/endpoint.ts'
import { onProjectOrGroup, type PlaceGranted } from '../../../http/declare/places.ts'
import { type Access, administrator, administratorOf, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, none } from '../../../http/parameters/schema.ts'
import { deleteAttribute, type Noted } from './custom-attributes.queries.ts'
import { CustomAttribute, CustomAttributes } from './custom-attributes.schema.ts'
import { customAttributesOf, findAttribute, setAttribute } from './custom-attributes.service.ts'

interface HolderGranted extends SignedIn {
  /** The user, group or project that has the attributes. */
  holder: { kind: Noted; id: number }
}

const place = nested({}, ({ place: { kind, row } }: PlaceGranted) => ({ holder: { kind, id: row.id } }))
const user = nested({ id: nameInPath('Id or username') }, async (_: SignedIn, { id }, app) => {
  const found = await findUser(app.db, id)
  if (!found) throw notFound('User')
  return { holder: { kind: 'user' as const, id: found.id } }
})
const attribute = nested(
  { key: Type.String({ description: 'Name of the attribute' }) },
  async ({ holder: { kind, id } }: HolderGranted, { key }, app) => ({ attribute: await findAttribute(app.db, kind, id, key) }),
)

export const customAttributes: Endpoint[] = [
  ...attributesOf('user', within(administrator(), user), ['read_user']),
  ...attributesOf('group', within(administratorOf(onProjectOrGroup('group', 'signed-in')), place)),
  ...attributesOf('project', within(administratorOf(onProjectOrGroup('project', 'signed-in')), place)),
]

/** @param scopes that suffice for reading, besides `api` */
function attributesOf(kind: Noted, access: Access<HolderGranted>, scopes: readonly Scope[] = []): Endpoint[] {
  return [
    endpoint(`GET /${kind}s/:id/custom_attributes`, {
      summary: `List the custom attributes of a ${kind}`,
      access,
      scopes,
      reply: CustomAttributes,
      handle: async ({ app, holder: { id } }) => (await customAttributesOf(app.db, kind, [id])).get(id) ?? [],
    }),
    endpoint(`GET /${kind}s/:id/custom_attributes/:key`, {
      summary: `Get a custom attribute of a ${kind}`,
      access: within(access, attribute),
      scopes,
      reply: CustomAttribute,
      handle: ({ attribute: { key, value } }) => ({ key, value }),
    }),
    endpoint(`PUT /${kind}s/:id/custom_attributes/:key`, {
      summary: `Set a custom attribute of a ${kind}`,
      access,
      params: { key: attribute.params.key },
      body: { value: Type.String() },
      reply: CustomAttribute,
      handle: ({ app, holder, params: { key }, body: { value } }) => setAttribute(app.db, kind, holder.id, { key, value }),
    }),
    endpoint(`DELETE /${kind}s/:id/custom_attributes/:key`, {
      summary: `Delete a custom attribute of a ${kind}`,
      access: within(access, attribute),
      reply: none,
      lastChanged: ({ attribute }) => attribute.updated_at,
      async handle({ app, holder, attribute }) {
        await deleteAttribute(app.db, kind, holder.id, attribute.key)
        return null
      },
    }),
  ]
}
