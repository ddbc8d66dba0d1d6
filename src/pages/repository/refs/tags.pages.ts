/** The tags of a project, and one of them: its message, its signature, its release. */

import { Type } from 'typebox'
import { canPush, type LocatedProject } from '../../../access/find.ts'
import { addressAt, releaseAddress, tagAddress, tagsAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import { findRelease, presentRelease } from '../../../features/documents/releases/releases.ts'
import { tagAt } from '../../../features/repository/tags/tags.ts'
import { pageOfRefs, type Ref, type RefOrder } from '../../../git/refs/refs.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { feedLink } from '../../feeds/feed-link.ts'
import { page, type View, type Visit } from '../../frame/declaration.ts'
import { optionsOf } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { renderNotes } from './notes.ts'
import { archivesOf, badge, commitOfRef } from './parts.ts'
import { assetList } from './release-view.ts'
import { tagSentences } from './sentences.ts'
import { describeTags, type ShownTag, splitSignature, tagDeletion, tagRows } from './tag-view.ts'

const perPage = 20

const orders = {
  updated_desc: { order_by: 'updated', sort: 'desc' },
  updated_asc: { order_by: 'updated', sort: 'asc' },
  version_desc: { order_by: 'version', sort: 'desc' },
  name_asc: { order_by: 'name', sort: 'asc' },
} as const satisfies Record<string, RefOrder>

const orderLabels = () =>
  [
    ['updated_desc', t`Newest first`],
    ['updated_asc', t`Oldest first`],
    ['version_desc', t`Highest version first`],
    ['name_asc', t`Name`],
  ] as const

export const tagPages = [
  page('GET /:project/tags', {
    access: project('code'),
    query: {
      ...pageNumber,
      search: Type.String({ default: '' }),
      sort: oneOfDefault('updated_desc', 'updated_asc', 'version_desc', 'name_asc'),
    },
    async show({ sent, ...context }) {
      const { app, project, repo, user, level, token } = context
      const order = { ...orders[sent.sort], search: sent.search }
      const { rows, total } = await pageOfRefs(repo, 'tags', order, pageFrom({ page: sent.page, per_page: perPage }))
      const tags = await describeTags(app, context, rows)
      const address = tagsAddress(project)
      const parameters = new URLSearchParams({
        ...(sent.search !== '' && { search: sent.search }),
        ...(sent.sort !== 'updated_desc' && { sort: sent.sort }),
      }).toString()
      return projectView(
        { project, level, user, tab: 'tags' },
        {
          title: t`Tags`,
          head: feedLink(t`Tags`, `${tagsAddress(project)}.atom`, user),
          main: html`
            <div class="heading">
              <h1>Tags <span class="hint">${count(total, 'tag')}</span></h1>
              ${
                canPush({ project, level }) &&
                project.default_branch !== null &&
                html`<a class="button primary end" href="${address}/new">${icon('plus')} New tag</a>`
              }
            </div>
            <form class="filters" role="search" action="${address}">
              <label for="search">Find by name</label>
              <input id="search" name="search" type="search" value="${sent.search}">
              <label for="sort" class="unseen">Order</label>
              <select id="sort" name="sort">${optionsOf(orderLabels(), sent.sort)}</select><button>Find</button>
            </form>
            ${
              total === 0
                ? emptyState(sent.search === '' ? tagSentences.none : tagSentences.noneFound(sent.search))
                : tagRows({ ...context, token }, project, tags)
            }
            ${pagesBelow(parameters === '' ? address : `${address}?${parameters}`, { page: sent.page, per_page: perPage, total })}
          `,
        },
      )
    },
  }),
]

/** After the pages for new tags and for notes, whose URLs are below it. */
export const tagPage = page('GET /:project/tags/*', {
  access: project('code'),
  show: async (context) => tagView(context, await tagOf(context.app, context.project, context.params['*'])),
})

/** The tag in a URL, by its short or else its full name. Throws 404. */
export async function tagOf(app: App, { id }: LocatedProject, name: string): Promise<Ref> {
  const short = name.replace(/^refs\/tags\//, '')
  const found = short === name ? null : await tagAt(app, id, name).catch(nullIfMissing)
  return found ?? tagAt(app, id, short)
}

async function tagView(context: Visit & ProjectGranted, ref: Ref): Promise<View> {
  const { app, project, level, user, ip } = context
  const [tag] = (await describeTags(app, context, [ref])) as [ShownTag]
  const authored = tag.release && (await findRelease(app.db, project.id, tag.name))
  const release = authored && (await presentRelease(app, { user, project, level, html: false }, authored))
  const [notes = null] = await renderNotes(app, { project, level, user, ip }, [authored?.description ?? null])
  const address = tagAddress(project, tag.name)
  return projectView(
    { project, level, user, tab: 'tags' },
    {
      title: tag.name,
      main: html`
        <div class="heading">
          <h1><bdi class="ref">${tag.name}</bdi> ${tag.isProtected && badge(t`protected`)}</h1>
          <p class="actions end">
            <a class="button" href="${addressAt(project.full_path, 'tree', tag.revision)}">Browse files</a>
            <a class="button" href="${addressAt(project.full_path, 'commits', tag.revision)}">Commits</a>
          </p>
        </div>
        <p class="hint">${taggerOf(tag)}${tag.last ? commitOfRef(project, tag.last) : tagSentences.notCommit}</p>
        ${messageOf(tag)}
        <section aria-labelledby="notes">
          <h2 id="notes">Release notes</h2>
          ${notes ?? html`<p class="hint">${tag.release ? t`The release has no notes.` : t`This tag has no release.`}</p>`}
          <p class="actions">
            ${
              tag.isDescribable &&
              html`
                <a class="button" href="${address}/release/edit">${tag.release ? t`Edit the notes` : t`Write release notes`}</a>
              `
            }
            ${tag.release !== null && html`<a class="button" href="${releaseAddress(project, tag.name)}">Release</a>`}
          </p>
        </section>
        ${release && release.assets.links.length > 0 && html`<h2>Files</h2>${assetList(release.assets.links)}`}
        ${
          tag.last !== null &&
          html`
            <h2>Source code</h2>
            <ul class="sources">
              ${archivesOf(project, tag).map(({ format, href }) => html`<li><a href="${href}" download>${format}</a></li>`)}
            </ul>
          `
        }
        ${tag.isDeletable && tagDeletion(context, project, tag, tagsAddress(project))}
      `,
    },
  )
}

function taggerOf({ annotation }: ShownTag): Html | null {
  const tagger = annotation?.tagger
  return tagger ? html`Tagged by <bdi>${tagger.name}</bdi> ${ago(tagger.date)} · ` : null
}

function messageOf({ annotation }: ShownTag): Html | null {
  if (!annotation) return null
  const { text, signature, kind } = splitSignature(annotation.message)
  return html`${text !== '' && html`<pre class="message">${text}</pre>`}${
    signature !== null && html`<details><summary>${tagSentences.signed(kind)}</summary><pre>${signature}</pre></details>`
  }`
}
