/** Deleting a file: a commit. */

import { Type } from 'typebox'
import { addressAt } from '../../../addresses/repository.ts'
import { commitActions } from '../../../features/repository/commit-actions/commit-actions.ts'
import { pushable } from '../../../features/repository/pushes/pushes.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { unarchived } from '../../../http/declare/rules.ts'
import { action, type Typed } from '../../frame/declaration.ts'
import { dangerous, form, hidden, problemsOf, untouched } from '../../frame/forms.ts'
import { type Place, placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { type Changing, commitFields, fieldNames, requestOf, targetOf } from './change.ts'
import { baseName, fileName, folderOf } from './names.ts'
import { sentences } from './sentences.ts'

export const deletePages = [
  action('POST /:project/blob/*', {
    access: unarchived(pushable()),
    form: { commit_message: Type.String(), branch: Type.String(), last_commit_id: Type.Optional(Type.String()) },
    async act({ app, actor, repo, user, project, level, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const target = await targetOf({ app, repo, user, project, level }, place)
      const known = sent.last_commit_id === undefined ? {} : { last_commit_id: sent.last_commit_id }
      const file = { action: 'delete', file_path: place.path, encoding: 'text', ...known } as const
      await commitActions(app, actor, requestOf(target, sent), [file])
      return {
        redirect: addressAt(project.full_path, 'tree', branchRevision(sent.branch), folderOf(place.path)),
        notice: sentences.deleted(baseName(place.path), sent.branch),
      }
    },
    async again({ app, repo, token, user, project, level, params }, typed) {
      const place = await placeAt(repo, params['*'])
      const last = await lastCommitOf(repo, place.commit, place.path)
      const hasChanged = last !== null && typed.values.last_commit_id !== last
      return projectView(
        { project, level, user, tab: 'files' },
        {
          title: t`Delete ${place.path}`,
          main: html`
            <h1>Delete ${fileName(baseName(place.path))}</h1>
            ${hasChanged && html`<p class="problems" role="alert">${sentences.has_changed}</p>`}
            ${await formOf({ app, repo, token, user, project, level, place, last }, typed)}
          `,
        },
      )
    },
  }),
]

interface Deleting extends Omit<Changing, 'user'> {
  user: Changing['user'] | null
  token: Html
  place: Place
  /** The last commit of the file. */
  last: string | null
}

/** The form below a file that deletes it. Null for visitors. */
export async function deleteForm(deleting: Deleting): Promise<Html | null> {
  if (!deleting.user) return null
  return dangerous(t`Delete this file`, html`<p>${sentences.delete_warning}</p>${await formOf(deleting, untouched)}`)
}

async function formOf({ token, place, last, user, ...rest }: Deleting, typed: Typed): Promise<Html | null> {
  if (!user) return null
  const target = await targetOf({ ...rest, user }, place)
  const action = addressAt(rest.project.full_path, 'blob', place.revision, place.path)
  return html`
    ${problemsOf(typed.errors, fieldNames)}${form(
      { action, token, submit: t`Delete file`, kind: 'danger' },
      html`
        ${hidden(last === null ? {} : { last_commit_id: last })}${commitFields(typed, target, t`Delete ${baseName(place.path)}`, 'delete-')}
      `,
    )}
  `
}
