/** The groups of a project, its starrers, and the location of its repository. */
import { relative } from 'node:path'
import { type Static, Type } from 'typebox'
import type { LocatedGroup } from '../../../access/find.ts'
import { memberLevels } from '../../../access/levels.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administratorOf, project } from '../../../http/declare/rules.ts'
import { Id, Instant, nullable, Off, resource } from '../../../http/parameters/schema.ts'
import { fullNamesOf } from '../../namespaces/namespaces.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import { avatarUrl } from '../../storage/avatars/avatars.ts'
import { limitsOf } from '../../storage/quotas/quotas.ts'
import { listGroupsOf, listStarrers } from './related.queries.ts'

const bytes = Type.Integer({ description: 'In bytes' })

const ProjectGroup = resource('ProjectGroup', {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  avatar_url: nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
})

export const projectRelations = [
  listEndpoint('GET /projects/:id/groups', {
    summary: 'List the groups above a project, and those it is shared with',
    access: project('visible'),
    query: {
      search: Type.Optional(Type.String({ description: 'Part of a name or path' })),
      skip_groups: Type.Optional(Type.Array(Id, { maxItems: 1_000 })),
      with_shared: Type.Boolean({ default: false, description: 'Include the groups it is shared with' }),
      shared_min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
      shared_visible_only: Type.Unsafe<boolean>({ ...Off, description: 'Without effect: hidden groups are never listed' }),
    },
    item: ProjectGroup,
    async handle({ app, user, project, query, page }) {
      const { rows, total } = await listGroupsOf(app.db, user, project, query, page)
      return { rows: await presentGroups(app, rows), total }
    },
  }),
  listEndpoint('GET /projects/:id/invited_groups', {
    summary: 'List the groups that a project, or a group above it, is shared with',
    access: project('visible'),
    query: {
      search: Type.Optional(Type.String({ description: 'Part of a name or path' })),
      min_access_level: Type.Optional(Type.Integer({ enum: memberLevels })),
    },
    item: ProjectGroup,
    async handle({ app, user, project, query: { search, min_access_level }, page }) {
      const filter = { search, with_ancestors: false, with_shared: true, shared_min_access_level: min_access_level }
      const { rows, total } = await listGroupsOf(app.db, user, project, filter, page)
      return { rows: await presentGroups(app, rows), total }
    },
  }),
  listEndpoint('GET /projects/:id/starrers', {
    summary: 'List the users who have starred a project',
    access: project('visible'),
    query: { search: Type.Optional(Type.String({ description: 'Part of a name or username' })) },
    item: resource('Starrer', { starred_since: Instant, user: UserBrief }),
    async handle({ app, user, project, query, page }) {
      const { rows, total } = await listStarrers(app.db, user, project.id, query.search, page)
      return { rows: rows.map(({ starred_since, ...row }) => ({ starred_since, user: presentUserBrief(app.config, row) })), total }
    },
  }),
  endpoint('GET /projects/:id/storage', {
    summary: 'Get where the repository of a project is stored, and its sizes',
    access: administratorOf(project('signed-in')),
    reply: resource('ProjectStorage', {
      project_id: Type.Integer(),
      disk_path: Type.String({ description: 'Relative to the data folder, without .git' }),
      created_at: Instant,
      repository_storage: Type.String(),
      repository_size: bytes,
      repository_size_limit: nullable(Type.Integer({ description: "The project's own, in MB; null for the limit above" })),
      lfs_objects_size: bytes,
      storage_size: bytes,
    }),
    handle: async ({ app, project, repo }) => ({
      project_id: project.id,
      disk_path: diskPath(app.config.home, repo.dir),
      created_at: project.created_at,
      repository_storage: 'default',
      repository_size: project.repository_size,
      repository_size_limit: (await limitsOf(app.db, { project_id: project.id })).repository_size_limit,
      lfs_objects_size: project.lfs_objects_size,
      storage_size: project.repository_size + project.wiki_size + project.snippets_size + project.lfs_objects_size,
    }),
  }),
]

function diskPath(home: string, dir: string): string {
  return relative(home, dir).replace(/\.git$/, '')
}

async function presentGroups(app: App, rows: LocatedGroup[]): Promise<Array<Static<typeof ProjectGroup>>> {
  const names = await fullNamesOf(
    app.db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    id: row.id,
    web_url: pageUrl(app.config, groupAddress(row.full_path)),
    name: row.name,
    avatar_url: avatarUrl(app.config, 'group', row),
    full_name: names.get(row.id) ?? row.name,
    full_path: row.full_path,
  }))
}
