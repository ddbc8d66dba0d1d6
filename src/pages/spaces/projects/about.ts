/** The sidebar of a project's page: topics, languages, license, size, tags and releases, badges. */

import type { LocatedProject, ProjectAccess } from '../../../access/find.ts'
import { addressAt, releasesAddress, tagsAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { listReleases } from '../../../features/documents/releases/releases.ts'
import { languagesOf } from '../../../features/repository/stats/stats.ts'
import { badgesOfProject } from '../../../features/spaces/badges/badges.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import { branchRevision, tagRevision } from '../../../git/refs/names.ts'
import { pageOfRefs, type RefPage } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { licenceOf } from './licence.ts'
import * as say from './sentences.ts'

const latestTags = 3

type Badges = Awaited<ReturnType<typeof badgesOfProject>>

export async function aboutCode(
  app: App,
  access: ProjectAccess,
  user: User | null,
  repo: Repo,
  rows: readonly ListedEntry[],
): Promise<Html> {
  const { project } = access
  const [languages, tags, releases, badges, licence] = await Promise.all([
    languagesKnown(app, project, repo),
    pageOfRefs(repo, 'tags', { order_by: 'updated', sort: 'desc' }, { limit: latestTags, offset: 0 }),
    listReleases(app.db, project.id, { order_by: 'released_at', sort: 'desc' }, { limit: 1, offset: 0 }),
    badgesOfProject(app, access, user),
    licenceOf(repo, rows),
  ])
  return html`
    ${factsOf(project, { licence, tags, releases: releases.total })}${languageBar(languages)}${badgeLinks(badges)}
  `
}

/** Null while they are being counted. */
async function languagesKnown(app: App, project: LocatedProject, repo: Repo): Promise<Record<string, number> | null> {
  try {
    return await languagesOf(app, project, app.limits.pagePatience_ms.languages, repo)
  } catch (error) {
    if (error instanceof Failure && /^(timed_out|busy|too_many_at_once|git_failed)$/.test(error.code)) return null
    throw error
  }
}

/** Languages with a significant share: as a bar, and in words beside it. */
function languageBar(languages: Record<string, number> | null): Html | null {
  if (languages === null) return html`<section><h2>Languages</h2><p class="hint">${say.countingLanguages()}</p></section>`
  const shares = Object.entries(languages).sort(([, one], [, other]) => other - one)
  if (shares.length === 0) return null
  const shown = shares.slice(0, 6)
  let at = 0
  const parts = shown.map(([, percent], index) => {
    const part = html`<rect class="language-${index}" x="${at}" y="0" width="${percent}" height="8"></rect>`
    at += percent
    return part
  })
  return html`
    <section>
      <h2>Languages</h2>
      <svg class="languages" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
      <ul class="languages">
        ${shown.map(
          ([name, percent], index) =>
            html`
              <li>
                <span class="language-${index}" aria-hidden="true"></span>${name} <span class="hint">${percent} %</span>
              </li>
            `,
        )}
      </ul>
    </section>
  `
}

interface Facts {
  licence: Awaited<ReturnType<typeof licenceOf>>
  tags: RefPage
  releases: number
}

function factsOf(project: LocatedProject, { licence, tags, releases }: Facts): Html {
  const { full_path, default_branch, repository_size, lfs_objects_size } = project
  const lines = [
    licence &&
      html`
        <li>
          ${icon('file')}
          <a href="${addressAt(full_path, 'blob', branchRevision(default_branch ?? ''), licence.entry.path)}">
            ${licence.name ?? licence.entry.name}
          </a>
        </li>
      `,
    html`<li>${icon('tag')} <a href="${tagsAddress({ full_path })}">${count(tags.total, 'tag')}</a>${tags.rows.map(
      ({ name }) => html` <a class="tag ref" href="${addressAt(full_path, 'tree', tagRevision(name))}">${isolated(name)}</a>`,
    )}</li>`,
    releases > 0 && html`<li>${icon('upload')} <a href="${releasesAddress({ full_path })}">${count(releases, 'release')}</a></li>`,
    html`
      <li>
        ${icon('folder')}
        ${size(repository_size + lfs_objects_size)}${
          lfs_objects_size > 0 && html` <span class="hint">${size(lfs_objects_size)} of it LFS</span>`
        }
      </li>
    `,
    html`<li>${icon('commit')} Active ${ago(project.last_activity_at)}</li>`,
  ]
  return html`<section><h2>About</h2><ul class="plain">${lines.map((line) => line || null)}</ul></section>`
}

/** Images from elsewhere are only loaded over TLS, as the policy of the page requires; others are links. */
function badgeLinks(badges: Badges): Html | null {
  if (badges.length === 0) return null
  return html`<section><h2>Badges</h2><p class="badges">${badges.map(({ rendered_link_url, rendered_image_url }) => {
    const host = isUrl(rendered_link_url) ? new URL(rendered_link_url).host : 'elsewhere'
    const picture = rendered_image_url.startsWith('https:')
    return html`<a href="${rendered_link_url}" rel="nofollow noopener noreferrer">${
      picture ? html`<img src="${rendered_image_url}" alt="Badge, leads to ${host}" loading="lazy" height="20">` : t`Badge of ${host}`
    }</a> `
  })}</p></section>`
}
