/** The releases of a project, and one of them. */

import { canDownload, canPush, type LocatedProject } from '../../../access/find.ts'
import { releaseAddress, releasesAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import {
  type AuthoredRelease,
  latestRelease,
  listReleases,
  presentRelease,
  presentReleases,
  requireRelease,
} from '../../../features/documents/releases/releases.ts'
import { mayCreateTag, protectionOf } from '../../../features/repository/protected-refs/protected-refs.ts'
import { html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project, using } from '../../../http/declare/rules.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { renderNotes } from './notes.ts'
import { releaseArticle } from './release-view.ts'
import { releaseSentences } from './sentences.ts'

const perPage = 10

export const releaseListPage = page('GET /:project/releases', {
  // Guests see releases, but not their code.
  access: using('repository', project('visible')),
  query: pageNumber,
  async show({ app, access, project, level, user, ip, sent }) {
    const { rows, total } = await listReleases(
      app.db,
      project.id,
      { order_by: 'released_at', sort: 'desc' },
      pageFrom({ page: sent.page, per_page: perPage }),
    )
    const releases = await presentReleases(app, { user, project, level, html: false }, rows)
    const notes = await renderNotes(
      app,
      { project, level, user, ip },
      rows.map(({ description }) => description),
    )
    const latest = total > 0 ? await latestRelease(app.db, project.id) : null
    const address = releasesAddress(project)
    const newLink = canPush(access) && html`<a class="button primary end" href="${address}/new">${icon('plus')} New release</a>`
    return projectView(
      { project, level, user, tab: canDownload(access, user) ? 'releases' : null },
      {
        title: t`Releases`,
        main: html`
          <div class="heading">
            <h1>Releases <span class="hint">${count(total, 'release')}</span></h1>
            ${total > 0 && newLink}
          </div>
          ${
            total === 0
              ? emptyState(releaseSentences.none, newLink)
              : releases.map((release, index) =>
                  releaseArticle(project, release, {
                    notes: notes[index] ?? null,
                    heading: 'h2',
                    isLatest: rows[index]?.id === latest?.id,
                  }),
                )
          }
          ${pagesBelow(address, { page: sent.page, per_page: perPage, total })}
        `,
      },
    )
  },
})

/** After the pages that create and edit releases, whose URLs are below it. */
export const releasePage = page('GET /:project/releases/*', {
  access: project('code'),
  async show({ app, access, project, level, user, ip, params }) {
    const found = await releaseAt(app, project, params['*'])
    const release = await presentRelease(app, { user, project, level, html: false }, found)
    const [notes = null] = await renderNotes(app, { project, level, user, ip }, [found.description])
    const mayChange = canPush(access) && mayCreateTag(await protectionOf(app.db, project.id), level, found.tag_name)
    const edit = html`<a class="button" href="${releaseAddress(project, found.tag_name)}/edit">${icon('edit')} Edit</a>`
    return projectView(
      { project, level, user, tab: 'releases' },
      { title: release.name, main: releaseArticle(project, release, { notes, heading: 'h1', actions: mayChange ? edit : null }) },
    )
  },
})

/** The release in a URL, by the short or else the full name of its tag. Throws 404. */
export async function releaseAt(app: App, { id }: LocatedProject, name: string): Promise<AuthoredRelease> {
  const short = name.replace(/^refs\/tags\//, '')
  const found = short === name ? null : await requireRelease(app.db, id, name).catch(nullIfMissing)
  return found ?? requireRelease(app.db, id, short)
}
