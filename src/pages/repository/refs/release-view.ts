/** A release as an article: its tag, its milestones, its notes, its assets. */

import type { LocatedProject } from '../../../access/find.ts'
import { commitAddress, releaseAddress, tagAddress } from '../../../addresses/repository.ts'
import type { presentRelease } from '../../../features/documents/releases/releases.ts'
import { tagRevision } from '../../../git/refs/names.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { shortId } from '../history/commits.ts'
import { archivesOf, badge } from './parts.ts'
import { releaseSentences } from './sentences.ts'

export type PresentedRelease = Awaited<ReturnType<typeof presentRelease>>

/** `heading`: the element of its name, which is a link in lists. */
export function releaseArticle(
  project: LocatedProject,
  release: PresentedRelease,
  {
    notes,
    heading,
    actions = null,
    isLatest = false,
  }: { notes: Html | null; heading: 'h1' | 'h2'; actions?: Html | null; isLatest?: boolean },
): Html {
  const { tag_name, name, upcoming_release } = release
  const title =
    heading === 'h2' && tag_name !== undefined
      ? html`<a href="${releaseAddress(project, tag_name)}"><bdi>${name}</bdi></a>`
      : html`<bdi>${name}</bdi>`
  const badges = upcoming_release ? badge(t`upcoming`) : isLatest && html`<span class="tag latest">Latest</span>`
  return html`
    <article class="release">
      <div class="heading">
        ${heading === 'h1' ? html`<h1>${title} ${badges}</h1>` : html`<h2>${title} ${badges}</h2>`}
        ${actions !== null && html`<p class="actions end">${actions}</p>`}
      </div>
      <p class="hint">${factsOf(project, release)}</p>
      ${milestonesOf(release)}
      <div class="release-notes">${notes}${filesOf(project, release)}${evidenceOf(release)}</div>
    </article>
  `
}

function factsOf(project: LocatedProject, { tag_name, commit, author, released_at, upcoming_release }: PresentedRelease): Html {
  return html`
    ${
      tag_name !== undefined &&
      (commit
        ? html`${icon('tag')} <a class="ref" href="${tagAddress(project, tag_name)}"><bdi>${tag_name}</bdi></a> · `
        : html`<bdi class="ref">${tag_name}</bdi> · ${releaseSentences.tagGone} · `)
    }${
      commit ? html`<a href="${commitAddress(project, commit.id)}"><code>${shortId(commit.id)}</code></a> · ` : null
    }${upcoming_release ? t`to be released` : t`released`}
    ${ago(released_at)}${author !== undefined && html` by <a href="/${author.username}">${isolated(author.name)}</a>`}
  `
}

/** Each as a link to its page. */
function milestonesOf({ milestones }: PresentedRelease): Html | null {
  if (milestones.length === 0) return null
  const links = milestones.map(
    ({ title, web_url }, index) => html`${index > 0 && ', '}<a href="${new URL(web_url).pathname}"><bdi>${title}</bdi></a>`,
  )
  return html`<p class="hint">${milestones.length === 1 ? t`Milestone` : t`Milestones`} ${links}</p>`
}

/** The links, then the archives of the source. */
function filesOf(project: LocatedProject, { tag_name, commit, assets }: PresentedRelease): Html | null {
  const sources = commit && tag_name !== undefined ? archivesOf(project, { name: tag_name, revision: tagRevision(tag_name) }) : []
  if (sources.length + assets.links.length === 0) return null
  return html`
    <details class="assets"${assets.links.length > 0 && html` open`}>
      <summary>Files <span class="hint">${assets.links.length + sources.length}</span></summary>
      ${assetList(assets.links)}
      ${
        sources.length > 0 &&
        html`
          <p class="sources">
            ${icon('folder')} Source code: ${sources.map(
              ({ format, href }, index) => html`${index > 0 && ', '}<a href="${href}" download>${format}</a>`,
            )}
          </p>
        `
      }
    </details>
  `
}

/** Folded, since only audits need it: each snapshot of the release, with a link to its JSON and the start of its checksum. */
function evidenceOf({ evidences = [] }: PresentedRelease): Html | null {
  if (evidences.length === 0) return null
  return html`
    <details class="assets">
      <summary>Evidence <span class="hint">${evidences.length}</span></summary>
      <ul>
        ${evidences.map(
          ({ sha, filepath, collected_at }) => html`
            <li><a href="${new URL(filepath).pathname}">Collected ${ago(collected_at)}</a> <code>${sha.slice(0, 12)}</code></li>
          `,
        )}
      </ul>
    </details>
  `
}

/** The pictures of kinds that are named. */
const kinds: Record<string, string> = { package: 'download', image: 'folder', runbook: 'file' }

export function assetList(links: PresentedRelease['assets']['links']): Html | null {
  if (links.length === 0) return null
  return html`
    <table class="files-of">
      <thead class="unseen">
        <tr><th scope="col">File</th><th scope="col">Kind</th></tr>
      </thead>
      <tbody>
        ${links.map(
          ({ name, direct_asset_url, link_type }) => html`
            <tr>
              <td>
                ${icon(kinds[link_type] ?? 'file')}
                <a href="${direct_asset_url}" rel="nofollow noreferrer"><bdi>${name}</bdi></a>
              </td>
              <td>${kinds[link_type] !== undefined && badge(link_type)}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `
}
