/** The payload of releases. */

import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentLink, sourcesOf } from '../../documents/releases/releases.ts'
import type { ReleaseFacts } from './facts.ts'
import { linksOfRelease } from './parts.queries.ts'
import { commitOf, payloadCommit, settingOf } from './parts.ts'
import type { ReleasePayload } from './repository.schema.ts'

export async function releasePayload(app: App, facts: ReleaseFacts): Promise<Presented<typeof ReleasePayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { release, action } = facts
  const { project, shown } = setting
  const url = projectUrl(app.config, project)
  const commit = await commitOf(app, project, `refs/tags/${release.tag_name}`)
  const links = (await linksOfRelease(app.db, release.id)).map((link) => presentLink(app.config, project, release.tag_name, link))
  const sources = sourcesOf(url, project, release.tag_name)
  return {
    object_kind: 'release',
    id: release.id,
    action,
    name: release.name ?? release.tag_name,
    description: release.description,
    tag: release.tag_name,
    created_at: release.created_at,
    released_at: release.released_at,
    url: `${url}/-/releases/${encodeURIComponent(release.tag_name)}`,
    project: shown,
    assets: { count: links.length + sources.length, links, sources },
    commit: commit && payloadCommit(app.config, project, commit),
  }
}
