/** The links among the assets of a release. */

import { Type } from 'typebox'
import { releaseAddress } from '../../../addresses/repository.ts'
import type { ReleaseLink } from '../../../db/tables.ts'
import { addLink, assertMayRelease, changeLink, deleteLink, findLink, linksOf } from '../../../features/documents/releases/releases.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { Id, oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { releaseAt } from './releases.pages.ts'
import { releaseSentences } from './sentences.ts'

const access = unarchived(project('manage_releases'))
type Allowed = Visit & ProjectGranted & SignedIn

const linkFields = {
  name: Type.String(),
  url: Type.String(),
  link_type: oneOfDefault('other', 'package', 'image', 'runbook'),
  filepath: Type.String({ default: '' }),
}

const typeLabels = () =>
  [
    ['other', t`Other`],
    ['package', t`Package`],
    ['image', t`Image`],
    ['runbook', t`Runbook`],
  ] as const

export const releaseLinkPages = [
  action('POST /:project/releases/:tag/links', {
    access,
    form: linkFields,
    async act({ app, actor, project, params, sent }) {
      const release = await releaseAt(app, project, params.tag)
      await assertMayRelease(app, actor, release.tag_name)
      const { name } = await addLink(app.db, release, sent)
      return { redirect: `${releaseAddress(project, release.tag_name)}/edit#links`, notice: releaseSentences.linkAdded(name) }
    },
    again: (context, typed) => linksAgain(context, context.params.tag, typed, null),
  }),
  action('POST /:project/releases/:tag/links/:link', {
    access,
    form: linkFields,
    async act({ app, actor, project, params, sent }) {
      const release = await releaseAt(app, project, params.tag)
      await assertMayRelease(app, actor, release.tag_name)
      const redirect = `${releaseAddress(project, release.tag_name)}/edit#links`
      const link = /^\d{1,15}$/.test(params.link) ? await findLink(app.db, release.id, Number(params.link)) : null
      if (!link) return { redirect, notice: releaseSentences.linkGone }
      const { name } = await changeLink(app.db, link.id, sent)
      return { redirect, notice: releaseSentences.linkSaved(name) }
    },
    again: (context, typed) => linksAgain(context, context.params.tag, typed, context.params.link),
  }),
  action('POST /:project/releases/:tag/remove_link', {
    access,
    form: { id: Id },
    async act({ app, actor, project, params, sent: { id } }) {
      const release = await releaseAt(app, project, params.tag)
      await assertMayRelease(app, actor, release.tag_name)
      const link = await findLink(app.db, release.id, id)
      if (link) await deleteLink(app.db, link.id)
      const notice = link ? releaseSentences.linkRemoved(link.name) : releaseSentences.linkGone
      return { redirect: `${releaseAddress(project, release.tag_name)}/edit#links`, notice }
    },
  }),
]

interface Place {
  /** URL of the release. */
  address: string
  token: Html
}

/** The existing links, each with a form to change it, and a form for a new one; `typed` belongs to `failed`, where null is the new one. */
export function linkSection(place: Place, links: readonly ReleaseLink[], typed: Typed, failed: string | null = null): Html {
  return html`
    <section id="links" aria-labelledby="links-heading">
      <h2 id="links-heading">Links to files</h2>
      ${links.map((link) => {
        const isFailed = failed === String(link.id)
        return html`
          <details class="entry"${isFailed && html` open`}>
            <summary><bdi>${link.name}</bdi> <span class="hint">${link.url}</span></summary>
            ${linkForm(place, link, isFailed ? typed : untouched)}
            ${postButton(html`Remove<span class="unseen"> <bdi>${link.name}</bdi></span>`, {
              action: `${place.address}/remove_link`,
              token: place.token,
              kind: 'danger',
              fields: { id: String(link.id) },
            })}
          </details>
        `
      })}
      <h3>Add a link</h3>
      ${linkForm(place, null, failed === null ? typed : untouched)}
    </section>
  `
}

function linkForm({ address, token }: Place, link: ReleaseLink | null, typed: Typed): Html {
  const id = link ? `link-${link.id}-` : 'new-'
  const action = `${address}/links${link ? `/${link.id}` : ''}`
  return form(
    { action, token, submit: link ? t`Save the link` : t`Add the link`, kind: link ? 'plain' : 'primary' },
    html`
      ${problemsOf(typed.errors, Object.keys(linkFields))}${field(t`Name`, 'name', typed, {
        id,
        value: link?.name,
        required: true,
      })}
      ${field(t`Address`, 'url', typed, { id, type: 'url', value: link?.url, required: true })}
      ${select(t`Kind`, 'link_type', typed, typeLabels(), { id, value: link?.link_type ?? 'other' })}
      ${field(t`Path`, 'filepath', typed, { id, value: link?.filepath ?? '', hint: releaseSentences.pathHint })}
    `,
  )
}

/** Only the links, with the submitted values and their errors. */
async function linksAgain({ app, project, level, user, token }: Allowed, tag: string, typed: Typed, failed: string | null): Promise<View> {
  const release = await releaseAt(app, project, tag)
  const links = (await linksOf(app.db, [release.id])).get(release.id) ?? []
  const address = releaseAddress(project, release.tag_name)
  return projectView(
    { project, level, user, tab: 'releases' },
    {
      title: t`Links of ${release.tag_name}`,
      main: html`
        <h1>Release <bdi class="ref">${release.tag_name}</bdi></h1>
        <div class="form-page">
          ${linkSection({ address, token }, links, typed, failed)}
          <p><a href="${address}/edit">Back to the release</a></p>
        </div>
      `,
    },
  )
}
