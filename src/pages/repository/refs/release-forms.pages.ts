/** Creates, edits and deletes releases. */

import { Type } from 'typebox'
import { releaseAddress, releasesAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import {
  type AuthoredRelease,
  assertMayRelease,
  changeRelease,
  createRelease,
  linksOf,
  milestonesOf,
  removeRelease,
} from '../../../features/documents/releases/releases.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { Instant } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { dangerous, field, form, hidden, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { asRefusedForm, byField } from './errors.ts'
import { recentNames } from './parts.ts'
import { linkSection } from './release-links.pages.ts'
import { releaseAt } from './releases.pages.ts'
import { releaseSentences } from './sentences.ts'

const access = unarchived(project('manage_releases'))
type Allowed = Visit & ProjectGranted & SignedIn

const described = {
  name: Type.String({ default: '' }),
  description: Type.String({ default: '' }),
  released_at: Type.Optional(Instant),
  milestones: Type.Optional(Type.String()),
}

export const releaseFormPages = [
  page('GET /:project/releases/new', {
    access,
    query: { tag_name: Type.String({ default: '' }) },
    show: ({ sent, ...context }) => newRelease(context, untouched, sent.tag_name),
  }),
  action('POST /:project/releases', {
    access,
    form: { ...described, tag_name: Type.String(), ref: Type.String({ default: '' }), tag_message: Type.String({ default: '' }) },
    async act({ app, actor, project, sent }) {
      const { ref, tag_message, milestones = '', ...rest } = sent
      const tag_name = sent.tag_name.trim()
      const wanted = { ...rest, tag_name, ref: ref.trim(), tag_message, milestones: linesOf(milestones) }
      const release = await createRelease(app, actor, wanted).catch(asRefusedForm)
      return { redirect: `${releaseAddress(project, release.tag_name)}/edit`, notice: releaseSentences.created(release.name ?? tag_name) }
    },
    again: (context, typed) =>
      newRelease(context, byField(typed, [['tag_name', /^tag|already exists|this tag/i], ['ref', /^ref |^target/i], ofMilestones])),
  }),
  page('GET /:project/releases/:tag/edit', { access, show: (context) => editRelease(context, context.params.tag, untouched) }),
  action('POST /:project/releases/:tag', {
    access,
    form: { ...described, seen: Type.String() },
    async act({ app, user, project, actor, params, sent: { name, description, released_at, milestones, seen } }) {
      const release = await releaseAt(app, project, params.tag)
      if (release.updated_at !== seen) throw new Failure('conflict', releaseSentences.changed)
      // The field has no time of day: if the day doesn't change, the stored time is kept.
      const isNewDay = released_at !== undefined && dayOf(released_at) !== dayOf(release.released_at)
      const isNewList = milestones !== undefined && milestones !== (await titlesOf(app, user, release))
      await changeRelease(app, actor, release, {
        ...{ name, description },
        ...(isNewDay && { released_at }),
        ...(isNewList && { milestones: linesOf(milestones) }),
      })
      return { redirect: releaseAddress(project, release.tag_name), notice: releaseSentences.saved }
    },
    again: (context, typed) => editRelease(context, context.params.tag, byField(typed, [ofMilestones])),
  }),
  action('POST /:project/releases/:tag/delete', {
    access,
    async act({ app, actor, project, params }) {
      const release = await releaseAt(app, project, params.tag).catch(nullIfMissing)
      if (release) await removeRelease(app, actor, release)
      return { redirect: releasesAddress(project), notice: releaseSentences.deleted(release?.tag_name ?? params.tag) }
    },
  }),
]

const ofMilestones = ['milestones', /^Milestone/] as const

/** The titles of the milestones that the editor can see, in the format of the field. */
async function titlesOf(app: App, user: SignedIn['user'], release: AuthoredRelease): Promise<string> {
  const milestones = await milestonesOf(app.db, user, [release.id])
  return (milestones.get(release.id) ?? []).map(({ title }) => title).join('\n')
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function dayOf(instant: string): string {
  return instant.slice(0, 10)
}

async function newRelease({ project, level, user, repo, token }: Allowed, typed: Typed, tag_name = ''): Promise<View> {
  const fields = html`
    ${field(t`Tag`, 'tag_name', typed, {
      value: tag_name,
      required: true,
      autofocus: true,
      autocomplete: 'off',
      hint: releaseSentences.tagHint,
      list: await recentNames(repo, 'tags'),
    })}
    ${field(t`From`, 'ref', typed, {
      value: project.default_branch ?? '',
      autocomplete: 'off',
      hint: releaseSentences.refHint,
      list: await recentNames(repo, 'heads'),
    })}
    ${field(t`Message of a new tag`, 'tag_message', typed)}${describedFields(typed, {
      name: '',
      description: '',
      released_at: '',
      milestones: '',
    })}
  `
  return projectView(
    { project, level, user, tab: 'releases' },
    {
      title: t`New release`,
      main: html`
        <h1>New release</h1>
        <div class="form-page">
          ${problemsOf(typed.errors, ['tag_name', 'ref', ...Object.keys(described)])}
          ${form({ action: releasesAddress(project), token, submit: t`Create the release` }, fields)}
        </div>
      `,
    },
  )
}

function describedFields(typed: Typed, { name, description, released_at, milestones }: Record<keyof typeof described, string>): Html {
  return html`
    ${field(t`Title`, 'name', typed, { value: name, hint: releaseSentences.nameHint })}
    ${field(t`Date`, 'released_at', typed, { type: 'date', value: released_at, hint: releaseSentences.dateHint })}
    ${textArea(t`Milestones`, 'milestones', typed, {
      value: milestones,
      rows: 2,
      hint: releaseSentences.milestonesHint,
    })}
    ${textArea(t`Release notes`, 'description', typed, { value: description, rows: 14, hint: t`Markdown.` })}
  `
}

async function editRelease(context: Allowed, tag: string, typed: Typed): Promise<View> {
  const { app, project, level, user, token } = context
  const release = await releaseAt(app, project, tag)
  await assertMayRelease(app, { user, project, level }, release.tag_name)
  const links = (await linksOf(app.db, [release.id])).get(release.id) ?? []
  const address = releaseAddress(project, release.tag_name)
  const milestones = await titlesOf(app, user, release)
  const values = { name: release.name ?? '', description: release.description, released_at: dayOf(release.released_at), milestones }
  return projectView(
    { project, level, user, tab: 'releases' },
    {
      title: t`Edit release ${release.tag_name}`,
      main: html`
        <h1>Release <bdi class="ref">${release.tag_name}</bdi></h1>
        <div class="form-page">
          ${problemsOf(typed.errors, Object.keys(described))}
          ${form(
            { action: address, token, submit: t`Save the release` },
            html`${hidden({ seen: release.updated_at })}${describedFields(typed, values)}`,
          )}
          ${linkSection({ address, token }, links, untouched)}
          ${dangerous(
            t`Delete the release`,
            html`
              <p>${releaseSentences.deletion}</p>
              ${form({ action: `${address}/delete`, token, submit: t`Delete the release`, kind: 'danger' }, html``)}
            `,
          )}
          <p><a href="${address}">Back to the release</a></p>
        </div>
      `,
    },
  )
}
