/** Releases, newer than the API's version 11.3 (today's public documentation of the API). */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { missing } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { outcome } from '../../../http/declare/outcome.ts'
import { group, project, using } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { none, Off, oneOfDefault } from '../../../http/parameters/schema.ts'
import { collectEvidence } from './evidences.service.ts'
import { releaseLinks } from './links.endpoints.ts'
import { release } from './releases.access.ts'
import { presentRelease, presentReleases, presentReleasesOfMany } from './releases.present.ts'
import { type AuthoredRelease, findLinkByPath, latestRelease, listReleases, listReleasesOfGroup } from './releases.queries.ts'
import { newRelease, Release, releaseChange } from './releases.schema.ts'
import { assertMayRelease, changeRelease, createRelease, removeRelease } from './releases.service.ts'

const include_html_description = Type.Unsafe<boolean>({ ...Off, description: 'With the description as HTML' })

const redirected = {
  params: { direct_asset_path: Type.String({ description: 'The path of the link to the file: bin/linux-amd64' }) },
  restOfPath: true,
  reply: none,
  status: 302,
  replyHeaders: { Location: 'The URL of the link' },
} as const

/** Throws 404 if no link of the release has this path. */
async function redirectToFile({ db }: App, { id }: AuthoredRelease, path: string) {
  const link = await findLinkByPath(db, id, `/${path}`)
  if (!link) throw missing()
  return outcome(null, null, { location: link.url })
}

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
  listEndpoint('GET /groups/:id/releases', {
    summary: 'List the releases of the projects in a group',
    access: group('visible'),
    query: { sort: oneOfDefault('desc', 'asc') },
    item: Release,
    async handle({ app, user, group, query, page }) {
      const { rows, total } = await listReleasesOfGroup(app.db, { group_id: group.id, viewer: user }, query, page)
      return { rows: await presentReleasesOfMany(app, user, rows), total }
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
  endpoint('GET /projects/:id/releases/permalink/latest/downloads/:direct_asset_path', {
    summary: 'Get where a file of the latest release is',
    jobTokens: true,
    access: project('code'),
    ...redirected,
    async handle({ app, project, params }) {
      const release = await latestRelease(app.db, project.id)
      if (!release) throw missing()
      return redirectToFile(app, release, params.direct_asset_path)
    },
  }),
  endpoint('GET /projects/:id/releases/:tag_name/downloads/:direct_asset_path', {
    summary: 'Get where a file of a release is',
    jobTokens: true,
    access: within(project('code'), release),
    ...redirected,
    handle: ({ app, release, params }) => redirectToFile(app, release, params.direct_asset_path),
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
  endpoint('POST /projects/:id/releases/:tag_name/evidence', {
    summary: 'Collect evidence of a release',
    operationId: 'collectProjectReleaseEvidence',
    jobTokens: true,
    access: within(project('manage_releases'), release),
    reply: none,
    status: 202,
    async handle({ app, actor, release }) {
      await assertMayRelease(app, actor, release.tag_name)
      const { author: _, ...row } = release
      await collectEvidence(app, row)
      return null
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
