/** Releases, newer than the API's version 11.3 (today's public documentation of the API). */
import { Type } from 'typebox'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { project, using } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Off, oneOfDefault } from '../../../http/parameters/schema.ts'
import { releaseLinks } from './links.endpoints.ts'
import { release } from './releases.access.ts'
import { presentRelease, presentReleases } from './releases.present.ts'
import { latestRelease, listReleases } from './releases.queries.ts'
import { newRelease, Release, releaseChange } from './releases.schema.ts'
import { changeRelease, createRelease, removeRelease } from './releases.service.ts'

const include_html_description = Type.Unsafe<boolean>({ ...Off, description: 'With the description as HTML' })

export const releases = [
  listEndpoint('GET /projects/:id/releases', {
    summary: 'List the releases of a project',
    jobTokens: true,
    access: using('repository', project('visible')),
    query: { order_by: oneOfDefault('released_at', 'created_at'), sort: oneOfDefault('desc', 'asc'), include_html_description },
    item: Release,
    async handle({ app, user, ip, project, level, query, page }) {
      const { rows, total } = await listReleases(app.db, project.id, query, page)
      return { rows: await presentReleases(app, { user, ip, project, level, html: query.include_html_description }, rows), total }
    },
  }),
  endpoint('GET /projects/:id/releases/permalink/latest', {
    summary: 'Get the latest release that is not upcoming',
    jobTokens: true,
    access: project('code'),
    query: { include_html_description },
    reply: Release,
    async handle({ app, user, ip, project, level, query }) {
      const release = await latestRelease(app.db, project.id)
      if (!release) throw missing()
      return presentRelease(app, { user, ip, project, level, html: query.include_html_description }, release)
    },
  }),
  endpoint('GET /projects/:id/releases/:tag_name', {
    summary: 'Get the release of a tag',
    jobTokens: true,
    access: within(project('code'), release),
    query: { include_html_description },
    reply: Release,
    handle: ({ app, user, ip, project, level, release, query }) =>
      presentRelease(app, { user, ip, project, level, html: query.include_html_description }, release),
  }),
  endpoint('POST /projects/:id/releases', {
    summary: 'Create a release, and its tag if there is none',
    jobTokens: true,
    access: project('manage_releases'),
    body: newRelease,
    reply: Release,
    fails: ['conflict', 'unprocessable'],
    async handle({ app, actor, body }) {
      const release = await createRelease(app, actor, body)
      return presentRelease(app, { ...actor, html: false }, release)
    },
  }),
  endpoint('PUT /projects/:id/releases/:tag_name', {
    summary: 'Update a release',
    jobTokens: true,
    access: within(project('manage_releases'), release),
    body: releaseChange,
    reply: Release,
    async handle({ app, actor, release, body }) {
      const changed = await changeRelease(app, actor, release, body)
      return presentRelease(app, { ...actor, html: false }, changed)
    },
  }),
  endpoint('DELETE /projects/:id/releases/:tag_name', {
    summary: 'Delete a release; its tag stays',
    jobTokens: true,
    access: within(project('manage_releases'), release),
    reply: Release,
    lastChanged: ({ release }) => release.updated_at,
    async handle({ app, actor, release }) {
      const presented = await presentRelease(app, { ...actor, html: false }, release)
      await removeRelease(app, actor, release)
      return presented
    },
  }),
  ...releaseLinks,
]
