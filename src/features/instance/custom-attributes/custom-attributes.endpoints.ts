/** What administrators note on users, groups and projects: one family, written once. */
import { Type } from 'typebox'
import type { Scope } from '../../../access/levels.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type Endpoint, endpoint } from '../../../http/endpoint.ts'
import { requireUnmodified } from '../../../http/preconditions.ts'
import { type Access, administrator, administratorOf, type Granted, group, project } from '../../../http/rules.ts'
import { none } from '../../../http/schema.ts'
import { deleteAttribute, type Noted } from './custom-attributes.queries.ts'
import { CustomAttribute, CustomAttributes } from './custom-attributes.schema.ts'
import { customAttributesOf, findAttribute, setAttribute } from './custom-attributes.service.ts'

interface Noun {
  kind: Noted
  /** `users`, as in the path. */
  plural: 'users' | 'groups' | 'projects'
  access: Access<Granted & { noted: number }>
  /** Scopes that suffice for reading, besides `api`. */
  scopes: readonly Scope[]
}

const nouns: Noun[] = [
  { kind: 'user', plural: 'users', access: noting(administrator(), idOfUser), scopes: ['read_user'] },
  { kind: 'group', plural: 'groups', access: noting(administratorOf(group('signed-in')), ({ group }) => group.id), scopes: [] },
  { kind: 'project', plural: 'projects', access: noting(administratorOf(project('signed-in')), ({ project }) => project.id), scopes: [] },
]

export const customAttributes: Endpoint[] = nouns.flatMap(endpointsOf)

function endpointsOf({ kind, plural, access, scopes }: Noun): Endpoint[] {
  const params = { key: Type.String({ description: 'What the value is noted under' }) }
  return [
    endpoint(`GET /${plural}/:id/custom_attributes`, {
      summary: `List the custom attributes of a ${kind}`,
      access,
      scopes,
      reply: CustomAttributes,
      handle: async ({ app, noted }) => (await customAttributesOf(app.db, kind, [noted])).get(noted) ?? [],
    }),
    endpoint(`GET /${plural}/:id/custom_attributes/:key`, {
      summary: `Get a custom attribute of a ${kind}`,
      access,
      scopes,
      params,
      reply: CustomAttribute,
      async handle({ app, noted, params }) {
        const { key, value } = await findAttribute(app.db, kind, noted, params.key)
        return { key, value }
      },
    }),
    endpoint(`PUT /${plural}/:id/custom_attributes/:key`, {
      summary: `Set a custom attribute of a ${kind}`,
      access,
      params,
      body: { value: Type.String() },
      reply: CustomAttribute,
      handle: ({ app, noted, params, body }) => setAttribute(app.db, kind, noted, { key: params.key, value: body.value }),
    }),
    endpoint(`DELETE /${plural}/:id/custom_attributes/:key`, {
      summary: `Remove a custom attribute of a ${kind}`,
      access,
      params,
      reply: none,
      fails: { unmodified_since: 412 },
      async handle({ app, noted, params, unmodifiedSince }) {
        const { updated_at } = await findAttribute(app.db, kind, noted, params.key)
        requireUnmodified(unmodifiedSince, updated_at)
        await deleteAttribute(app.db, kind, noted, params.key)
        return null
      },
    }),
  ]
}

/** The rule, granting also the number of what is noted on. */
function noting<G extends Granted>(
  inner: Access<G>,
  idOf: (granted: G, app: App, id: string) => number | Promise<number>,
): Access<Granted & { noted: number }> {
  return {
    ...inner,
    async grant(app, caller, params) {
      const granted = await inner.grant(app, caller, params)
      return { user: granted.user, noted: await idOf(granted, app, params.id as string) }
    },
  }
}

async function idOfUser(_: { user: User }, app: App, idOrName: string): Promise<number> {
  const user = await findUser(app.db, idOrName)
  if (!user) throw notFound('User')
  return user.id
}
