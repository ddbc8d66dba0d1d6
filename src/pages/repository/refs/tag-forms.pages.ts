/** Creates and deletes tags, and edits their release notes. */

import { Type } from 'typebox'
import { tagAddress, tagsAddress } from '../../../addresses/repository.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { assertMayRelease, changeRelease, createRelease, findRelease } from '../../../features/documents/releases/releases.ts'
import { createDescribedTag, deleteTag, tagAt } from '../../../features/repository/tags/tags.ts'
import type { Ref } from '../../../git/refs/refs.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { field, form, hidden, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { asRefusedForm, byField } from './errors.ts'
import { backTo, recentNames } from './parts.ts'
import { releaseSentences, tagSentences } from './sentences.ts'
import { tagOf } from './tags.pages.ts'

const access = unarchived(project('push_code'))
type Allowed = Visit & ProjectGranted & SignedIn

export const tagFormPages = [
  page('GET /:project/tags/new', {
    access,
    query: { ref: Type.String({ default: '' }) },
    show: ({ sent, ...context }) => newTag(context, untouched, sent.ref),
  }),
  action('POST /:project/tags', {
    access,
    form: {
      tag_name: Type.String(),
      ref: Type.String(),
      message: Type.String({ default: '' }),
      release_description: Type.String({ default: '' }),
    },
    async act({ app, actor, project, sent }) {
      const wanted = { tag_name: sent.tag_name.trim(), ref: sent.ref.trim(), message: sent.message }
      const { name } = await createDescribedTag(app, actor, wanted, sent.release_description).catch(asRefusedForm)
      return { redirect: tagAddress(project, name), notice: tagSentences.created(name) }
    },
    again: (context, typed) =>
      newTag(
        context,
        byField(typed, [
          ['tag_name', /^tag|create this tag/i],
          ['ref', /^target|ref is/i],
        ]),
      ),
  }),
  action('POST /:project/tags/delete', {
    access,
    form: { name: Type.String(), oid: Type.String(), back: Type.Optional(Type.String()) },
    async act({ app, actor, project, sent: { name, oid, back } }) {
      const redirect = backTo(back, tagsAddress(project))
      const tag = await tagAt(app, project.id, name).catch(nullIfMissing)
      if (!tag) return { redirect, notice: tagSentences.gone(name) }
      if (tag.oid !== oid) return { redirect, notice: tagSentences.moved(name) }
      try {
        await deleteTag(app, actor, tag)
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'ref_moved')) throw error
        return { redirect, notice: tagSentences.moved(name) }
      }
      return { redirect, notice: tagSentences.deleted(name) }
    },
  }),
  page('GET /:project/tags/:name/release/edit', {
    access,
    show: async (context) => editNotes(context, await tagOf(context.app, context.project, context.params.name), untouched),
  }),
  action('POST /:project/tags/:name/release', {
    access,
    form: { description: Type.String(), seen: Type.String({ default: '' }) },
    async act({ app, actor, project, params, sent: { description, seen } }) {
      const { name } = await tagOf(app, project, params.name)
      const pusher = actor
      await assertMayRelease(app, pusher, name)
      const release = await findRelease(app.db, project.id, name)
      if (release && release.updated_at !== seen) throw new Failure('conflict', releaseSentences.changed)
      if (release) await changeRelease(app, pusher, release, { description })
      else if (description.trim() !== '') await createRelease(app, pusher, { tag_name: name, description })
      const notice = description.trim() === '' ? tagSentences.notesRemoved : tagSentences.saved
      return { redirect: tagAddress(project, name), notice }
    },
    again: async (context, typed) => editNotes(context, await tagOf(context.app, context.project, context.params.name), typed),
  }),
]

async function newTag({ project, level, user, repo, token }: Allowed, typed: Typed, ref = ''): Promise<View> {
  const from = ref || (project.default_branch ?? 'main')
  return projectView(
    { project, level, user, tab: 'tags' },
    {
      title: t`New tag`,
      main: html`
        <h1>New tag</h1>
        <div class="form-page">
          ${problemsOf(typed.errors, ['tag_name', 'ref', 'message', 'release_description'])}
          ${form(
            { action: tagsAddress(project), token, submit: t`Create the tag` },
            html`
              ${field(t`Name`, 'tag_name', typed, { required: true, autofocus: true, autocomplete: 'off', placeholder: 'v1.0' })}
              ${field(t`From`, 'ref', typed, {
                value: from,
                required: true,
                autocomplete: 'off',
                list: await recentNames(repo, 'heads'),
              })}
              ${textArea(t`Message`, 'message', typed, { rows: 3, hint: tagSentences.messageHint })}
              ${textArea(t`Release notes`, 'release_description', typed, { rows: 8, hint: tagSentences.notesHint })}
            `,
          )}
        </div>
      `,
    },
  )
}

async function editNotes({ app, project, level, user, token }: Allowed, { name }: Ref, typed: Typed): Promise<View> {
  await assertMayRelease(app, { user, project, level }, name)
  const release = await findRelease(app.db, project.id, name)
  return projectView(
    { project, level, user, tab: 'tags' },
    {
      title: t`Release notes of ${name}`,
      main: html`
        <h1>Release notes of <bdi class="ref">${name}</bdi></h1>
        <div class="form-page">
          ${problemsOf(typed.errors, ['description'])}
          ${form(
            { action: `${tagAddress(project, name)}/release`, token, submit: t`Save the notes` },
            html`
              ${hidden({ seen: release?.updated_at ?? '' })}${textArea(t`Release notes`, 'description', typed, {
                value: release?.description ?? '',
                rows: 16,
                hint: t`Markdown.`,
              })}
            `,
          )}
          <p><a href="${tagAddress(project, name)}">Back to the tag</a></p>
        </div>
      `,
    },
  )
}
