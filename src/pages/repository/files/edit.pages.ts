/** Editing a file: a commit. */

import { createTwoFilesPatch } from 'diff'
import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { addressAt } from '../../../addresses/repository.ts'
import { invalid } from '../../../failure.ts'
import { commitActions } from '../../../features/repository/commit-actions/commit-actions.ts'
import { pushable } from '../../../features/repository/pushes/pushes.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { textIn } from '../../../git/objects/text.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { authenticated, project, unarchived } from '../../../http/declare/rules.ts'
import { withBreaksOf } from '../../../text/line-breaks.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { field, form, hidden, problemsOf, untouched } from '../../frame/forms.ts'
import { emptyState } from '../../frame/parts.ts'
import { type Place, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { type Changing, commitFields, committedAddress, fieldNames, refusedView, requestOf, targetOf } from './change.ts'
import { crumbsOf } from './crumbs.ts'
import { dataOf, entryAt, type FoundFile, fileOf } from './found.ts'
import { baseName, fileName, folderOf } from './names.ts'
import { sentences } from './sentences.ts'

const maxEdited_bytes = 256 * 1024

const edited = {
  file_path: Type.String(),
  content: Type.String(),
  commit_message: Type.String(),
  branch: Type.String(),
  last_commit_id: Type.Optional(Type.String()),
}

export const fileEditPages = [
  page('GET /:project/edit/*', {
    access: authenticated(project('code')),
    async show({ app, repo, token, user, project, level, params }) {
      const place = await placeAt(repo, params['*'])
      const refused = await refusedView({ app, project, level, user, token }, t`Edit`, { ...place, page: 'edit' })
      if (refused) return refused
      const file = await fileOf(repo, await entryAt(repo, place))
      const text = await textOf({ repo }, file)
      if (text === null) return viewOf({ project, level, user }, place, notEditable(project, place))
      return editView({ app, repo, token, user, project, level, place }, untouched, text)
    },
  }),
  action('POST /:project/edit/*', {
    access: unarchived(pushable()),
    form: edited,
    async act({ app, actor, repo, user, project, level, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const target = await targetOf({ app, repo, user, project, level }, place)
      const entry = await entryAt(repo, place)
      const before = entry?.type === 'blob' ? await textOf({ repo }, await fileOf(repo, entry)) : ''
      // A form can't show its bytes, so what was sent would replace them unseen.
      if (before === null) throw invalid(sentences.not_editable)
      const isMoved = sent.file_path !== place.path
      const change = {
        action: isMoved ? 'move' : 'update',
        file_path: sent.file_path,
        ...(isMoved && { previous_path: place.path }),
        content: withBreaksOf(sent.content, before),
        encoding: 'text',
        ...(sent.last_commit_id !== undefined && { last_commit_id: sent.last_commit_id }),
      } as const
      await commitActions(app, actor, requestOf(target, sent), [change])
      return {
        redirect: committedAddress(project, sent.branch, sent.file_path),
        notice: sentences.saved(baseName(sent.file_path), sent.branch),
      }
    },
    async again({ app, repo, token, user, project, level, params }, typed) {
      const place = await placeAt(repo, params['*'])
      const entry = await entryAt(repo, place)
      const theirs = entry?.type === 'blob' ? await textOf({ repo }, await fileOf(repo, entry)) : null
      if (entry?.type === 'blob' && theirs === null) return viewOf({ project, level, user }, place, notEditable(project, place))
      return editView({ app, repo, token, user, project, level, place }, typed, theirs)
    },
  }),
]

/** Explains why there is no form, and offers other ways to change the file. */
function notEditable({ full_path }: LocatedProject, { revision, path }: Place): Html {
  const raw = `${addressAt(full_path, 'raw', revision, path)}?inline=false`
  const upload = addressAt(full_path, 'create', revision, folderOf(path))
  return emptyState(
    sentences.not_editable,
    html`<p class="actions"><a class="button" href="${raw}" download>Download</a> <a class="button" href="${upload}">Upload a file</a></p>`,
  )
}

/** Null if it can't be edited here. */
async function textOf({ repo }: Pick<Changing, 'repo'>, file: FoundFile): Promise<string | null> {
  if (file.mode === '120000') return null
  const data = await dataOf(repo, file, maxEdited_bytes)
  return data && textIn(data)
}

interface Editing extends Changing {
  token: Html
  place: Place
}

/** `current` is the current text of the file; null if it is gone. */
async function editView({ token, place, ...changing }: Editing, typed: Typed, current: string | null): Promise<View> {
  const { repo, project } = changing
  const last = current === null ? null : await lastCommitOf(repo, place.commit, place.path)
  const target = await targetOf(changing, place)
  const known = typed.values.last_commit_id
  const hasChanged = known !== undefined && last !== null && known !== last
  const isGone = current === null
  const action = addressAt(project.full_path, isGone ? 'new' : 'edit', place.revision, isGone ? '' : place.path)
  const problem = isGone ? sentences.is_gone : hasChanged && sentences.has_changed
  const main = html`
    ${problem !== false && html`<div class="problems" role="alert"><p>${problem}</p></div>`}
    ${hasChanged && current !== null && differences(current, typed.values.content ?? '')}
    ${problem === false && problemsOf(typed.errors, [...fieldNames, 'file_path', 'content'])}${form(
      { action, token, submit: t`Commit changes` },
      html`
        ${hidden(last === null ? {} : { last_commit_id: last })}${field(t`Path`, 'file_path', typed, {
          value: place.path,
          required: true,
        })}
        ${editorField(typed, current ?? '', place.path)}${commitFields(typed, target, t`Update ${baseName(place.path)}`)}
      `,
    )}
  `
  return viewOf(changing, place, main)
}

/** The differences between the other version and the submitted text. */
function differences(theirs: string, typed: string): Html {
  // Texts with little in common would take long: then both are shown below.
  const patch = createTwoFilesPatch('theirs', 'yours', theirs, typed, '', '', { context: 3, timeout: 50 })
  return html`<details class="file" open><summary>Theirs and yours</summary>${
    patch === undefined ? null : html`<pre class="code" tabindex="0">${patch.split('\n').slice(4).join('\n')}</pre>`
  }<details><summary>Their whole version</summary><pre class="code" tabindex="0">${theirs}</pre></details></details>`
}

/** A text field, which a script turns into an editor. */
export function editorField(typed: Typed, text: string, path: string): Html {
  // HTML drops the first line break of the content.
  return html`
    <code-editor class="field" data-path="${path}"><label for="content">Content</label>
      <textarea
        id="content"
        name="content"
        rows="24"
        spellcheck="false"
        autocapitalize="off"
        wrap="off"
      >\n${typed.values.content ?? text}</textarea>
    </code-editor>
  `
}

function viewOf({ project, level, user }: Pick<Changing, 'project' | 'level' | 'user'>, place: Place, main: Html): View {
  return projectView(
    { project, level, user, tab: 'files' },
    {
      title: t`Edit ${place.path}`,
      main: html`<h1 class="unseen">Edit ${fileName(baseName(place.path))}</h1>${crumbsOf(project, place)}${main}`,
      scripts: ['editor.js'],
    },
  )
}
