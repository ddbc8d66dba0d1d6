/** The links among the assets of a release. */
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { slice } from '../../../http/reply/page.ts'
import { addLink, changeLink } from './links.service.ts'
import { release } from './releases.access.ts'
import { presentLink } from './releases.present.ts'
import { type AuthoredRelease, deleteLink, findLink, linksOf } from './releases.queries.ts'
import { linkChange, newLink, ReleaseLink } from './releases.schema.ts'
import { assertMayRelease } from './releases.service.ts'

const link = nested({ link_id: Id }, async ({ release }: { release: AuthoredRelease }, { link_id }, app) => {
  const link = await findLink(app.db, release.id, link_id)
  if (!link) throw missing()
  return { link }
})

const readable = within(using('repository', project('visible')), release)
const writable = within(project('manage_releases'), release)

export const releaseLinks = [
  listEndpoint('GET /projects/:id/releases/:tag_name/assets/links', {
    summary: 'List the links of a release',
    jobTokens: true,
    access: readable,
    item: ReleaseLink,
    async handle({ app, project, release, page }) {
      const { rows, total } = slice((await linksOf(app.db, [release.id])).get(release.id) ?? [], page)
      return { rows: rows.map((link) => presentLink(app.config, project, release.tag_name, link)), total }
    },
  }),
  endpoint('GET /projects/:id/releases/:tag_name/assets/links/:link_id', {
    summary: 'Get a link of a release',
    jobTokens: true,
    access: within(readable, link),
    reply: ReleaseLink,
    handle: ({ app, project, release, link }) => presentLink(app.config, project, release.tag_name, link),
  }),
  endpoint('POST /projects/:id/releases/:tag_name/assets/links', {
    summary: 'Add a link to a release',
    jobTokens: true,
    access: writable,
    body: newLink,
    reply: ReleaseLink,
    async handle({ app, actor, project, release, body }) {
      await assertMayRelease(app, actor, release.tag_name)
      return presentLink(app.config, project, release.tag_name, await addLink(app.db, release, body))
    },
  }),
  endpoint('PUT /projects/:id/releases/:tag_name/assets/links/:link_id', {
    summary: 'Update a link of a release',
    jobTokens: true,
    access: within(writable, link),
    body: linkChange,
    atLeastOne: ['name', 'url', 'link_type', 'direct_asset_path', 'filepath'],
    reply: ReleaseLink,
    async handle({ app, actor, project, release, link, body }) {
      await assertMayRelease(app, actor, release.tag_name)
      return presentLink(app.config, project, release.tag_name, await changeLink(app.db, link.id, body))
    },
  }),
  endpoint('DELETE /projects/:id/releases/:tag_name/assets/links/:link_id', {
    summary: 'Delete a link of a release',
    jobTokens: true,
    access: within(writable, link),
    reply: ReleaseLink,
    lastChanged: ({ link }) => link.created_at,
    async handle({ app, actor, project, release, link }) {
      await assertMayRelease(app, actor, release.tag_name)
      await deleteLink(app.db, link.id)
      return presentLink(app.config, project, release.tag_name, link)
    },
  }),
]
